// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "core/facts.h"
#include "core/shared_families.h"

namespace ckpt {
namespace {

constexpr int kNewest = VersionRange::kNewest;
constexpr VersionRange kFrom12{12, kNewest};
constexpr VersionRange kFrom13{13, kNewest};
constexpr VersionRange kFrom14{14, kNewest};
constexpr VersionRange k14To17{14, 17};
constexpr VersionRange k16To17{16, 17};
constexpr VersionRange kFrom16{16, kNewest};
constexpr VersionRange kFrom17{17, kNewest};
constexpr VersionRange kFrom18{18, kNewest};

// --- Metric families ---------------------------------------------------------------------------

constexpr Family kArchived{"archiver_archived_total", "WAL files archived.", MetricType::kCounter};
constexpr Family kArchiveFailed{"archiver_failed_total", "Failed attempts to archive a WAL file.",
                                MetricType::kCounter};
constexpr Family kLastArchived{"archiver_last_archived_timestamp_seconds",
                               "When a WAL file was last archived.", MetricType::kGauge,
                               Unit::kTimestamp};
constexpr Family kLastArchiveFailure{"archiver_last_failed_timestamp_seconds",
                                     "When archiving a WAL file last failed.", MetricType::kGauge,
                                     Unit::kTimestamp};
constexpr Family kArchiveReady{"archiver_ready_files",
                               "WAL files that wait to be archived (12+, needs pg_monitor).",
                               MetricType::kGauge};
constexpr Family kTransactions{"transactions_total", "Transactions of all databases, summed.",
                               MetricType::kCounter, Unit::kNone, "outcome"};
constexpr Family kBlockWriteSeconds{
    "block_write_seconds_total",
    "Time that backends of all databases spent writing blocks; stays 0 without track_io_timing. "
    "The checkpointer's own writes are not in it.",
    MetricType::kCounter, Unit::kSeconds};
constexpr Family kActiveSeconds{
    "active_seconds_total",
    "Time that sessions of all databases spent executing statements, summed (14+).",
    MetricType::kCounter, Unit::kSeconds};
constexpr Family kConnections{"connections", "Backends connected to a database, summed.",
                              MetricType::kGauge};
constexpr Family kWalDirectoryBytes{"wal_directory_bytes",
                                    "Size of the files in pg_wal (needs pg_monitor).",
                                    MetricType::kGauge, Unit::kBytes};
constexpr Family kWalDirectoryFiles{
    "wal_directory_files", "Number of files in pg_wal (needs pg_monitor).", MetricType::kGauge};
constexpr Family kBackendExtends{
    "backend_extends_total",
    "Blocks by which processes other than the checkpointer and background writer extended "
    "relations (16+, pg_stat_io). Not part of buffers_written_total.",
    MetricType::kCounter};
constexpr Family kWalWrites{"wal_writes_total",
                            "Writes of WAL buffers to disk. 14 to 17 pg_stat_wal, 18+ pg_stat_io "
                            "object wal.",
                            MetricType::kCounter};
constexpr Family kWalSyncs{
    "wal_syncs_total",
    "Explicit syncs of WAL files; stays 0 with wal_sync_method open_sync or open_datasync. 14 to "
    "17 pg_stat_wal, 18+ pg_stat_io object wal.",
    MetricType::kCounter};
constexpr Family kWalWriteSeconds{
    "wal_write_seconds_total",
    "Time spent writing WAL to disk; stays 0 without track_wal_io_timing. 14 to 17 pg_stat_wal, "
    "18+ pg_stat_io object wal.",
    MetricType::kCounter, Unit::kSeconds};
constexpr Family kWalSyncSeconds{
    "wal_sync_seconds_total",
    "Time spent syncing WAL files; stays 0 without track_wal_io_timing. 14 to 17 pg_stat_wal, 18+ "
    "pg_stat_io object wal.",
    MetricType::kCounter, Unit::kSeconds};
constexpr Family kStatements{
    "statements_total", "Executions of statements that pg_stat_statements tracks, summed (opt-in).",
    MetricType::kCounter};
constexpr Family kStatementSeconds{
    "statement_seconds_total",
    "Execution time of statements that pg_stat_statements tracks, summed (opt-in).",
    MetricType::kCounter, Unit::kSeconds};
constexpr Family kControlFullPageWrites{
    "control_full_page_writes",
    "1 if full_page_writes was on at the last completed checkpoint, else 0.", MetricType::kGauge};
constexpr Family kControlId{
    "control_file_id",
    "Identifiers that the last completed checkpoint recorded: the next and the oldest "
    "transactions, multixacts and objects.",
    MetricType::kGauge, Unit::kNone, "field"};
constexpr Family kControlVersion{"control_file_version", "Version numbers in the control file.",
                                 MetricType::kGauge, Unit::kNone, "of"};

// --- TABLE: facts of a survey's single row -----------------------------------------------------

using S = SurveyStats;
constexpr auto kSurveyFacts = std::to_array<Fact<S>>({
    {&kArchived, "", &S::archived, {{{View::kArchiver, "archived_count"}}}},
    {&kArchiveFailed, "", &S::archive_failures, {{{View::kArchiver, "failed_count"}}}},
    {&kLastArchived,
     "",
     &S::last_archived_time,
     {{{View::kArchiver, "last_archived_time", {}, Scale::kEpoch}}}},
    {&kLastArchiveFailure,
     "",
     &S::last_archive_failure_time,
     {{{View::kArchiver, "last_failed_time", {}, Scale::kEpoch}}}},
    {&families::kStatsReset,
     "archiver",
     &S::archiver_stats_reset,
     {{{View::kArchiver, "stats_reset", {}, Scale::kEpoch}}}},
    {&kArchiveReady,
     "",
     &S::archive_ready_files,
     {{{View::kArchiveStatus, "count(*) FILTER (WHERE name LIKE '%.ready')", kFrom12}}}},

    {&kTransactions, "commit", &S::commits, {{{View::kDatabase, "sum(xact_commit)"}}}},
    {&kTransactions, "rollback", &S::rollbacks, {{{View::kDatabase, "sum(xact_rollback)"}}}},
    {&kBlockWriteSeconds,
     "",
     &S::block_write_seconds,
     {{{View::kDatabase, "sum(blk_write_time)", {}, Scale::kMilliseconds}}}},
    {&kActiveSeconds,
     "",
     &S::active_seconds,
     {{{View::kDatabase, "sum(active_time)", kFrom14, Scale::kMilliseconds}}}},
    {&kConnections, "", &S::connections, {{{View::kDatabase, "sum(numbackends)"}}}},
    {&families::kStatsReset,
     "database",
     &S::database_stats_reset,
     {{{View::kDatabase, "max(stats_reset)", {}, Scale::kEpoch}}}},

    {&kWalDirectoryBytes, "", &S::wal_directory_bytes, {{{View::kWalDirectory, "sum(size)"}}}},
    {&kWalDirectoryFiles, "", &S::wal_directory_files, {{{View::kWalDirectory, "count(*)"}}}},

    {&families::kBuffersWritten,
     "backend",
     &S::backend_writes,
     {{{View::kIoRelation, "sum(writes)", k16To17},
       {View::kIoRelation, "div(sum(write_bytes), current_setting('block_size')::int8)",
        kFrom18}}}},
    {&kBackendExtends,
     "",
     &S::backend_extends,
     {{{View::kIoRelation, "sum(extends)", k16To17},
       {View::kIoRelation, "div(sum(extend_bytes), current_setting('block_size')::int8)",
        kFrom18}}}},
    {&families::kBackendFsyncs,
     "",
     &S::backend_fsyncs,
     {{{View::kIoRelation, "sum(fsyncs)", kFrom17}}}},
    {&families::kStatsReset,
     "io",
     &S::io_stats_reset,
     {{{View::kIoRelation, "min(stats_reset)", kFrom16, Scale::kEpoch}}}},

    {&kWalWrites,
     "",
     &S::wal_writes,
     {{{View::kWal, "wal_write", k14To17}, {View::kIoWal, "sum(writes)", kFrom18}}}},
    {&kWalSyncs,
     "",
     &S::wal_syncs,
     {{{View::kWal, "wal_sync", k14To17}, {View::kIoWal, "sum(fsyncs)", kFrom18}}}},
    {&kWalWriteSeconds,
     "",
     &S::wal_write_seconds,
     {{{View::kWal, "wal_write_time", k14To17, Scale::kMilliseconds},
       {View::kIoWal, "sum(write_time)", kFrom18, Scale::kMilliseconds}}}},
    {&kWalSyncSeconds,
     "",
     &S::wal_sync_seconds,
     {{{View::kWal, "wal_sync_time", k14To17, Scale::kMilliseconds},
       {View::kIoWal, "sum(fsync_time)", kFrom18, Scale::kMilliseconds}}}},
    {&families::kStatsReset,
     "slru",
     &S::slru_stats_reset,
     {{{View::kSlruReset, "min(stats_reset)", kFrom13, Scale::kEpoch}}}},

    {&kNotExposed,
     "",
     &S::log_zone_offset,
     {{{View::kServer,
        "extract(epoch from (now() AT TIME ZONE current_setting('log_timezone')) - "
        "(now() AT TIME ZONE 'UTC'))"}}}},
    {&kStatements, "", &S::statement_calls, {{{View::kStatements, "sum(calls)"}}}},
    {&kStatementSeconds,
     "",
     &S::statement_seconds,
     {{{View::kStatements, "sum(total_time)", {10, 12}, Scale::kMilliseconds},
       {View::kStatements, "sum(total_exec_time)", kFrom13, Scale::kMilliseconds}}}},

    {&kControlFullPageWrites,
     "",
     &S::control_full_page_writes,
     {{{View::kControlCheckpoint, "full_page_writes", {}, Scale::kBool}}}},
    {&kControlId,
     "previous_timeline_id",
     &S::previous_timeline_id,
     {{{View::kControlCheckpoint, "prev_timeline_id"}}}},
    // "epoch:xid" as text; one number goes on where 32 bits would wrap.
    {&kControlId,
     "next_xid",
     &S::next_xid,
     {{{View::kControlCheckpoint,
        "(split_part(next_xid, ':', 1)::int8 << 32) | split_part(next_xid, ':', 2)::int8"}}}},
    {&kControlId, "next_oid", &S::next_oid, {{{View::kControlCheckpoint, "next_oid"}}}},
    {&kControlId,
     "next_multixact_id",
     &S::next_multixact_id,
     {{{View::kControlCheckpoint, "next_multixact_id"}}}},
    {&kControlId,
     "next_multi_offset",
     &S::next_multixact_offset,
     {{{View::kControlCheckpoint, "next_multi_offset"}}}},
    {&kControlId, "oldest_xid", &S::oldest_xid, {{{View::kControlCheckpoint, "oldest_xid"}}}},
    {&kControlId,
     "oldest_xid_dbid",
     &S::oldest_xid_database_oid,
     {{{View::kControlCheckpoint, "oldest_xid_dbid"}}}},
    {&kControlId,
     "oldest_active_xid",
     &S::oldest_active_xid,
     {{{View::kControlCheckpoint, "oldest_active_xid"}}}},
    {&kControlId,
     "oldest_multi_xid",
     &S::oldest_multixact_id,
     {{{View::kControlCheckpoint, "oldest_multi_xid"}}}},
    {&kControlId,
     "oldest_multi_dbid",
     &S::oldest_multixact_database_oid,
     {{{View::kControlCheckpoint, "oldest_multi_dbid"}}}},
    {&kControlId,
     "oldest_commit_ts_xid",
     &S::oldest_commit_timestamp_xid,
     {{{View::kControlCheckpoint, "oldest_commit_ts_xid"}}}},
    {&kControlId,
     "newest_commit_ts_xid",
     &S::newest_commit_timestamp_xid,
     {{{View::kControlCheckpoint, "newest_commit_ts_xid"}}}},
    {&kControlVersion,
     "control",
     &S::control_version,
     {{{View::kControlSystem, "pg_control_version"}}}},
    {&kControlVersion,
     "catalog",
     &S::catalog_version,
     {{{View::kControlSystem, "catalog_version_no"}}}},
});
static_assert(FamiliesWellNamed(kSurveyFacts), "a metric of kSurveyFacts breaks the naming rules");
static_assert(SourcesDisjoint(kSurveyFacts), "a fact of kSurveyFacts has overlapping sources");

}  // namespace

std::span<const Fact<SurveyStats>> SurveyFacts() { return kSurveyFacts; }

}  // namespace ckpt
