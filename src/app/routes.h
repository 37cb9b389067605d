// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/state_store.h"
#include "core/clock.h"
#include "http/server.h"
#include "metrics/process_state.h"

namespace ckpt::app {

// What the routes answer from. Everything outlives the server.
struct RouteContext {
  const StateStore* store = nullptr;
  const Clock* clock = nullptr;
  std::function<metrics::ProcessState()> process_state;  // called on the server's thread
  std::string telemetry_path = "/metrics";
};

// TABLE: every path that the exporter answers. Handlers only format published state; none waits
// for PostgreSQL.
std::vector<http::Route> MakeRoutes(const RouteContext& context);

}  // namespace ckpt::app
