// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>

#include "core/clock.h"

namespace ckpt {

// A moment that is known only to lie between two others. Both ends included, from <= to.
struct TimeRange {
  UnixSeconds from = 0;
  UnixSeconds to = 0;

  UnixSeconds Middle() const { return from + (to - from) / 2; }
};

// The moments that both allow; empty when there are none.
inline std::optional<TimeRange> Intersect(const TimeRange& a, const TimeRange& b) {
  const TimeRange both{std::max(a.from, b.from), std::min(a.to, b.to)};
  if (both.from > both.to) return std::nullopt;
  return both;
}

struct EventTimes {
  UnixSeconds start = 0;
  UnixSeconds end = 0;
  double total_seconds = 0;
};

// The most central start and end that the ranges allow. `work_seconds`, when known, is what the
// server itself measured of the inside (write + sync); the total is then the allowed one closest
// to it. Ranges that contradict each other (the server's clock was set back) keep the end and the
// work. Never end < start, and total_seconds == end - start.
EventTimes SolveTimes(const TimeRange& start, const TimeRange& end,
                      std::optional<double> work_seconds);

}  // namespace ckpt
