// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

namespace ckpt {

// Seconds since the Unix epoch, as PostgreSQL's extract(epoch ...) and Prometheus give them.
// A double holds today's times to a quarter of a microsecond.
using UnixSeconds = double;

// Never goes back; only differences mean anything.
using MonotonicTime = std::chrono::steady_clock::time_point;

// Both clocks of a machine, as an object so that tests own the time. Wall time is for display and
// for comparing with a server's times; intervals and deadlines use monotonic time.
// Thread-safe. The real one is sys::SystemClock, the test's is testing::ManualClock.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual UnixSeconds Wall() const = 0;
  virtual MonotonicTime Monotonic() const = 0;
};

}  // namespace ckpt
