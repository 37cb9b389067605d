// SPDX-License-Identifier: Apache-2.0
// The web configuration at work: rate limit, headers, authentication, and changes to its file.
#include "core/web_config.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "http/rate_limiter.h"
#include "http/server.h"
#include "http/web_config_watcher.h"
#include "test_client.h"

namespace ckpt::http {
namespace {

using std::chrono::milliseconds;

const std::string kAlice = "Authorization: Basic YWxpY2U6c2VjcmV0\r\n";  // alice:secret

std::vector<Route> Routes() {
  Route metrics;
  metrics.path = "/metrics";
  metrics.handler = Handler([](const Request&) {
    Response response;
    response.body = "up 1\n";
    response.headers = {{"x-frame-options", "allow"}};
    return response;
  });
  Route open = metrics;
  open.path = "/open";
  open.needs_auth = false;
  return {metrics, open};
}

// A server whose configuration is the variable `config`, reloaded when `file` changes.
struct Configured {
  explicit Configured(const WebConfig& initial)
      : config(initial),
        file(std::filesystem::temp_directory_path() /
             ("ckpt_web_config_test_" + std::to_string(getpid()))) {
    Touch("initial");
    ServerOptions options;
    options.listen_addresses = {"127.0.0.1:0"};
    options.clock = &clock;
    options.log = log.Function();
    options.web_config.path = file.string();
    options.web_config.load = [this]() -> Result<WebConfig> {
      const std::lock_guard<std::mutex> lock(mutex);
      return config;
    };
    options.limits.web_config_interval = milliseconds(5);
    server = MakeHttpServer(std::move(options), Routes());
    const Status status = server->Start();
    EXPECT_TRUE(status.ok());
  }
  ~Configured() {
    server->Stop();
    std::filesystem::remove(file);
  }

  void Touch(std::string_view content) const { std::ofstream(file) << content; }
  void Change(Result<WebConfig> changed, std::string_view content) {
    {
      const std::lock_guard<std::mutex> lock(mutex);
      config = std::move(changed);
    }
    Touch(content);
  }
  Answer Get(std::string_view path, std::string_view headers = "") const {
    Client client(server->BoundAddresses().at(0));
    return client.Exchange(GetRequest(path, headers));
  }

