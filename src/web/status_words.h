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

// "Last checkpoint 42 s ago, forced by WAL volume, took 3.1 s." Empty: none is known.
std::string LastCheckpointWords(const TargetState& state, const Now& now);

// "Next: forced in about 3 min at 12 MB/s; timer in 4:10." Empty: nothing is known.
std::string ForecastWords(const TargetState& state, const Now& now);

// "83 %"; "of 4 min so far" while the window is not full, else "of the last hour".
std::string WindowWords(const WindowRatios& window);

}  // namespace ckpt::web
