// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "core/facts.h"

// Facts of the views that have several rows: pg_stat_io, pg_stat_slru, pg_replication_slots.
namespace ckpt {
namespace {

constexpr int kNewest = VersionRange::kNewest;
constexpr VersionRange k16To17{16, 17};
constexpr VersionRange kFrom18{18, kNewest};
constexpr VersionRange kFrom13{13, kNewest};

// --- pg_stat_io --------------------------------------------------------------------------------

constexpr Family IoFamily(std::string_view name, std::string_view help, Unit unit = Unit::kNone) {
  return {name, help, MetricType::kCounter, unit, "backend_type,object,context"};
}
constexpr Family kIoReads =
    IoFamily("io_reads_total", "Read operations; 18+ one may span several blocks. pg_stat_io.");
constexpr Family kIoReadBytes =
    IoFamily("io_read_bytes_total", "Bytes read. pg_stat_io.", Unit::kBytes);
constexpr Family kIoReadSeconds =
    IoFamily("io_read_seconds_total",
             "Time spent reading; 0 without track_io_timing (object wal: track_wal_io_timing).",
             Unit::kSeconds);
constexpr Family kIoWrites =
    IoFamily("io_writes_total", "Write operations; 18+ one may span several blocks. pg_stat_io.");
constexpr Family kIoWriteBytes =
    IoFamily("io_write_bytes_total", "Bytes written. pg_stat_io.", Unit::kBytes);
constexpr Family kIoWriteSeconds =
    IoFamily("io_write_seconds_total",
             "Time spent writing; 0 without track_io_timing (object wal: track_wal_io_timing).",
             Unit::kSeconds);
constexpr Family kIoWritebacks = IoFamily(
    "io_writebacks_total", "Blocks whose writing to storage was asked of the kernel. pg_stat_io.");
constexpr Family kIoWritebackSeconds =
    IoFamily("io_writeback_seconds_total",
             "Time spent in writeback requests; 0 without track_io_timing.", Unit::kSeconds);
constexpr Family kIoExtends = IoFamily(
    "io_extends_total", "Relation extend operations; 18+ one may span several blocks. pg_stat_io.");
constexpr Family kIoExtendBytes = IoFamily(
    "io_extend_bytes_total", "Bytes by which relations were extended. pg_stat_io.", Unit::kBytes);
constexpr Family kIoExtendSeconds =
    IoFamily("io_extend_seconds_total",
             "Time spent extending relations; 0 without track_io_timing.", Unit::kSeconds);
constexpr Family kIoHits =
    IoFamily("io_hits_total", "Times a block was found in a shared or local buffer. pg_stat_io.");
constexpr Family kIoEvictions = IoFamily(
    "io_evictions_total", "Times a block was put out of a buffer to make room. pg_stat_io.");
constexpr Family kIoReuses = IoFamily(
    "io_reuses_total", "Times a buffer of a ring (vacuum, bulk read or write) was reused.");
constexpr Family kIoFsyncs =
    IoFamily("io_fsyncs_total", "fsync calls; by a client backend: the request queue was full.");
constexpr Family kIoFsyncSeconds =
    IoFamily("io_fsync_seconds_total",
             "Time spent in fsync; 0 without track_io_timing (object wal: track_wal_io_timing).",
             Unit::kSeconds);

using I = IoStats;
constexpr std::array<LabelColumn<I>, 3> kIoLabels{{
    {"backend_type", "backend_type", &I::backend_type},
    {"object", "object", &I::object},
    {"context", "context", &I::context},
}};

// 16 and 17 count blocks, of op_bytes each; from 18 the bytes are counted.
constexpr auto kIoFacts = std::to_array<Fact<I>>({
    {&kIoReads, "", &I::reads, {{{View::kIo, "reads"}}}},
    {&kIoReadBytes,
     "",
     &I::read_bytes,
     {{{View::kIo, "reads * op_bytes", k16To17}, {View::kIo, "read_bytes", kFrom18}}}},
    {&kIoReadSeconds, "", &I::read_seconds, {{{View::kIo, "read_time", {}, Scale::kMilliseconds}}}},
    {&kIoWrites, "", &I::writes, {{{View::kIo, "writes"}}}},
    {&kIoWriteBytes,
     "",
     &I::write_bytes,
     {{{View::kIo, "writes * op_bytes", k16To17}, {View::kIo, "write_bytes", kFrom18}}}},
    {&kIoWriteSeconds,
     "",
     &I::write_seconds,
     {{{View::kIo, "write_time", {}, Scale::kMilliseconds}}}},
    {&kIoWritebacks, "", &I::writebacks, {{{View::kIo, "writebacks"}}}},
    {&kIoWritebackSeconds,
     "",
     &I::writeback_seconds,
     {{{View::kIo, "writeback_time", {}, Scale::kMilliseconds}}}},
    {&kIoExtends, "", &I::extends, {{{View::kIo, "extends"}}}},
    {&kIoExtendBytes,
     "",
     &I::extend_bytes,
     {{{View::kIo, "extends * op_bytes", k16To17}, {View::kIo, "extend_bytes", kFrom18}}}},
    {&kIoExtendSeconds,
     "",
     &I::extend_seconds,
     {{{View::kIo, "extend_time", {}, Scale::kMilliseconds}}}},
    {&kIoHits, "", &I::hits, {{{View::kIo, "hits"}}}},
    {&kIoEvictions, "", &I::evictions, {{{View::kIo, "evictions"}}}},
    {&kIoReuses, "", &I::reuses, {{{View::kIo, "reuses"}}}},
    {&kIoFsyncs, "", &I::fsyncs, {{{View::kIo, "fsyncs"}}}},
    {&kIoFsyncSeconds,
     "",
     &I::fsync_seconds,
     {{{View::kIo, "fsync_time", {}, Scale::kMilliseconds}}}},
});
static_assert(FamiliesWellNamed(kIoFacts), "a metric of kIoFacts breaks the naming rules");
static_assert(SourcesDisjoint(kIoFacts), "a fact of kIoFacts has overlapping sources");

constexpr Relation<I> kIoRelation{View::kIo, kIoLabels, kIoFacts};

// --- pg_stat_slru ------------------------------------------------------------------------------

constexpr Family SlruFamily(std::string_view name, std::string_view help) {
  return {name, help, MetricType::kCounter, Unit::kNone, "slru"};
}
constexpr Family kSlruZeroed =
    SlruFamily("slru_blocks_zeroed_total", "SLRU blocks zeroed (13+). pg_stat_slru.");
constexpr Family kSlruHit =
    SlruFamily("slru_blocks_hit_total", "SLRU blocks found in memory (13+). pg_stat_slru.");
constexpr Family kSlruRead =
    SlruFamily("slru_blocks_read_total", "SLRU blocks read from disk (13+). pg_stat_slru.");
constexpr Family kSlruBlocksWritten =
    SlruFamily("slru_blocks_written_total", "SLRU blocks written to disk (13+). pg_stat_slru.");
constexpr Family kSlruExists = SlruFamily(
    "slru_blocks_exists_total", "SLRU blocks whose existence was checked (13+). pg_stat_slru.");
constexpr Family kSlruFlushes = SlruFamily(
    "slru_flushes_total", "Flushes of dirty SLRU blocks, as at a checkpoint (13+). pg_stat_slru.");
constexpr Family kSlruTruncates =
    SlruFamily("slru_truncates_total", "SLRU truncations (13+). pg_stat_slru.");

using L = SlruStats;
// 13 to 16 wrote the names in another way; one series per SLRU over all versions.
constexpr std::array<LabelColumn<L>, 1> kSlruLabels{{
    {"slru",
     "CASE name WHEN 'CommitTs' THEN 'commit_timestamp' WHEN 'MultiXactMember' THEN "
     "'multixact_member' WHEN 'MultiXactOffset' THEN 'multixact_offset' WHEN 'Notify' THEN "
     "'notify' WHEN 'Serial' THEN 'serializable' WHEN 'Subtrans' THEN 'subtransaction' WHEN "
     "'Xact' THEN 'transaction' ELSE name END",
     &L::slru},
}};
constexpr auto kSlruFacts = std::to_array<Fact<L>>({
    {&kSlruZeroed, "", &L::blocks_zeroed, {{{View::kSlru, "blks_zeroed", kFrom13}}}},
    {&kSlruHit, "", &L::blocks_hit, {{{View::kSlru, "blks_hit", kFrom13}}}},
    {&kSlruRead, "", &L::blocks_read, {{{View::kSlru, "blks_read", kFrom13}}}},
    {&kSlruBlocksWritten, "", &L::blocks_written, {{{View::kSlru, "blks_written", kFrom13}}}},
    {&kSlruExists, "", &L::blocks_exists, {{{View::kSlru, "blks_exists", kFrom13}}}},
    {&kSlruFlushes, "", &L::flushes, {{{View::kSlru, "flushes", kFrom13}}}},
    {&kSlruTruncates, "", &L::truncates, {{{View::kSlru, "truncates", kFrom13}}}},
});
static_assert(FamiliesWellNamed(kSlruFacts), "a metric of kSlruFacts breaks the naming rules");
static_assert(SourcesDisjoint(kSlruFacts), "a fact of kSlruFacts has overlapping sources");

constexpr Relation<L> kSlruRelation{View::kSlru, kSlruLabels, kSlruFacts};

// --- pg_replication_slots ----------------------------------------------------------------------

constexpr Family SlotFamily(std::string_view name, std::string_view help, Unit unit = Unit::kNone) {
  return {name, help, MetricType::kGauge, unit, "slot_name,slot_type"};
}
constexpr Family kSlotActive =
    SlotFamily("slot_active", "1 while something is connected to the replication slot, else 0.");
constexpr Family kSlotRetained =
    SlotFamily("slot_retained_wal_bytes",
               "WAL that the replication slot keeps: from its restart_lsn to the current position.",
               Unit::kBytes);
constexpr Family kSlotSafe = SlotFamily(
    "slot_safe_wal_bytes",
    "WAL that may still be written before the slot is in danger of being lost; absent without "
    "max_slot_wal_keep_size (13+).",
    Unit::kBytes);
constexpr Family kSlotLost =
    SlotFamily("slot_lost", "1 if WAL that the slot needs has been removed (13+), else 0.");

using R = SlotStats;
constexpr std::array<LabelColumn<R>, 2> kSlotLabels{{
    {"slot_name", "slot_name", &R::slot_name},
    {"slot_type", "slot_type", &R::slot_type},
}};
constexpr auto kSlotFacts = std::to_array<Fact<R>>({
    {&kSlotActive, "", &R::active, {{{View::kSlots, "active", {}, Scale::kBool}}}},
    {&kSlotRetained,
     "",
     &R::retained_wal_bytes,
     {{{View::kSlots,
        "pg_wal_lsn_diff(CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE "
        "pg_current_wal_lsn() END, restart_lsn)"}}}},
    {&kSlotSafe, "", &R::safe_wal_bytes, {{{View::kSlots, "safe_wal_size", kFrom13}}}},
    {&kSlotLost, "", &R::lost, {{{View::kSlots, "wal_status = 'lost'", kFrom13, Scale::kBool}}}},
});
static_assert(FamiliesWellNamed(kSlotFacts), "a metric of kSlotFacts breaks the naming rules");
static_assert(SourcesDisjoint(kSlotFacts), "a fact of kSlotFacts has overlapping sources");

constexpr Relation<R> kSlotRelation{View::kSlots, kSlotLabels, kSlotFacts};

}  // namespace

const Relation<IoStats>& IoRelation() { return kIoRelation; }
const Relation<SlruStats>& SlruRelation() { return kSlruRelation; }
const Relation<SlotStats>& SlotRelation() { return kSlotRelation; }

}  // namespace ckpt
