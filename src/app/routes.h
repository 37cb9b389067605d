// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/probe.h"
#include "app/reloader.h"
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
  ProbeContext probe;
  // Reloader::Request; empty where --web.enable-lifecycle is not given.
  std::function<void(Reloader::Done)> reload;
};

// TABLE: every path that the exporter answers. Handlers only format published state; none waits
// for PostgreSQL on the server's thread.
std::vector<http::Route> MakeRoutes(const RouteContext& context);

}  // namespace ckpt::app
