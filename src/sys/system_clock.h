// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/clock.h"

namespace ckpt::sys {

// The clocks of the machine. Stateless, thread-safe.
class SystemClock final : public Clock {
 public:
  UnixSeconds Wall() const override;
  MonotonicTime Monotonic() const override;
};

}  // namespace ckpt::sys
