// SPDX-License-Identifier: Apache-2.0
#include "core/pulse_times.h"

#include <cmath>

namespace ckpt {

double ClockStep(const PulseStats& before, const PulseStats& now) {
  if (!before.server_time || !now.server_time) return 0;
  const double passed = Seconds(now.taken.monotonic - before.taken.monotonic);
  const double step = (*now.server_time - *before.server_time) - passed;
  // 2 s for the moment within the answer at which either clock was read; 0.05 % is ntpd's slewing.
  const double slack =
      2.0 + before.round_trip_seconds + now.round_trip_seconds + 0.0005 * std::abs(passed);
  return std::abs(step) > slack ? step : 0;
}

}  // namespace ckpt
