// SPDX-License-Identifier: Apache-2.0
#include "sys/system_clock.h"

namespace ckpt::sys {

UnixSeconds SystemClock::Wall() const {
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(since_epoch).count();
}

MonotonicTime SystemClock::Monotonic() const { return std::chrono::steady_clock::now(); }

}  // namespace ckpt::sys
