// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "http/message.h"
#include "http/server.h"

namespace ckpt::http {

// From a request to its answer, without sockets: finds the route, runs its handler, answers 404 and
// 405, turns exceptions into 500. For one thread at a time; owns the table of routes.
class RequestProcessor {
 public:
  // `log` may be empty.
  RequestProcessor(std::vector<Route> routes, LogFunction log);

  // Calls `done` exactly once: before it returns, or later from any thread for an AsyncHandler.
  void Process(const Request& request, std::function<void(Response)> done) const;

 private:
  const Route* FindRoute(const Request& request) const;
  Response MethodNotAllowed(const Route& route) const;
  void Run(const Route& route, const Request& request, std::function<void(Response)> done) const;

  std::vector<Route> routes_;
  LogFunction log_;
};

}  // namespace ckpt::http
