// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include "core/checkpoint_event.h"
#include "core/stats.h"

namespace ckpt {

// When a pulse was answered, by the server's clock; by ours where the server did not tell.
inline UnixSeconds ServerTime(const PulseStats& pulse) {
  return pulse.server_time.value_or(pulse.taken.wall);
}

inline double Seconds(MonotonicTime::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

inline bool InRecovery(const PulseStats& pulse) { return pulse.in_recovery.value_or(0) != 0; }

// What the server runs: restartpoints in recovery, else checkpoints.
inline EventKind KindNow(const PulseStats& pulse) {
  return InRecovery(pulse) ? EventKind::kRestartpoint : EventKind::kCheckpoint;
}

// How many seconds the server's clock was set forward (back: negative) between two pulses, beyond
// what slow answers and slewing explain; 0 when it kept its pace.
double ClockStep(const PulseStats& before, const PulseStats& now);

}  // namespace ckpt
