// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "core/clock.h"

namespace ckpt::app {

// Whether a thread that works in steps gets on: it tells of each step's begin and end, another
// thread asks. Thread-safe; before the first step it counts as getting on.
class Progress {
 public:
  void Begin(MonotonicTime now) { Set(now); }
  // `next`: when the following step is to begin.
  void End(MonotonicTime next) { Set(next); }
  // No step is to come any more.
  void Rest() { state_ = kResting; }

  // A step has lasted longer than `longest`, or is overdue by as much.
  bool Stuck(MonotonicTime now, std::chrono::nanoseconds longest) const {
    const std::int64_t state = state_;
    if (state == kResting) return false;
    const MonotonicTime since{MonotonicTime::duration(state)};
    return now > since && now - since > longest;
  }

 private:
  static constexpr std::int64_t kResting = INT64_MIN;
  void Set(MonotonicTime time) { state_ = time.time_since_epoch().count(); }

  std::atomic<std::int64_t> state_{kResting};  // begin of the step, or when the next is due
};

}  // namespace ckpt::app
