// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "core/settings.h"

namespace ckpt {
namespace {

constexpr int kNewest = VersionRange::kNewest;

constexpr Family Gauge(std::string_view name, std::string_view help, Unit unit = Unit::kNone) {
  return {name, help, MetricType::kGauge, unit};
}
constexpr Family Info(std::string_view name, std::string_view help) {
  return {name, help, MetricType::kInfo, Unit::kNone, "value"};
}

constexpr Family kMaxWalSize =
    Gauge("max_wal_size_bytes",
          "Setting max_wal_size. Soft limit of WAL between checkpoints. A checkpoint is forced "
          "well before it, see forced_trigger_bytes.",
          Unit::kBytes);
constexpr Family kMinWalSize =
    Gauge("min_wal_size_bytes",
          "Setting min_wal_size. WAL below this size is recycled, not removed.", Unit::kBytes);
constexpr Family kWalSegmentSize = Gauge(
    "wal_segment_size_bytes", "Setting wal_segment_size. Size of a WAL segment.", Unit::kBytes);
constexpr Family kSharedBuffers =
    Gauge("shared_buffers_bytes", "Setting shared_buffers. Size of the buffer pool.", Unit::kBytes);
constexpr Family kWalBuffers = Gauge(
    "wal_buffers_bytes", "Setting wal_buffers. Size of the WAL buffers in effect.", Unit::kBytes);
constexpr Family kBlockSize =
    Gauge("block_size_bytes", "Setting block_size. Size of a disk block.", Unit::kBytes);
constexpr Family kCheckpointFlushAfter =
    Gauge("checkpoint_flush_after_bytes",
          "Setting checkpoint_flush_after. Bytes after which a checkpoint asks the kernel to write "
          "them out; 0 is off.",
          Unit::kBytes);
constexpr Family kBgwriterFlushAfter =
    Gauge("bgwriter_flush_after_bytes",
          "Setting bgwriter_flush_after. Bytes after which the background writer asks the kernel "
          "to write them out; 0 is off.",
          Unit::kBytes);
constexpr Family kBackendFlushAfter = Gauge("backend_flush_after_bytes",
                                            "Setting backend_flush_after. Bytes after which a "
                                            "backend asks the kernel to write them out; 0 is off.",
                                            Unit::kBytes);
constexpr Family kWalWriterFlushAfter =
    Gauge("wal_writer_flush_after_bytes",
          "Setting wal_writer_flush_after. Bytes of WAL after which the WAL writer flushes.",
          Unit::kBytes);
constexpr Family kMaxSlotWalKeepSize =
    Gauge("max_slot_wal_keep_size_bytes",
          "Setting max_slot_wal_keep_size. Most WAL that replication slots may keep; -1 is without "
          "limit (13+).",
          Unit::kBytes);
constexpr Family kWalDecodeBufferSize = Gauge(
    "wal_decode_buffer_size_bytes",
    "Setting wal_decode_buffer_size. Buffer for reading ahead in the WAL during recovery (15+).",
    Unit::kBytes);
constexpr Family kWalKeepSize = Gauge("wal_keep_size_bytes",
                                      "Setting wal_keep_size, to 12 wal_keep_segments in bytes. "
                                      "WAL kept for standbys without a slot.",
                                      Unit::kBytes);
constexpr Family kCheckpointTimeout =
    Gauge("checkpoint_timeout_seconds",
          "Setting checkpoint_timeout. Longest time between the starts of two checkpoints.",
          Unit::kSeconds);
constexpr Family kCheckpointWarning =
    Gauge("checkpoint_warning_seconds",
          "Setting checkpoint_warning. The server warns when forced checkpoints are closer "
          "together than this; 0 is off.",
          Unit::kSeconds);
constexpr Family kBgwriterDelay =
    Gauge("bgwriter_delay_seconds",
          "Setting bgwriter_delay. Pause between rounds of the background writer.", Unit::kSeconds);
constexpr Family kArchiveTimeout = Gauge("archive_timeout_seconds",
                                         "Setting archive_timeout. A new WAL file is begun after "
                                         "this time if there was activity; 0 is off.",
                                         Unit::kSeconds);
constexpr Family kWalWriterDelay =
    Gauge("wal_writer_delay_seconds",
          "Setting wal_writer_delay. Pause between flushes by the WAL writer.", Unit::kSeconds);
constexpr Family kRecoveryMinApplyDelay =
    Gauge("recovery_min_apply_delay_seconds",
          "Setting recovery_min_apply_delay. Delay with which a standby applies changes (12+).",
          Unit::kSeconds);
constexpr Family kLogStartupProgressInterval = Gauge(
    "log_startup_progress_interval_seconds",
    "Setting log_startup_progress_interval. Interval of progress messages during startup (15+).",
    Unit::kSeconds);
constexpr Family kIdleReplicationSlotTimeout =
    Gauge("idle_replication_slot_timeout_seconds",
          "Setting idle_replication_slot_timeout. Replication slots idle for longer are "
          "invalidated; 0 is off (18+).",
          Unit::kSeconds);
constexpr Family kCheckpointCompletionTarget =
    Gauge("checkpoint_completion_target_ratio",
          "Setting checkpoint_completion_target. Share of the time between checkpoints over which "
          "writes are spread.",
          Unit::kRatio);
constexpr Family kBgwriterLruMaxpages =
    Gauge("bgwriter_lru_maxpages",
          "Setting bgwriter_lru_maxpages. Most buffers that the background writer writes in a "
          "round; 0 switches it off.");
constexpr Family kBgwriterLruMultiplier =
    Gauge("bgwriter_lru_multiplier",
          "Setting bgwriter_lru_multiplier. Multiple of the recent need of buffers that the "
          "background writer prepares.");
constexpr Family kEffectiveIoConcurrency =
    Gauge("effective_io_concurrency",
          "Setting effective_io_concurrency. Concurrent I/O operations that a session may start.");
constexpr Family kMaintenanceIoConcurrency =
    Gauge("maintenance_io_concurrency",
          "Setting maintenance_io_concurrency. Concurrent I/O operations of maintenance work and "
          "recovery (13+).");
constexpr Family kMaxConnections =
    Gauge("max_connections", "Setting max_connections. Most concurrent connections.");
constexpr Family kFullPageWrites = Gauge(
    "full_page_writes",
    "Setting full_page_writes. 1 if full page images are written after each checkpoint, else 0.");
constexpr Family kFsync = Gauge(
    "fsync", "Setting fsync. 1 if the server makes sure that updates reach the disk, else 0.");
constexpr Family kTrackIoTiming =
    Gauge("track_io_timing",
          "Setting track_io_timing. 1 if the server measures the time of block I/O, else 0.");
constexpr Family kTrackWalIoTiming = Gauge(
    "track_wal_io_timing",
    "Setting track_wal_io_timing. 1 if the server measures the time of WAL I/O, else 0 (14+).");
constexpr Family kLogCheckpoints =
    Gauge("log_checkpoints", "Setting log_checkpoints. 1 if the server logs checkpoints, else 0.");
constexpr Family kLoggingCollector =
    Gauge("logging_collector",
          "Setting logging_collector. 1 if the server collects its log into files, else 0.");
constexpr Family kWalRecycle = Gauge(
    "wal_recycle", "Setting wal_recycle. 1 if WAL files are recycled by renaming, else 0 (12+).");
constexpr Family kWalInitZero =
    Gauge("wal_init_zero",
          "Setting wal_init_zero. 1 if new WAL files are filled with zeros, else 0 (12+).");
constexpr Family kSummarizeWal = Gauge(
    "summarize_wal",
    "Setting summarize_wal. 1 if the server summarises WAL for incremental backups, else 0 (17+).");
constexpr Family kDataChecksums =
    Gauge("data_checksums", "Setting data_checksums. 1 if data pages have checksums, else 0.");
constexpr Family kWalLogHints = Gauge(
    "wal_log_hints",
    "Setting wal_log_hints. 1 if full page images are written for hint bit updates too, else 0.");
constexpr Family kWalCompression =
    Info("wal_compression_info",
         "Setting wal_compression. How full page images in the WAL are compressed.");
constexpr Family kWalLevel =
    Info("wal_level_info", "Setting wal_level. How much information the WAL holds.");
constexpr Family kSynchronousCommit = Info(
    "synchronous_commit_info", "Setting synchronous_commit. Default of what a commit waits for.");
constexpr Family kArchiveMode =
    Info("archive_mode_info", "Setting archive_mode. Whether WAL files are archived.");
constexpr Family kWalSyncMethod =
    Info("wal_sync_method_info", "Setting wal_sync_method. How WAL is forced to disk.");
constexpr Family kIoMethod =
    Info("io_method_info", "Setting io_method. How asynchronous I/O is done (18+).");
constexpr Family kRecoveryPrefetch =
    Info("recovery_prefetch_info",
         "Setting recovery_prefetch. Whether recovery prefetches blocks (15+).");

using S = Settings;
using K = SettingKind;
constexpr auto kSettings = std::to_array<Setting>({
    {"max_wal_size", K::kBytes, &S::max_wal_size, &kMaxWalSize},
    {"min_wal_size", K::kBytes, &S::min_wal_size, &kMinWalSize},
    {"wal_segment_size", K::kBytes, &S::wal_segment_size, &kWalSegmentSize},
    {"shared_buffers", K::kBytes, &S::shared_buffers, &kSharedBuffers},
    {"wal_buffers", K::kBytes, &S::wal_buffers, &kWalBuffers},
    {"block_size", K::kBytes, &S::block_size, &kBlockSize},
    {"checkpoint_flush_after", K::kBytes, &S::checkpoint_flush_after, &kCheckpointFlushAfter},
    {"bgwriter_flush_after", K::kBytes, &S::bgwriter_flush_after, &kBgwriterFlushAfter},
    {"backend_flush_after", K::kBytes, &S::backend_flush_after, &kBackendFlushAfter},
    {"wal_writer_flush_after", K::kBytes, &S::wal_writer_flush_after, &kWalWriterFlushAfter},
    {"max_slot_wal_keep_size",
     K::kBytes,
     &S::max_slot_wal_keep_size,
     &kMaxSlotWalKeepSize,
     {13, kNewest}},
    {"wal_decode_buffer_size",
     K::kBytes,
     &S::wal_decode_buffer_size,
     &kWalDecodeBufferSize,
     {15, kNewest}},
    {"wal_keep_segments", K::kSegments, &S::wal_keep_size, &kWalKeepSize, {10, 12}},
    {"wal_keep_size", K::kBytes, &S::wal_keep_size, &kWalKeepSize, {13, kNewest}},
    {"checkpoint_timeout", K::kSeconds, &S::checkpoint_timeout, &kCheckpointTimeout},
    {"checkpoint_warning", K::kSeconds, &S::checkpoint_warning, &kCheckpointWarning},
    {"bgwriter_delay", K::kSeconds, &S::bgwriter_delay, &kBgwriterDelay},
    {"archive_timeout", K::kSeconds, &S::archive_timeout, &kArchiveTimeout},
    {"wal_writer_delay", K::kSeconds, &S::wal_writer_delay, &kWalWriterDelay},
    {"recovery_min_apply_delay",
     K::kSeconds,
     &S::recovery_min_apply_delay,
     &kRecoveryMinApplyDelay,
     {12, kNewest}},
    {"log_startup_progress_interval",
     K::kSeconds,
     &S::log_startup_progress_interval,
     &kLogStartupProgressInterval,
     {15, kNewest}},
    {"idle_replication_slot_timeout",
     K::kSeconds,
     &S::idle_replication_slot_timeout,
     &kIdleReplicationSlotTimeout,
     {18, kNewest}},
    {"checkpoint_completion_target", K::kNumber, &S::checkpoint_completion_target,
     &kCheckpointCompletionTarget},
    {"bgwriter_lru_maxpages", K::kNumber, &S::bgwriter_lru_maxpages, &kBgwriterLruMaxpages},
    {"bgwriter_lru_multiplier", K::kNumber, &S::bgwriter_lru_multiplier, &kBgwriterLruMultiplier},
    {"effective_io_concurrency", K::kNumber, &S::effective_io_concurrency,
     &kEffectiveIoConcurrency},
    {"maintenance_io_concurrency",
     K::kNumber,
     &S::maintenance_io_concurrency,
     &kMaintenanceIoConcurrency,
     {13, kNewest}},
    {"max_connections", K::kNumber, &S::max_connections, &kMaxConnections},
    {"full_page_writes", K::kBool, &S::full_page_writes, &kFullPageWrites},
    {"fsync", K::kBool, &S::fsync, &kFsync},
    {"track_io_timing", K::kBool, &S::track_io_timing, &kTrackIoTiming},
    {"track_wal_io_timing", K::kBool, &S::track_wal_io_timing, &kTrackWalIoTiming, {14, kNewest}},
    {"log_checkpoints", K::kBool, &S::log_checkpoints, &kLogCheckpoints},
    {"logging_collector", K::kBool, &S::logging_collector, &kLoggingCollector},
    {"wal_recycle", K::kBool, &S::wal_recycle, &kWalRecycle, {12, kNewest}},
    {"wal_init_zero", K::kBool, &S::wal_init_zero, &kWalInitZero, {12, kNewest}},
    {"summarize_wal", K::kBool, &S::summarize_wal, &kSummarizeWal, {17, kNewest}},
    {"data_checksums", K::kBool, &S::data_checksums, &kDataChecksums},
    {"wal_log_hints", K::kBool, &S::wal_log_hints, &kWalLogHints},
    {"wal_compression", K::kEnum, &S::wal_compression, &kWalCompression},
    {"wal_level", K::kEnum, &S::wal_level, &kWalLevel},
    {"synchronous_commit", K::kEnum, &S::synchronous_commit, &kSynchronousCommit},
    {"archive_mode", K::kEnum, &S::archive_mode, &kArchiveMode},
    {"wal_sync_method", K::kEnum, &S::wal_sync_method, &kWalSyncMethod},
    {"io_method", K::kEnum, &S::io_method, &kIoMethod, {18, kNewest}},
    {"recovery_prefetch", K::kEnum, &S::recovery_prefetch, &kRecoveryPrefetch, {15, kNewest}},
    {"data_directory", K::kText, &S::data_directory},
    {"log_destination", K::kText, &S::log_destination},
    {"log_directory", K::kText, &S::log_directory},
    {"log_filename", K::kText, &S::log_filename},
    {"log_line_prefix", K::kText, &S::log_line_prefix},
    {"log_timezone", K::kText, &S::log_timezone},
    {"log_min_messages", K::kText, &S::log_min_messages},
    {"lc_messages", K::kText, &S::lc_messages},
});

constexpr bool AllWellNamed() {
  for (const Setting& setting : kSettings) {
    if (IsExposed(*setting.family) == (setting.kind == K::kText)) return false;
    if (IsExposed(*setting.family) && !WellNamed(*setting.family)) return false;
  }
  return true;
}
static_assert(AllWellNamed(), "a setting's metric breaks the naming rules");

}  // namespace

std::span<const Setting> SettingsTable() { return kSettings; }

}  // namespace ckpt
