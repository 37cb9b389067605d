// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/clock.h"
#include "http/basic_auth.h"
#include "http/message.h"
#include "http/rate_limiter.h"
#include "http/server.h"
#include "http/web_config_watcher.h"

namespace ckpt::http {

// From a request to its answer, without sockets: the rate limit, the configured headers, basic
// authentication; then finds the route, runs its handler, answers 404 and 405, turns exceptions
// into 500. For one thread at a time; owns the table of routes.
class RequestProcessor {
 public:
  // Runs a function later, on the thread that calls Process(); itself called from any thread.
  using Post = std::function<void(std::function<void()>)>;
  using Done = std::function<void(Response)>;

  // `clock` outlives this; `log` may be empty.
  RequestProcessor(std::vector<Route> routes, const Clock& clock, Post post, LogFunction log);

  // Calls `done` exactly once: before it returns, or later from any thread.
  void Process(const std::shared_ptr<const Request>& request,
               const std::shared_ptr<const ActiveWebConfig>& web_config, Done done);

 private:
  const Route* FindRoute(const Request& request) const;
  Response MethodNotAllowed(const Route& route) const;
  void Dispatch(const Request& request, Done done) const;
  void Run(const Route& route, const Request& request, Done done) const;

  std::vector<Route> routes_;
  const Clock& clock_;
  Post post_;
  LogFunction log_;
  RateLimiter limiter_;
  BasicAuthenticator authenticator_;
};

}  // namespace ckpt::http
