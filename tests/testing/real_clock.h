// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include "core/clock.h"

namespace ckpt::testing {

// The machine's clocks, for tests that talk to real sockets. Thread-safe.
class RealClock : public Clock {
 public:
  UnixSeconds Wall() const override {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch())
        .count();
  }
  MonotonicTime Monotonic() const override { return std::chrono::steady_clock::now(); }
};

}  // namespace ckpt::testing
