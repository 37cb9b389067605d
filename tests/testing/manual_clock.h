// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <mutex>

#include "core/clock.h"

namespace ckpt::testing {

// A clock that moves only when told to. Thread-safe.
class ManualClock : public Clock {
 public:
  explicit ManualClock(UnixSeconds wall = 1'800'000'000.0) : wall_(wall) {}

  UnixSeconds Wall() const override {
    const std::lock_guard<std::mutex> lock(mutex_);
    return wall_;
  }
  MonotonicTime Monotonic() const override {
    const std::lock_guard<std::mutex> lock(mutex_);
    return monotonic_;
  }

  // Both clocks go on by `seconds`.
  void Advance(double seconds) {
    const std::lock_guard<std::mutex> lock(mutex_);
    wall_ += seconds;
    monotonic_ +=
        std::chrono::duration_cast<MonotonicTime::duration>(std::chrono::duration<double>(seconds));
  }
  // Only the wall clock jumps, as when an operator sets it.
  void StepWall(double seconds) {
    const std::lock_guard<std::mutex> lock(mutex_);
    wall_ += seconds;
  }

 private:
  mutable std::mutex mutex_;
  UnixSeconds wall_;
  MonotonicTime monotonic_{std::chrono::hours(1)};
};

}  // namespace ckpt::testing
