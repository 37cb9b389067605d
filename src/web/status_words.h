// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "web/answer.h"

// What a target does, in plain words. Texts are not escaped.
namespace ckpt::web {

// How much attention a target needs; the fleet is sorted by it.
enum class Trouble { kDown, kWaiting, kFailed, kRunning, kNone };

struct Status {
  Trouble trouble = Trouble::kNone;
  std::string_view mark;  // for style: "down", "waiting", "failed", "running", "idle", "unknown"
  std::string text;       // "Checkpoint running: writing buffers"
};
Status StatusOf(const TargetState& state, const Now& now);

// "forced by WAL volume", "by the timer", "on request", "at a restart".
std::string_view ReasonWords(Reason reason);

// "Last answer 34 s ago." Empty while the target is up, and before its first answer.
std::string SilenceWords(const TargetState& state, const Now& now);

// "Last checkpoint ended 42 s ago, forced by WAL volume, took 3.1 s." Empty: none is known.
std::string LastCheckpointWords(const TargetState& state, const Now& now);

// "Next: forced in about 3 min at 12 MB/s; timer in 4:10." Empty: nothing is known.
std::string ForecastWords(const TargetState& state, const Now& now);

// What a ratio is of: "of the last hour", or less while the window is not full. Empty: nothing.
std::string WindowWords(const WindowRatios& window);

}  // namespace ckpt::web
