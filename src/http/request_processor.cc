// SPDX-License-Identifier: Apache-2.0
#include "http/request_processor.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

namespace ckpt::http {
namespace {

struct MethodName {
  Method method;
  std::string_view name;
};
constexpr std::array<MethodName, 3> kMethodNames{
    {{Method::kGet, "GET"}, {Method::kHead, "HEAD"}, {Method::kPost, "POST"}}};

bool Serves(const Route& route, Method method) {
  const auto has = [&route](Method m) {
    return std::find(route.methods.begin(), route.methods.end(), m) != route.methods.end();
  };
  return has(method) || (method == Method::kHead && has(Method::kGet));
}

}  // namespace

class Responder::Answer {
 public:
  explicit Answer(std::function<void(Response)> deliver) : deliver_(std::move(deliver)) {}
  ~Answer() {
    try {
      Give(TextResponse(500, "the handler gave no answer"));
    } catch (...) {  // NOLINT(bugprone-empty-catch): out of memory; the server's timeout answers
    }
  }
  Answer(const Answer&) = delete;
  Answer& operator=(const Answer&) = delete;

  void Give(Response response) {
    if (given_.exchange(true)) return;
    deliver_(std::move(response));
    deliver_ = nullptr;  // what it holds is not needed any more, though the Responder may live on
  }

 private:
  std::function<void(Response)> deliver_;
  std::atomic<bool> given_{false};
};

Responder::Responder(std::function<void(Response)> deliver)
    : answer_(std::make_shared<Answer>(std::move(deliver))) {}

void Responder::operator()(Response response) const { answer_->Give(std::move(response)); }

RequestProcessor::RequestProcessor(std::vector<Route> routes, const Clock& clock, Post post,
                                   LogFunction log)
    : routes_(std::move(routes)), clock_(clock), post_(std::move(post)), log_(std::move(log)) {}

void RequestProcessor::Process(const std::shared_ptr<const Request>& request,
                               const std::shared_ptr<const ActiveWebConfig>& web_config,
                               Done done) {
  const WebConfig& config = web_config->config;
  const MonotonicTime now = clock_.Monotonic();
  limiter_.Configure(config.rate_limit, now);
  if (!limiter_.Allow(now)) return done(TextResponse(429, "slow down"));

  if (!config.headers.empty()) {
    done = [web_config, done = std::move(done)](Response response) {
      for (const auto& set : web_config->config.headers) {
        std::erase_if(response.headers, [&set](const Header& header) {
          return EqualsIgnoreCase(header.name, set.first);
        });
        response.headers.push_back({set.first, set.second});
      }
      done(std::move(response));
    };
  }
  const Route* route = FindRoute(*request);
  if (config.basic_auth_users.empty() || (route != nullptr && !route->needs_auth)) {
    return Dispatch(*request, std::move(done));
  }
  const std::string_view authorization = request->HeaderValue("Authorization");
  authenticator_.Check(
      config.basic_auth_users, authorization,
      [this, request, done = std::move(done)](BasicAuthenticator::Verdict verdict) mutable {
        using Verdict = BasicAuthenticator::Verdict;
        if (verdict == Verdict::kAllowed) {
          // A verdict may come from the authenticator's thread; handlers run on ours.
          post_([this, request, done = std::move(done)] { Dispatch(*request, done); });
          return;
        }
        Response response = verdict == Verdict::kBusy
                                ? TextResponse(503, "too many passwords are being checked")
                                : TextResponse(401, "a user name and its password are needed");
        if (verdict == Verdict::kDenied) response.headers.push_back({"WWW-Authenticate", "Basic"});
        done(std::move(response));
      });
}

void RequestProcessor::Dispatch(const Request& request, Done done) const {
  const Route* route = FindRoute(request);
  if (route == nullptr) {
    done(TextResponse(404, "no such page; / lists what there is"));
  } else if (!Serves(*route, request.method)) {
    done(MethodNotAllowed(*route));
  } else {
    Run(*route, request, std::move(done));
  }
}

const Route* RequestProcessor::FindRoute(const Request& request) const {
  const auto found = std::find_if(routes_.begin(), routes_.end(),
                                  [&](const Route& route) { return route.path == request.path; });
  return found == routes_.end() ? nullptr : &*found;
}

Response RequestProcessor::MethodNotAllowed(const Route& route) const {
  std::string allow;
  for (const MethodName& known : kMethodNames) {
    if (!Serves(route, known.method)) continue;
    if (!allow.empty()) allow += ", ";
    allow += known.name;
  }
  Response response = TextResponse(405, "this page takes " + allow);
  response.headers.push_back({"Allow", std::move(allow)});
  return response;
}

void RequestProcessor::Run(const Route& route, const Request& request, Done done) const {
  const Responder responder(std::move(done));
  std::string what = "an unknown exception";
  try {
    if (const auto* handler = std::get_if<Handler>(&route.handler)) {
      responder((*handler)(request));
    } else {
      std::get<AsyncHandler>(route.handler)(request, responder);
    }
    return;
  } catch (const std::exception& e) {
    what = e.what();
  } catch (...) {  // NOLINT(bugprone-empty-catch): `what` says so
  }
  if (log_) log_(LogLevel::kError, "handler of " + route.path + ": " + what);
  responder(TextResponse(500, "the handler failed; the log of the exporter says why"));
}

}  // namespace ckpt::http
