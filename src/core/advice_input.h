// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/checkpoint_event.h"
#include "core/event_ledger.h"
#include "core/server_identity.h"
#include "core/settings.h"
#include "core/wal_sizing.h"
#include "core/window.h"

namespace ckpt {

struct TargetState;

// Where the facts of an AdviceInput come from.
enum class AdviceBasis : std::uint8_t {
  kObserved,    // events and windows of the recent past
  kSinceReset,  // the server's counters since their reset: why a checkpoint ran is inferred
  kLog,         // a finished server log
};
constexpr std::string_view AdviceBasisName(AdviceBasis basis) {
  switch (basis) {
    case AdviceBasis::kObserved: return "observed";
    case AdviceBasis::kSinceReset: return "since_reset";
    case AdviceBasis::kLog: return "log";
  }
  return "observed";
}

// Completed checkpoints over some time, without those of restarts.
struct CheckpointFacts {
  double span_seconds = 0;  // that they cover
  std::array<int, kReasons.size()> by_reason{};
  int failed = 0;
  int told_by_log = 0;  // of them, those whose reason the server log told
  // From the start of the last WAL-forced and of the last requested one to now. Empty: none seen,
  // or, since a reset, not known.
  OptionalReal since_forced;
  OptionalReal since_requested;
  OptionalReal since_failed;

  OptionalReal mean_interval;    // start to start, never across a restart
  OptionalReal shortest_forced;  // the shortest interval that WAL ended
  // WAL per second between checkpoints: the mean, and what is exceeded in 5 % of the time.
  OptionalReal wal_rate_mean;
  OptionalReal wal_rate_p95;

  OptionalReal mean_buffers_written;
  OptionalReal mean_sync_seconds;
  OptionalReal longest_sync_seconds;  // of one file
  OptionalReal longest_sync_phase;
  int slow_syncs = 0;  // checkpoints with kSlowSyncPhase or kSlowSyncFile

  int Of(Reason reason) const { return by_reason[static_cast<std::size_t>(reason)]; }
  int Total() const { return Of(Reason::kWal) + Of(Reason::kTime) + Of(Reason::kRequest); }
  // Enough to judge: four, or an hour.
  bool Enough() const { return Total() >= kFewest || span_seconds >= kLongEnough; }

  static constexpr int kFewest = 4;
  static constexpr double kLongEnough = 3600;
  static constexpr double kSlowSyncPhase = 10;  // seconds
  static constexpr double kSlowSyncFile = 5;
};

// Who wrote pages over `span_seconds`. Empty: not known.
struct WriterFacts {
  OptionalReal span_seconds;
  OptionalReal checkpointer, bgwriter, backend;  // pages
  OptionalReal maxwritten_clean;                 // bgwriter rounds that were cut short
  OptionalReal backend_fsyncs;

  // Of the last five minutes, where such a window is kept: the share of backends, and cut rounds.
  OptionalReal recent_backend_share;
  OptionalReal recent_maxwritten_clean;
  // 16+: of what backends wrote since the reset of pg_stat_io, the share outside the rings of
  // vacuum and of bulk reads and writes, where writing by the backend itself is meant to be.
  OptionalReal normal_share;

  // Backends' share of all pages written, 0..1.
  OptionalReal BackendShare() const;
};

// A replication slot that keeps WAL.
struct HoldingSlot {
  std::string name;
  double retained_bytes = 0;
  bool active = false;
};

// Everything that advice looks at: windowed facts, never across a reset or a restart. Base units;
// empty: not told. A plain value.
struct AdviceInput {
  ServerIdentity server;
  bool standby = false;
  AdviceBasis basis = AdviceBasis::kObserved;
  Settings settings;
  AdviceLimits limits;

  CheckpointFacts checkpoints;
  WriterFacts writers;
  OptionalReal fpi_ratio;  // of the WAL of the window
  OptionalReal wal_bytes;  // in the window

  OptionalReal wal_directory_bytes;
  std::vector<HoldingSlot> slots;  // most retained first
  OptionalReal archive_failures;   // in the window
  bool archive_failing = false;    // the last attempt failed
  OptionalReal archive_ready_files;

  OptionalReal recovery_wal_bytes;     // what recovery would have to replay now
  OptionalReal redo_bytes_per_second;  // seen in crash recoveries

  // The inputs of SizeWal; empty where the WAL rate or a setting is not known.
  std::optional<WalSizingInput> Sizing() const;
};

// Folds events of one server, oldest first, as of `now` (server clock). Those that began before
// `since` are left out, restarts part what stands before from what comes after, and restartpoints
// are taken where `kind` says so.
CheckpointFacts FoldEvents(const std::vector<CheckpointEvent>& events, EventKind kind,
                           UnixSeconds since, UnixSeconds now);

// The recent past of a target: events and windows of up to an hour, or eight checkpoint_timeouts.
// REQUIRES: state has a server, a pulse and a survey; `window` holds that pulse.
AdviceInput ObservedInput(const TargetState& state, const Window& window);

// What the server's counters tell by themselves, since their last reset. Same requirement, but no
// window. Counters do not tell why a checkpoint was requested: as many requested ones count as
// WAL-forced as the WAL written can have forced at the most, the others as somebody's.
AdviceInput SinceResetInput(const TargetState& state);

}  // namespace ckpt
