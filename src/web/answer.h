// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/target_state.h"

namespace ckpt::web {

// All targets, in the order of their names.
using Targets = std::vector<std::shared_ptr<const TargetState>>;
// Decoded name and value of each query parameter, in the order of the request.
using Parameters = std::vector<std::pair<std::string, std::string>>;

// When a view is made, by both clocks of ours.
struct Now {
  UnixSeconds wall = 0;
  MonotonicTime monotonic{};
};

// What a view answers; the server adds what belongs to HTTP.
struct Answer {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
};

// The server's clock at `now`: that of the last pulse and the time since. Events, forecasts and the
// timeline are told by it. Before the first pulse, or where it was not told: our own clock.
UnixSeconds ServerNow(const TargetState& state, const Now& now);

}  // namespace ckpt::web
