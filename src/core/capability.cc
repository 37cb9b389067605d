// SPDX-License-Identifier: Apache-2.0
#include "core/capability.h"

#include <array>

namespace ckpt {
namespace {

constexpr std::string_view kGrantMonitor = "GRANT pg_monitor TO {role};";

constexpr std::array<CapabilityInfo, kCapabilityCount - 1> kCapabilities{{
    {Capability::kStatistics, "statistics", "Checkpoint, background writer and WAL counters.",
     "coalesce(has_table_privilege(to_regclass('pg_catalog.pg_stat_bgwriter')::oid, 'SELECT'), "
     "false)",
     "GRANT SELECT ON pg_catalog.pg_stat_bgwriter TO {role};"},
    {Capability::kControlFile, "control_file",
     "True start and end of checkpoints, the redo position and the forced trigger.",
     "coalesce(has_function_privilege(to_regprocedure('pg_catalog.pg_control_checkpoint()')::oid, "
     "'EXECUTE') AND has_function_privilege(to_regprocedure('pg_catalog.pg_control_system()')::oid,"
     " 'EXECUTE'), false)",
     "GRANT EXECUTE ON FUNCTION pg_catalog.pg_control_checkpoint(), "
     "pg_catalog.pg_control_system() TO {role};"},
    {Capability::kWalPosition, "wal_position",
     "The WAL position: WAL since redo and the next forced checkpoint.",
     "coalesce((SELECT bool_and(has_function_privilege(to_regprocedure('pg_catalog.' || f || "
     "'()')::oid, 'EXECUTE')) FROM unnest(ARRAY['pg_current_wal_insert_lsn', 'pg_current_wal_lsn', "
     "'pg_current_wal_flush_lsn', 'pg_last_wal_receive_lsn', 'pg_last_wal_replay_lsn']) AS f), "
     "false)",
     "GRANT EXECUTE ON FUNCTION pg_catalog.pg_current_wal_insert_lsn(), "
     "pg_catalog.pg_current_wal_lsn(), pg_catalog.pg_current_wal_flush_lsn(), "
     "pg_catalog.pg_last_wal_receive_lsn(), pg_catalog.pg_last_wal_replay_lsn() TO {role};"},
    {Capability::kCheckpointerActivity, "checkpointer_activity",
     "Whether a checkpoint runs at this moment, and in which phase.",
     "pg_has_role('pg_read_all_stats', 'USAGE')", kGrantMonitor},
    {Capability::kWalDirectory, "wal_directory", "Size and number of files of pg_wal.",
     "coalesce(has_function_privilege(to_regprocedure('pg_catalog.pg_ls_waldir()')::oid, "
     "'EXECUTE'), false)",
     kGrantMonitor},
    {Capability::kArchiveStatus,
     "archive_status",
     "How many WAL files wait to be archived.",
     "coalesce(has_function_privilege(to_regprocedure('pg_catalog.pg_ls_archive_statusdir()')"
     "::oid, 'EXECUTE'), false)",
     kGrantMonitor,
     {12, VersionRange::kNewest}},
    {Capability::kCurrentLogfile,
     "current_logfile",
     "The name of the server's current log file.",
     "coalesce(has_function_privilege(to_regprocedure('pg_catalog.pg_current_logfile(text)')::oid,"
     " 'EXECUTE'), false)",
     "GRANT EXECUTE ON FUNCTION pg_catalog.pg_current_logfile(), "
     "pg_catalog.pg_current_logfile(text) TO {role};",
     {},
     true},
    // In 10 the function checks for a superuser inside, whatever is granted.
    {Capability::kReadLog,
     "read_log",
     "Reading the server log over SQL.",
     "coalesce(has_function_privilege("
     "to_regprocedure('pg_catalog.pg_read_binary_file(text,bigint,bigint)')::oid, 'EXECUTE'), "
     "false) AND (current_setting('server_version_num')::int >= 110000 OR "
     "(SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user))",
     "GRANT EXECUTE ON FUNCTION pg_catalog.pg_read_binary_file(text, bigint, bigint) TO {role};",
     {},
     true},
    {Capability::kEmitMessage,
     "emit_message",
     "The commit probe, where it is switched on.",
     "coalesce(has_function_privilege("
     "to_regprocedure('pg_catalog.pg_logical_emit_message(boolean,text,text)')::oid, 'EXECUTE') OR "
     "has_function_privilege("
     "to_regprocedure('pg_catalog.pg_logical_emit_message(boolean,text,text,boolean)')::oid, "
     "'EXECUTE'), false)",
     "GRANT EXECUTE ON FUNCTION pg_catalog.pg_logical_emit_message(boolean, text, text) TO {role}; "
     "-- from 17 on: pg_catalog.pg_logical_emit_message(boolean, text, text, boolean)",
     {},
     true},
    {Capability::kStatements,
     "statements",
     "Statement times from pg_stat_statements.",
     "EXISTS (SELECT FROM pg_catalog.pg_extension WHERE extname = 'pg_stat_statements')",
     "CREATE EXTENSION pg_stat_statements;",
     {},
     true},
}};

constexpr bool InOrder() {
  for (std::size_t i = 0; i < kCapabilities.size(); ++i) {
    if (static_cast<std::size_t>(kCapabilities[i].capability) != i + 1) return false;
    if (!kCapabilities[i].gives.ends_with('.')) return false;
  }
  return true;
}
static_assert(InOrder(), "kCapabilities must be in the order of the enumerators");

constexpr CapabilityInfo kNothing{Capability::kNone, "none", "Nothing.", "true", ""};

}  // namespace

std::span<const CapabilityInfo> Capabilities() { return kCapabilities; }

const CapabilityInfo& InfoOf(Capability capability) {
  if (capability == Capability::kNone) return kNothing;
  return kCapabilities[static_cast<std::size_t>(capability) - 1];
}

std::string CureFor(const CapabilityInfo& info, std::string_view role) {
  constexpr std::string_view kRole = "{role}";
  std::string cure(info.cure);
  const std::size_t at = role.empty() ? std::string::npos : cure.find(kRole);
  if (at != std::string::npos) cure.replace(at, kRole.size(), role);
  return cure;
}

}  // namespace ckpt
