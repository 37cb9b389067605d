// SPDX-License-Identifier: Apache-2.0
#include "core/event_times.h"

namespace ckpt {

EventTimes SolveTimes(const TimeRange& start, const TimeRange& end,
                      std::optional<double> work_seconds) {
  const double shortest = std::max(0.0, end.from - start.to);
  const double longest = end.to - start.from;
  if (longest < 0) {
    const double total = std::max(0.0, work_seconds.value_or(0));
    return {end.Middle() - total, end.Middle(), total};
  }
  const double total =
      std::clamp(work_seconds.value_or(end.Middle() - start.Middle()), shortest, longest);
  const TimeRange starts{std::max(start.from, end.from - total),
                         std::min(start.to, end.to - total)};
  const UnixSeconds at = starts.Middle();
  return {at, at + total, total};
}

}  // namespace ckpt
