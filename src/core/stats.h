// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/clock.h"

// Typed records of what a server reports. Each member is one fact of the tables in core/facts.h,
// which say where it comes from; here is only its type. Base units throughout: seconds, bytes,
// Unix seconds, byte positions in the WAL. Empty: this server, or this role, does not tell.
namespace ckpt {

using OptionalInt = std::optional<std::int64_t>;
using OptionalReal = std::optional<double>;
using OptionalText = std::optional<std::string>;

// When a record was taken, by both clocks of ours.
struct SampleTime {
  UnixSeconds wall = 0;
  MonotonicTime monotonic{};
};

// What one pulse reads: one statement, one row.
struct PulseStats {
  SampleTime taken;
  double round_trip_seconds = 0;  // from sending the statement to having its row

  // The server itself.
  OptionalReal server_time;  // its clock when it answered
  OptionalInt in_recovery;   // 0 or 1
  OptionalReal postmaster_start;

  // Checkpoints as the server counts them.
  OptionalInt checkpoints_timed;
  OptionalInt checkpoints_requested;
  OptionalInt checkpoints_done;
  OptionalInt restartpoints_timed;
  OptionalInt restartpoints_requested;
  OptionalInt restartpoints_done;
  OptionalReal write_seconds;
  OptionalReal sync_seconds;
  OptionalInt buffers_checkpointer;
  OptionalInt slru_written;
  OptionalReal checkpointer_stats_reset;

  // Background writer and backends.
  OptionalInt buffers_bgwriter;
  OptionalInt maxwritten_clean;
  OptionalInt buffers_allocated;
  OptionalInt buffers_backend;  // to 15; later SurveyStats::backend_writes
  OptionalInt backend_fsyncs;   // to 16; later SurveyStats::backend_fsyncs
  OptionalReal bgwriter_stats_reset;

  // WAL.
  OptionalInt wal_records;
  OptionalInt wal_fpi;
  OptionalInt wal_bytes;
  OptionalInt wal_fpi_bytes;
  OptionalInt wal_buffers_full;
  OptionalReal wal_stats_reset;
  OptionalInt insert_lsn;
  OptionalInt write_lsn;
  OptionalInt flush_lsn;
  OptionalInt receive_lsn;
  OptionalInt replay_lsn;

  // The control file: the last completed checkpoint or restartpoint.
  OptionalInt checkpoint_lsn;
  OptionalInt redo_lsn;
  OptionalReal checkpoint_time;        // its start (a standby: when the primary began it)
  OptionalReal control_last_modified;  // about its end
  OptionalInt timeline_id;

  // The checkpointer process; all empty when the role may not see it.
  OptionalInt checkpointer_pid;
  OptionalText checkpointer_wait_event_type;
  OptionalText checkpointer_wait_event;
};

// What one survey reads as a single row.
struct SurveyStats {
  SampleTime taken;

  OptionalInt archived;
  OptionalInt archive_failures;
  OptionalReal last_archived_time;
  OptionalReal last_archive_failure_time;
  OptionalReal archiver_stats_reset;
  OptionalInt archive_ready_files;

  OptionalInt commits;
  OptionalInt rollbacks;
  OptionalReal block_write_seconds;
  OptionalReal active_seconds;
  OptionalInt connections;
  OptionalReal database_stats_reset;  // the latest of all databases; from 15 empty before the first

  OptionalInt wal_directory_bytes;
  OptionalInt wal_directory_files;

  OptionalInt backend_writes;
  OptionalInt backend_extends;
  OptionalInt backend_fsyncs;
  OptionalReal io_stats_reset;

  OptionalInt wal_writes;
  OptionalInt wal_syncs;
  OptionalReal wal_write_seconds;
  OptionalReal wal_sync_seconds;
  OptionalReal slru_stats_reset;
  OptionalReal log_zone_offset;  // of log_timezone now, seconds east of UTC

  // pg_stat_statements, where it is asked for; without its texts.
  OptionalInt statement_calls;
  OptionalReal statement_seconds;

  // The rest of the control file.
  OptionalInt control_full_page_writes;
  OptionalInt previous_timeline_id;
  OptionalInt next_xid;  // with its epoch
  OptionalInt next_oid;
  OptionalInt next_multixact_id;
  OptionalInt next_multixact_offset;
  OptionalInt oldest_xid;
  OptionalInt oldest_xid_database_oid;
  OptionalInt oldest_active_xid;
  OptionalInt oldest_multixact_id;
  OptionalInt oldest_multixact_database_oid;
  OptionalInt oldest_commit_timestamp_xid;
  OptionalInt newest_commit_timestamp_xid;
  OptionalInt control_version;
  OptionalInt catalog_version;
};

// One row of pg_stat_io (16+).
struct IoStats {
  std::string backend_type;
  std::string object;
  std::string context;
  OptionalInt reads;
  OptionalInt read_bytes;
  OptionalReal read_seconds;
  OptionalInt writes;
  OptionalInt write_bytes;
  OptionalReal write_seconds;
  OptionalInt writebacks;
  OptionalReal writeback_seconds;
  OptionalInt extends;
  OptionalInt extend_bytes;
  OptionalReal extend_seconds;
  OptionalInt hits;
  OptionalInt evictions;
  OptionalInt reuses;
  OptionalInt fsyncs;
  OptionalReal fsync_seconds;
};

// One row of pg_stat_slru (13+), under the names that 17 gave them.
struct SlruStats {
  std::string slru;
  OptionalInt blocks_zeroed;
  OptionalInt blocks_hit;
  OptionalInt blocks_read;
  OptionalInt blocks_written;
  OptionalInt blocks_exists;
  OptionalInt flushes;
  OptionalInt truncates;
};

// One row of pg_replication_slots.
struct SlotStats {
  std::string slot_name;
  std::string slot_type;
  OptionalInt active;
  OptionalInt retained_wal_bytes;
  OptionalInt safe_wal_bytes;
  OptionalInt lost;
};

}  // namespace ckpt
