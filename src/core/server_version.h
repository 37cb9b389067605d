// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ckpt {

// A PostgreSQL version in server_version_num form: 150018 is 15.18. It comes from the protocol,
// never from parsing text.
struct ServerVersion {
  int num = 0;

  constexpr int major() const { return num / 10000; }
  constexpr int minor() const { return num % 10000; }
  friend constexpr auto operator<=>(const ServerVersion&, const ServerVersion&) = default;
};

// Major versions, both ends included. `until` is open by default.
struct VersionRange {
  static constexpr int kNewest = 9999;
  int since = 10;
  int until = kNewest;

  constexpr bool Contains(ServerVersion version) const {
    return version.major() >= since && version.major() <= until;
  }
  constexpr bool Overlaps(const VersionRange& other) const {
    return since <= other.until && other.since <= until;
  }
};

}  // namespace ckpt
