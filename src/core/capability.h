// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bitset>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/server_version.h"

namespace ckpt {

// What a role may or may not read on a server; each is pgcheckpoint_capability{name} 0 or 1.
enum class Capability : std::uint8_t {
  kNone,                  // needs nothing
  kStatistics,            // pg_stat_* views
  kControlFile,           // pg_control_checkpoint(), pg_control_system()
  kWalPosition,           // pg_current_wal_insert_lsn() and its like
  kCheckpointerActivity,  // the checkpointer's wait event
  kWalDirectory,          // pg_ls_waldir()
  kArchiveStatus,         // pg_ls_archive_statusdir()
  kCurrentLogfile,        // pg_current_logfile()
  kReadLog,               // pg_read_binary_file()
  kEmitMessage,           // pg_logical_emit_message(), for the commit probe
  kStatements,            // pg_stat_statements
};
inline constexpr std::size_t kCapabilityCount = 11;

struct CapabilityInfo {
  Capability capability;
  std::string_view name;   // label value
  std::string_view gives;  // what one has by it
  // A boolean SQL expression over the catalogs alone, so that finding out never logs an ERROR.
  std::string_view test;
  // What cures its lack; {role} is filled in. Empty: nothing can.
  std::string_view cure;
  VersionRange versions;
  // Serves something that is off unless the configuration asks for it, so its lack is no fault.
  bool opt_in = false;
};

// TABLE: one row a capability. The test at connect, the log line with the GRANT, `doctor` and
// config/grants.sql derive from it.
std::span<const CapabilityInfo> Capabilities();
const CapabilityInfo& InfoOf(Capability capability);

// The cure for `role`, a quoted SQL identifier. Without one the place stays marked "{role}".
std::string CureFor(const CapabilityInfo& info, std::string_view role);

// The set a session has.
class CapabilitySet {
 public:
  CapabilitySet() { bits_.set(static_cast<std::size_t>(Capability::kNone)); }
  bool Has(Capability capability) const { return bits_.test(static_cast<std::size_t>(capability)); }
  void Set(Capability capability, bool has) {
    bits_.set(static_cast<std::size_t>(capability), has);
  }
  friend bool operator==(const CapabilitySet&, const CapabilitySet&) = default;

 private:
  std::bitset<kCapabilityCount> bits_;
};

}  // namespace ckpt
