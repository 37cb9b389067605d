// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/checkpoint_event.h"
#include "core/log_source.h"
#include "core/recovery_event.h"

namespace ckpt {

// How reading a target's log goes: totals since it was begun.
struct LogHealth {
  LogSourceCounters source;
  std::uint64_t lines_read = 0;
  std::uint64_t lines_matched = 0;
  std::uint64_t lines_not_understood = 0;
  std::uint64_t lines_rejected = 0;
  std::uint64_t lines_malformed = 0;
  std::uint64_t lines_too_long = 0;
  std::optional<UnixSeconds> last_match_time;  // by the server's clock
  bool reading = false;                        // the last attempt to read succeeded
};

// A checkpoint that the log has seen begin and not end.
struct LoggedStart {
  EventKind kind = EventKind::kCheckpoint;
  Reason reason = Reason::kRequest;
  std::optional<UnixSeconds> start;
};

// What a log has told since it was last asked.
struct LogNews {
  std::vector<CheckpointEvent> checkpoints;
  std::vector<RecoveryEvent> recoveries;
  std::uint64_t too_frequent_warnings = 0;  // new ones
  std::optional<LoggedStart> in_progress;   // as of now
  LogHealth health;                         // as of now
};

}  // namespace ckpt
