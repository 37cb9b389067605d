// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>

#include "core/clock.h"
#include "core/stats.h"

namespace ckpt {

// How fast the WAL grows, from positions that may jump (a segment switch) or stand still.
// The rate is the mean over the last minute in which no pulse counts for more than the 95th
// percentile of them, so that one burst or one switch does not carry it; while that minute saw
// nothing, the mean over the last ten minutes, in slots of 15 s capped alike.
// Threading: one thread at a time. About 5 kB.
class WalRate {
 public:
  static constexpr std::chrono::seconds kShort{60};
  static constexpr std::chrono::seconds kLong{600};

  // A position in bytes. One that goes back, or a silence longer than kLong, begins anew.
  void Add(std::int64_t position, MonotonicTime now);
  void Reset();

  // Bytes/s. Empty before two positions; 0 when nothing was written for ten minutes.
  OptionalReal BytesPerSecond() const;

 private:
  struct Step {
    MonotonicTime end{};
    float seconds = 0;
    float bytes = 0;
  };
  static double CappedRate(const std::deque<Step>& steps);

  OptionalInt last_position_;
  MonotonicTime last_time_{};
  std::deque<Step> recent_;  // one a pulse, the last kShort
  std::deque<Step> slots_;   // of kSlot, the last kLong
};

}  // namespace ckpt
