// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "core/facts.h"

namespace ckpt {
namespace {

constexpr int kNewest = VersionRange::kNewest;

// The WAL functions of a primary raise an error on a standby and the reverse gives NULL; CASE asks
// at run time, so one statement serves both roles and survives a promotion between two pulses.
constexpr auto kViews = std::to_array<ViewInfo>({
    {View::kServer, "functions of the server", "", {}},
    {View::kBgwriter,
     "pg_stat_bgwriter",
     "pg_catalog.pg_stat_bgwriter",
     {},
     Capability::kStatistics},
    {View::kCheckpointer,
     "pg_stat_checkpointer",
     "pg_catalog.pg_stat_checkpointer",
     {17, kNewest},
     Capability::kStatistics},
    {View::kWal, "pg_stat_wal", "pg_catalog.pg_stat_wal", {14, kNewest}, Capability::kStatistics},
    {View::kWalPosition, "WAL position functions", "", {}, Capability::kWalPosition},
    {View::kControlCheckpoint,
     "pg_control_checkpoint()",
     "pg_catalog.pg_control_checkpoint()",
     {},
     Capability::kControlFile},
    {View::kControlSystem,
     "pg_control_system()",
     "pg_catalog.pg_control_system()",
     {},
     Capability::kControlFile},
    {View::kCheckpointerProcess,
     "pg_stat_activity",
     "pg_catalog.pg_stat_get_activity({checkpointer_pid})",
     {},
     Capability::kCheckpointerActivity},
    {View::kArchiver,
     "pg_stat_archiver",
     "pg_catalog.pg_stat_archiver",
     {},
     Capability::kStatistics},
    {View::kArchiveStatus,
     "pg_ls_archive_statusdir()",
     "pg_catalog.pg_ls_archive_statusdir()",
     {12, kNewest},
     Capability::kArchiveStatus},
    {View::kDatabase,
     "pg_stat_database",
     "pg_catalog.pg_stat_database",
     {},
     Capability::kStatistics},
    {View::kWalDirectory,
     "pg_ls_waldir()",
     "pg_catalog.pg_ls_waldir()",
     {},
     Capability::kWalDirectory},
    {View::kIoRelation,
     "pg_stat_io",
     "pg_catalog.pg_stat_io WHERE object = 'relation' AND backend_type NOT IN "
     "('checkpointer', 'background writer')",
     {16, kNewest},
     Capability::kStatistics},
    {View::kIoWal,
     "pg_stat_io",
     // Creating WAL files (context init) is not writing WAL; pg_stat_wal to 17 left it out too.
     "pg_catalog.pg_stat_io WHERE object = 'wal' AND context = 'normal'",
     {18, kNewest},
     Capability::kStatistics},
    {View::kIo, "pg_stat_io", "pg_catalog.pg_stat_io", {16, kNewest}, Capability::kStatistics},
    {View::kSlru,
     "pg_stat_slru",
     "pg_catalog.pg_stat_slru",
     {13, kNewest},
     Capability::kStatistics},
    {View::kSlruReset,
     "pg_stat_slru",
     "pg_catalog.pg_stat_slru",
     {13, kNewest},
     Capability::kStatistics},
    // Bounded: slots are few, but nothing of a server's may grow our memory without limit.
    {View::kSlots,
     "pg_replication_slots",
     "(SELECT * FROM pg_catalog.pg_replication_slots ORDER BY restart_lsn LIMIT 100) AS slots",
     {},
     Capability::kWalPosition},
    {View::kStatements,
     "pg_stat_statements",
     "{statements_schema}.pg_stat_statements(false)",
     {},
     Capability::kStatements},
});

constexpr bool InOrder() {
  for (std::size_t i = 0; i < kViews.size(); ++i) {
    if (static_cast<std::size_t>(kViews[i].view) != i) return false;
  }
  return true;
}
static_assert(InOrder(), "kViews must be in the order of the enumerators");

}  // namespace

std::span<const ViewInfo> Views() { return kViews; }
const ViewInfo& InfoOf(View view) { return kViews[static_cast<std::size_t>(view)]; }

}  // namespace ckpt
