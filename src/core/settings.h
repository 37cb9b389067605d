// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/family.h"
#include "core/server_version.h"
#include "core/stats.h"

namespace ckpt {

// The settings of a server that bear on checkpoints, in base units. Empty: this version has no
// such setting, or this role may not see it. A size or time of -1 stays -1: the server's "no limit"
// or "choose by itself". Source: pg_settings.
struct Settings {
  OptionalReal max_wal_size, min_wal_size, wal_segment_size, wal_keep_size;
  OptionalReal max_slot_wal_keep_size, shared_buffers, wal_buffers, block_size;
  OptionalReal checkpoint_flush_after, bgwriter_flush_after, backend_flush_after;
  OptionalReal wal_writer_flush_after, wal_decode_buffer_size;
  OptionalReal checkpoint_timeout, checkpoint_warning, bgwriter_delay, archive_timeout;
  OptionalReal wal_writer_delay, recovery_min_apply_delay, log_startup_progress_interval;
  OptionalReal idle_replication_slot_timeout;
  OptionalReal checkpoint_completion_target, bgwriter_lru_maxpages, bgwriter_lru_multiplier;
  OptionalReal effective_io_concurrency, maintenance_io_concurrency, max_connections;
  OptionalReal full_page_writes, fsync, track_io_timing, track_wal_io_timing, log_checkpoints;
  OptionalReal logging_collector, wal_recycle, wal_init_zero, summarize_wal, data_checksums;
  OptionalReal wal_log_hints;
  OptionalText wal_compression, wal_level, synchronous_commit, archive_mode, wal_sync_method;
  OptionalText io_method, recovery_prefetch;
  // For finding and reading the server log; not exposed.
  OptionalText data_directory, log_destination, log_directory, log_filename, log_line_prefix;
  OptionalText log_timezone, log_min_messages, lc_messages;

  // Settings of the table whose file value waits for a restart (pg_settings.pending_restart).
  std::vector<std::string_view> pending_restart;
};

enum class SettingKind : std::uint8_t {
  kNumber,
  kBytes,
  kSeconds,
  kSegments,  // a number of WAL segments, to bytes
  kBool,      // to 0 or 1
  kEnum,      // an info metric with the label `value`
  kText,      // read for our own use, not exposed
};

using SettingField = std::variant<OptionalReal Settings::*, OptionalText Settings::*>;

struct Setting {
  std::string_view name;  // in pg_settings
  SettingKind kind = SettingKind::kNumber;
  SettingField field;
  const Family* family = &kNotExposed;  // never null
  VersionRange versions{};
};

// TABLE: one row a setting; the names that one family has had in different versions share it.
std::span<const Setting> SettingsTable();

// One row of pg_settings as text.
struct SettingRow {
  std::string_view name;
  std::string_view setting;
  std::string_view unit;  // "8kB", "MB", "ms", "min", ...; empty for none
  bool pending_restart = false;
};

// The factor from `unit` to base units (bytes or seconds): 8192 for "8kB", 0.001 for "ms", 1 for
// an empty one. Any multiplier is read ("16kB", "64MB"). Empty: not a unit we know.
std::optional<double> UnitFactor(std::string_view unit);

// Takes rows in any order. Rows that the table does not have are passed over. `*rejected` counts
// values that could not be understood; their members stay empty.
Settings ReadSettings(std::span<const SettingRow> rows, int* rejected);

}  // namespace ckpt
