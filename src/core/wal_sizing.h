// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "core/stats.h"

namespace ckpt {

// What an operator has set as bounds for advice. Empty: none.
struct AdviceLimits {
  OptionalReal recovery_time_objective;  // seconds: the longest crash recovery that is accepted
  OptionalReal wal_disk_bytes;           // size of the file system that holds pg_wal
};

// What a size of max_wal_size follows from. Bytes, seconds, ratios.
struct WalSizingInput {
  double wal_bytes_per_second = 0;  // to be borne between checkpoints
  double checkpoint_timeout = 300;
  double completion_target = 0.9;
  double segment_bytes = 16.0 * 1024 * 1024;
  double max_wal_size = 1024.0 * 1024 * 1024;  // in force
  int major_version = 18;
  OptionalReal fpi_ratio;              // share of the WAL that is full page images, now
  OptionalReal mean_interval;          // between checkpoint starts, now
  OptionalReal redo_bytes_per_second;  // seen in a crash recovery
  OptionalReal at_least;               // bytes, before the limits
  AdviceLimits limits;
};

enum class WalSizeLimit : std::uint8_t { kNone, kDisk, kRecovery };

// A size of max_wal_size and what it means.
struct WalSizing {
  double need_bytes = 0;         // with which the timer, not WAL volume, runs checkpoints
  double recommended_bytes = 0;  // need_bytes rounded up to a sane step, within the limits
  WalSizeLimit limited_by = WalSizeLimit::kNone;
  double forced_interval = 0;  // seconds between WAL-forced checkpoints at the recommended size

  // What it costs. Replay in the worst case: a crash just before a checkpoint ends has to begin at
  // the redo point before it, that is with the WAL of (1 + completion_target) intervals.
  double replay_bytes = 0;
  double replay_seconds = 0;
  bool redo_observed = false;  // else the WAL rate stands in for the speed of redo

  // WAL that longer intervals save, as shares of all WAL: what the model expects, and the most
  // that it could be (a hot set of pages that each interval dirties anew). 0 where not known.
  double wal_saved_ratio = 0;
  double wal_saved_most = 0;
};

// The model. A forced checkpoint begins when WAL since redo reaches max_wal_size / (1 + target)
// (10: 2 + target), in whole segments; see ForcedTrigger. So that checkpoint_timeout comes first,
// WAL of one timeout must fit below that. Full page images fall as intervals grow; how much
// depends on how often the same pages are written: from not at all (each page once) to in
// proportion (the same pages in every interval). We take the square root of the ratio of the
// intervals, which lies between.
//
// Not above 60 % of the WAL's disk, nor above what redo replays within the objective for recovery:
// the most that can have to be replayed is max_wal_size. A limit that is smaller than four segments
// cannot be met and gives four segments. Monotonic in the WAL rate. Never below need_bytes but
// where a limit holds it.
WalSizing SizeWal(const WalSizingInput& input);

// The share of full page images that is expected to be saved where intervals grow from `now` to
// `then`, by the model above: 0..1. 0 where they do not grow.
double FpiSaved(double now, double then);

// The step that sizes are rounded to: an eighth to a quarter of the size, in whole segments.
double WalSizeStep(double bytes, double segment_bytes);

// WAL to replay after a crash at the worst moment with these settings: the least of max_wal_size
// and what is written in (1 + completion_target) timeouts. Bytes.
double WorstReplayBytes(double max_wal_size, const WalSizingInput& input);

}  // namespace ckpt