  std::mutex mutex;
  Result<WebConfig> config;
  std::filesystem::path file;
  testing::ManualClock clock;
  LogSink log;
  std::unique_ptr<HttpServer> server;
};

WebConfig WithAlice() {
  WebConfig config;
  config.basic_auth_users["alice"] = "$2y$04$....................../dCAsp4PpJoDgv6BeaLP6BKrXlBV1oi";
  return config;
}

TEST(RateLimiter, IsATokenBucket) {
  testing::ManualClock clock;
  RateLimiter limiter;
  EXPECT_TRUE(limiter.Allow(clock.Monotonic()));  // no limit at first
  limiter.Configure({std::chrono::seconds(2), 3}, clock.Monotonic());
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(limiter.Allow(clock.Monotonic()));
  EXPECT_FALSE(limiter.Allow(clock.Monotonic()));
  clock.Advance(1.5);
  EXPECT_FALSE(limiter.Allow(clock.Monotonic()));
  clock.Advance(0.6);
  EXPECT_TRUE(limiter.Allow(clock.Monotonic()));
  EXPECT_FALSE(limiter.Allow(clock.Monotonic()));
  // The same limit again does not fill the bucket; an hour does, but not beyond its size.
  limiter.Configure({std::chrono::seconds(2), 3}, clock.Monotonic());
  EXPECT_FALSE(limiter.Allow(clock.Monotonic()));
  clock.Advance(3600);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(limiter.Allow(clock.Monotonic()));
  EXPECT_FALSE(limiter.Allow(clock.Monotonic()));
  limiter.Configure({}, clock.Monotonic());
  EXPECT_TRUE(limiter.Allow(clock.Monotonic()));
}

TEST(WebConfig, LimitsTheRateBeforeAllElse) {
  WebConfig config = WithAlice();
  config.rate_limit = {std::chrono::seconds(10), 2};
  config.headers = {{"X-Frame-Options", "deny"}};
  Configured server(config);
  EXPECT_EQ(server.Get("/metrics", kAlice).status, 200);
  EXPECT_EQ(server.Get("/metrics").status, 401);
  const Answer limited = server.Get("/metrics", kAlice);
  EXPECT_EQ(limited.status, 429);
  EXPECT_FALSE(limited.HasHeader("X-Frame-Options"));
  server.clock.Advance(11);
  EXPECT_EQ(server.Get("/metrics", kAlice).status, 200);
}

TEST(WebConfig, SetsItsHeadersOnEveryAnswer) {
  WebConfig config = WithAlice();
  config.headers = {{"X-Frame-Options", "deny"}, {"Strict-Transport-Security", "max-age=1"}};
  const Configured server(config);
  for (const Answer& answer : {server.Get("/metrics", kAlice), server.Get("/metrics"),
                               server.Get("/nothing", kAlice), server.Get("/open")}) {
    EXPECT_EQ(answer.HeaderValue("X-Frame-Options"), "deny");
    EXPECT_EQ(answer.HeaderValue("Strict-Transport-Security"), "max-age=1");
    EXPECT_FALSE(answer.HasHeader("x-frame-options"));  // the operator's takes its place
  }
}

TEST(WebConfig, AsksForAPassword) {
  const Configured server(WithAlice());
  const Answer refused = server.Get("/metrics");
  EXPECT_EQ(refused.status, 401);
  EXPECT_EQ(refused.HeaderValue("WWW-Authenticate"), "Basic");
  EXPECT_EQ(refused.body.find("up 1"), std::string::npos);
  EXPECT_EQ(server.Get("/metrics", kAlice).status, 200);
  EXPECT_EQ(server.Get("/metrics", "Authorization: Basic YWxpY2U6d3Jvbmc=\r\n").status, 401);
  EXPECT_EQ(server.Get("/metrics", "Authorization: Basic Ym9iOnNlY3JldA==\r\n").status, 401);
  EXPECT_EQ(server.Get("/metrics", kAlice + kAlice).status, 401);
  // What pages there are is told to users only.
  EXPECT_EQ(server.Get("/nothing").status, 401);
  EXPECT_EQ(server.Get("/open").status, 200);
  EXPECT_FALSE(server.log.Contains("secret"));
}

TEST(WebConfig, AClientMayLeaveWhileItsPasswordIsChecked) {
  const Configured server(WithAlice());
  for (int i = 0; i < 20; ++i) {
    const Client client(server.server->BoundAddresses().at(0));
    EXPECT_TRUE(client.Send(GetRequest("/metrics", kAlice)));
  }
  EXPECT_EQ(server.Get("/metrics", kAlice).status, 200);
}

TEST(WebConfig, FollowsItsFileAlsoOnKeptConnections) {
  Configured server(WebConfig{});
  Client kept(server.server->BoundAddresses().at(0));
  EXPECT_EQ(kept.Exchange(GetRequest("/metrics")).status, 200);
  server.Change(WithAlice(), "changed");
  EXPECT_TRUE(WaitUntil([&] { return server.server->Statistics().web_config_reloads == 1; }));
  EXPECT_EQ(kept.Exchange(GetRequest("/metrics")).status, 401);

  // A bad file changes nothing, and is said once.
  server.Change(Error{ErrorCode::kConfig, "web.yml:3:1: unknown key"}, "bad, and longer");
  EXPECT_TRUE(
      WaitUntil([&] { return server.server->Statistics().web_config_failed_reloads == 1; }));
  EXPECT_TRUE(server.log.Contains("the old one stays: web.yml:3:1: unknown key"));
  EXPECT_EQ(kept.Exchange(GetRequest("/metrics", kAlice)).status, 200);

  WebConfig with_tls;
  with_tls.tls.emplace();
  server.Change(with_tls, "with TLS, still longer");
  EXPECT_TRUE(
      WaitUntil([&] { return server.server->Statistics().web_config_failed_reloads == 2; }));
  EXPECT_TRUE(server.log.Contains("TLS cannot be switched on or off"));

  server.Change(WebConfig{}, "open");
  EXPECT_TRUE(WaitUntil([&] { return server.server->Statistics().web_config_reloads == 2; }));
  EXPECT_EQ(kept.Exchange(GetRequest("/metrics")).status, 200);
}

TEST(WebConfigWatcher, WaitsUntilAFileIsNoLongerWritten) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("ckpt_watcher_test_" + std::to_string(getpid()));
  int loads = 0;
  WebConfigWatcher watcher({path.string(),
                            [&loads]() -> Result<WebConfig> {
                              ++loads;
                              return WebConfig{};
                            }},
                           {});
  ASSERT_TRUE(watcher.Load().ok());
  std::ofstream(path) << "a";
  watcher.Step();  // new
  std::ofstream(path) << "ab";
  watcher.Step();  // still changing
  EXPECT_EQ(loads, 1);
  watcher.Step();
  EXPECT_EQ(loads, 2);
  watcher.Step();
  EXPECT_EQ(loads, 2);
  std::filesystem::remove(path);
}

TEST(WebConfig, ABadOneAtTheStartIsAnError) {
  testing::ManualClock clock;
  ServerOptions options;
  options.clock = &clock;
  options.listen_addresses = {"127.0.0.1:0"};
  options.web_config.load = []() -> Result<WebConfig> {
    return Error{ErrorCode::kConfig, "web.yml:1:1: wrong"};
  };
  const Status status = MakeHttpServer(options, Routes())->Start();
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message, "web.yml:1:1: wrong");
}

}  // namespace
}  // namespace ckpt::http
