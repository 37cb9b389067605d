// SPDX-License-Identifier: Apache-2.0
#include "web/answer.h"

namespace ckpt::web {

UnixSeconds ServerNow(const TargetState& state, const Now& now) {
  if (!state.pulse || !state.pulse->server_time) return now.wall;
  return *state.pulse->server_time +
         std::chrono::duration<double>(now.monotonic - state.pulse->taken.monotonic).count();
}

}  // namespace ckpt::web
