// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/clock.h"
#include "core/server_version.h"

namespace ckpt {

// Which server answers, as read at each connect. Two equal ones are the same run of the same
// server: what was counted before may be compared with what is counted after.
struct ServerIdentity {
  ServerVersion version;                          // from the protocol
  std::optional<std::int64_t> system_identifier;  // pg_control_system()
  std::optional<UnixSeconds> postmaster_start;    // pg_postmaster_start_time()
  std::string flavor = "postgresql";  // "aurora" and the like, where checkpoints mean nothing

  // False where the server has no checkpoints of its own: no advice, no events.
  bool HasCheckpoints() const { return flavor == "postgresql"; }

  friend bool operator==(const ServerIdentity&, const ServerIdentity&) = default;
};

}  // namespace ckpt
