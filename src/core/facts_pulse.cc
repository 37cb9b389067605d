// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "core/facts.h"
#include "core/shared_families.h"

namespace ckpt {
namespace {

constexpr int kNewest = VersionRange::kNewest;
constexpr VersionRange kTo15{10, 15};
constexpr VersionRange kTo16{10, 16};
constexpr VersionRange kFrom17{17, kNewest};
constexpr VersionRange kFrom18{18, kNewest};
constexpr VersionRange kFrom14{14, kNewest};
constexpr VersionRange kFrom19{19, kNewest};

// --- Metric families ---------------------------------------------------------------------------

constexpr Family kInRecovery{
    "in_recovery", "1 while the server is in recovery (a standby), else 0. pg_is_in_recovery().",
    MetricType::kGauge};
constexpr Family kPostmasterStart{"postmaster_start_timestamp_seconds",
                                  "When the server was started. pg_postmaster_start_time().",
                                  MetricType::kGauge, Unit::kTimestamp};
constexpr Family kCheckpoints{
    "checkpoints_total",
    "Checkpoint attempts as the server counts them, skipped ones included. 'requested' is not "
    "'forced by WAL': it includes CHECKPOINT commands, base backups, promotion, DDL and, from 14, "
    "the shutdown checkpoint. On a standby before 17 these are restartpoint attempts.",
    MetricType::kCounter, Unit::kNone, "trigger"};
constexpr Family kCheckpointsDone{
    "checkpoints_done_total",
    "Checkpoints that were completed; skipped and failed ones are not in it (18+).",
    MetricType::kCounter};
constexpr Family kRestartpoints{
    "restartpoints_total",
    "Restartpoint attempts of a standby, those without anything to do included (17+).",
    MetricType::kCounter, Unit::kNone, "trigger"};
constexpr Family kRestartpointsDone{
    "restartpoints_done_total", "Restartpoints that were completed (17+).", MetricType::kCounter};
constexpr Family kWriteSeconds{
    "write_seconds_total",
    "Time spent in the write phase of checkpoints and restartpoints, the deliberate pauses "
    "included. The server adds it once, at the end of each.",
    MetricType::kCounter, Unit::kSeconds};
constexpr Family kSyncSeconds{
    "sync_seconds_total",
    "Time spent in the sync phase (fsync) of checkpoints and restartpoints. The server adds it "
    "once, at the end of each.",
    MetricType::kCounter, Unit::kSeconds};
constexpr Family kSlruWritten{"slru_written_total",
                              "SLRU buffers written by checkpoints and restartpoints (18+).",
                              MetricType::kCounter};
constexpr Family kMaxwrittenClean{
    "bgwriter_maxwritten_clean_total",
    "Rounds that the background writer ended early because it had written bgwriter_lru_maxpages "
    "buffers.",
    MetricType::kCounter};
constexpr Family kBuffersAllocated{"buffers_allocated_total", "Buffers handed out to any process.",
                                   MetricType::kCounter};
constexpr Family kWalRecords{"wal_records_total", "WAL records generated (14+).",
                             MetricType::kCounter};
constexpr Family kWalFpi{"wal_fpi_total", "Full page images written to the WAL (14+).",
                         MetricType::kCounter};
constexpr Family kWalBytes{"wal_bytes_total", "WAL generated (14+).", MetricType::kCounter,
                           Unit::kBytes};
constexpr Family kWalFpiBytes{"wal_fpi_bytes_total",
                              "WAL that is full page images, exact (19+; earlier servers do not "
                              "count it, see wal_fpi_ratio for an estimate).",
                              MetricType::kCounter, Unit::kBytes};
constexpr Family kWalBuffersFull{
    "wal_buffers_full_total",
    "Times that WAL was written to disk because the WAL buffers were full (14+).",
    MetricType::kCounter};
constexpr Family kWalPosition{
    "wal_position_bytes",
    "Byte position in the WAL. A primary has insert, write and flush; a standby receive and "
    "replay.",
    MetricType::kGauge, Unit::kBytes, "position"};
constexpr Family kControlPosition{
    "control_position_bytes",
    "Byte positions of the last completed checkpoint or restartpoint in the control file: of its "
    "record, and where crash recovery would begin (redo).",
    MetricType::kGauge, Unit::kBytes, "position"};
constexpr Family kCheckpointTimestamp{
    "checkpoint_timestamp_seconds",
    "When the last completed checkpoint began. On a standby: when the primary began the "
    "checkpoint of the last restartpoint. If it ages while WAL advances, checkpoints fail.",
    MetricType::kGauge, Unit::kTimestamp};
constexpr Family kControlModified{
    "control_file_modified_timestamp_seconds",
    "When the control file was last written: on a primary about when the last checkpoint ended.",
    MetricType::kGauge, Unit::kTimestamp};
constexpr Family kTimeline{"timeline_id", "Timeline of the last completed checkpoint.",
                           MetricType::kGauge};

// --- TABLE: facts of a pulse -------------------------------------------------------------------

using P = PulseStats;
constexpr auto kPulseFacts = std::to_array<Fact<P>>({
    {&kNotExposed,
     "",
     &P::server_time,
     {{{View::kServer, "clock_timestamp()", {}, Scale::kEpoch}}}},
    {&kInRecovery,
     "",
     &P::in_recovery,
     {{{View::kServer, "pg_is_in_recovery()", {}, Scale::kBool}}}},
    {&kPostmasterStart,
     "",
     &P::postmaster_start,
     {{{View::kServer, "pg_postmaster_start_time()", {}, Scale::kEpoch}}}},

    {&kCheckpoints,
     "timed",
     &P::checkpoints_timed,
     {{{View::kBgwriter, "checkpoints_timed", kTo16},
       {View::kCheckpointer, "num_timed", kFrom17}}}},
    {&kCheckpoints,
     "requested",
     &P::checkpoints_requested,
     {{{View::kBgwriter, "checkpoints_req", kTo16},
       {View::kCheckpointer, "num_requested", kFrom17}}}},
    {&kCheckpointsDone, "", &P::checkpoints_done, {{{View::kCheckpointer, "num_done", kFrom18}}}},
    {&kRestartpoints,
     "timed",
     &P::restartpoints_timed,
     {{{View::kCheckpointer, "restartpoints_timed", kFrom17}}}},
    {&kRestartpoints,
     "requested",
     &P::restartpoints_requested,
     {{{View::kCheckpointer, "restartpoints_req", kFrom17}}}},
    {&kRestartpointsDone,
     "",
     &P::restartpoints_done,
     {{{View::kCheckpointer, "restartpoints_done", kFrom17}}}},
    {&kWriteSeconds,
     "",
     &P::write_seconds,
     {{{View::kBgwriter, "checkpoint_write_time", kTo16, Scale::kMilliseconds},
       {View::kCheckpointer, "write_time", kFrom17, Scale::kMilliseconds}}}},
    {&kSyncSeconds,
     "",
     &P::sync_seconds,
     {{{View::kBgwriter, "checkpoint_sync_time", kTo16, Scale::kMilliseconds},
       {View::kCheckpointer, "sync_time", kFrom17, Scale::kMilliseconds}}}},
    {&families::kBuffersWritten,
     "checkpointer",
     &P::buffers_checkpointer,
     {{{View::kBgwriter, "buffers_checkpoint", kTo16},
       {View::kCheckpointer, "buffers_written", kFrom17}}}},
    {&kSlruWritten, "", &P::slru_written, {{{View::kCheckpointer, "slru_written", kFrom18}}}},
    {&families::kStatsReset,
     "checkpointer",
     &P::checkpointer_stats_reset,
     {{{View::kBgwriter, "stats_reset", kTo16, Scale::kEpoch},
       {View::kCheckpointer, "stats_reset", kFrom17, Scale::kEpoch}}}},

    {&families::kBuffersWritten,
     "bgwriter",
     &P::buffers_bgwriter,
     {{{View::kBgwriter, "buffers_clean"}}}},
    {&kMaxwrittenClean, "", &P::maxwritten_clean, {{{View::kBgwriter, "maxwritten_clean"}}}},
    {&kBuffersAllocated, "", &P::buffers_allocated, {{{View::kBgwriter, "buffers_alloc"}}}},
    {&families::kBuffersWritten,
     "backend",
     &P::buffers_backend,
     {{{View::kBgwriter, "buffers_backend", kTo15}}}},
    {&families::kBackendFsyncs,
     "",
     &P::backend_fsyncs,
     {{{View::kBgwriter, "buffers_backend_fsync", kTo16}}}},
    {&families::kStatsReset,
     "bgwriter",
     &P::bgwriter_stats_reset,
     {{{View::kBgwriter, "stats_reset", {}, Scale::kEpoch}}}},

    {&kWalRecords, "", &P::wal_records, {{{View::kWal, "wal_records", kFrom14}}}},
    {&kWalFpi, "", &P::wal_fpi, {{{View::kWal, "wal_fpi", kFrom14}}}},
    {&kWalBytes, "", &P::wal_bytes, {{{View::kWal, "wal_bytes", kFrom14}}}},
    {&kWalFpiBytes, "", &P::wal_fpi_bytes, {{{View::kWal, "wal_fpi_bytes", kFrom19}}}},
    {&kWalBuffersFull, "", &P::wal_buffers_full, {{{View::kWal, "wal_buffers_full", kFrom14}}}},
    {&families::kStatsReset,
     "wal",
     &P::wal_stats_reset,
     {{{View::kWal, "stats_reset", kFrom14, Scale::kEpoch}}}},
    {&kWalPosition,
     "insert",
     &P::insert_lsn,
     {{{View::kWalPosition,
        "CASE WHEN NOT pg_is_in_recovery() THEN pg_current_wal_insert_lsn() END",
        {},
        Scale::kLsn}}}},
    {&kWalPosition,
     "write",
     &P::write_lsn,
     {{{View::kWalPosition,
        "CASE WHEN NOT pg_is_in_recovery() THEN pg_current_wal_lsn() END",
        {},
        Scale::kLsn}}}},
    {&kWalPosition,
     "flush",
     &P::flush_lsn,
     {{{View::kWalPosition,
        "CASE WHEN NOT pg_is_in_recovery() THEN pg_current_wal_flush_lsn() END",
        {},
        Scale::kLsn}}}},
    {&kWalPosition,
     "receive",
     &P::receive_lsn,
     {{{View::kWalPosition,
        "CASE WHEN pg_is_in_recovery() THEN pg_last_wal_receive_lsn() END",
        {},
        Scale::kLsn}}}},
    {&kWalPosition,
     "replay",
     &P::replay_lsn,
     {{{View::kWalPosition,
        "CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() END",
        {},
        Scale::kLsn}}}},

    {&kControlPosition,
     "checkpoint",
     &P::checkpoint_lsn,
     {{{View::kControlCheckpoint, "checkpoint_lsn", {}, Scale::kLsn}}}},
    {&kControlPosition,
     "redo",
     &P::redo_lsn,
     {{{View::kControlCheckpoint, "redo_lsn", {}, Scale::kLsn}}}},
    {&kCheckpointTimestamp,
     "",
     &P::checkpoint_time,
     {{{View::kControlCheckpoint, "checkpoint_time", {}, Scale::kEpoch}}}},
    {&kTimeline, "", &P::timeline_id, {{{View::kControlCheckpoint, "timeline_id"}}}},
    {&kControlModified,
     "",
     &P::control_last_modified,
     {{{View::kControlSystem, "pg_control_last_modified", {}, Scale::kEpoch}}}},

    {&kNotExposed, "", &P::checkpointer_pid, {{{View::kCheckpointerProcess, "pid"}}}},
    {&kNotExposed,
     "",
     &P::checkpointer_wait_event_type,
     {{{View::kCheckpointerProcess, "wait_event_type"}}}},
    {&kNotExposed, "", &P::checkpointer_wait_event, {{{View::kCheckpointerProcess, "wait_event"}}}},
});
static_assert(FamiliesWellNamed(kPulseFacts), "a metric of kPulseFacts breaks the naming rules");
static_assert(SourcesDisjoint(kPulseFacts), "a fact of kPulseFacts has overlapping sources");

}  // namespace

std::span<const Fact<PulseStats>> PulseFacts() { return kPulseFacts; }

}  // namespace ckpt
