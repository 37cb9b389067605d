// SPDX-License-Identifier: Apache-2.0
// What clients can do to a server: each test here is a way to exhaust a careless one.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <charconv>
#include <fstream>
#include <random>

#include "http/server.h"
#include "test_client.h"

namespace ckpt::http {
namespace {

using std::chrono::milliseconds;

// Under a sanitizer, freed memory stays resident and says nothing about the server.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kMemoryIsMeasurable = false;
#else
constexpr bool kMemoryIsMeasurable = true;
#endif

std::size_t ResidentKilobytes() {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line)) {
    if (line.rfind("VmRSS:", 0) != 0) continue;
    const std::size_t digit = line.find_first_of("0123456789");
    std::size_t value = 0;
    std::from_chars(line.data() + digit, line.data() + line.size(), value);
    return value;
  }
  return 0;
}

std::vector<Route> Routes() {
  Route metrics;
  metrics.path = "/metrics";
  metrics.methods = {Method::kGet, Method::kPost};
  metrics.handler = Handler([](const Request&) {
    Response response;
    response.body = "up 1\n";
    return response;
  });
  Route huge;
  huge.path = "/huge";
  const auto content = std::make_shared<const std::string>(std::size_t{64} << 20U, 'x');
  huge.handler = Handler([content](const Request&) {
    Response response;
    response.shared_body = content;
    return response;
  });
  return {metrics, huge};
}

ServerLimits QuickLimits() {
  ServerLimits limits;
  limits.request_timeout = milliseconds(200);
  limits.write_timeout = milliseconds(200);
  limits.idle_timeout = milliseconds(200);
  limits.linger_timeout = milliseconds(200);
  return limits;
}

TEST(HostileClient, ASlowRequestIsAnswered408AndClosed) {
  for (const std::string_view part :
       {"G", "GET /metrics HT", "GET /metrics HTTP/1.1\r\nX: a",
        "POST /metrics HTTP/1.1\r\nHost: t\r\nContent-Length: 10\r\n\r\nabc"}) {
    SCOPED_TRACE(part);
    const TestServer server(Routes(), QuickLimits());
    Client client(server.Address());
    EXPECT_EQ(client.Exchange(part).status, 408);
    EXPECT_TRUE(client.WaitForClose());
    EXPECT_EQ(server.server->Statistics().timed_out, 1U);
  }
}

TEST(HostileClient, ADrippingRequestHasOneDeadlineInAll) {
  const TestServer server(Routes(), QuickLimits());
  Client client(server.Address());
  ASSERT_TRUE(client.Send("GET /metrics HTTP/1.1\r\nX: "));
  // Each byte comes well within the deadline; the request as a whole does not.
  EXPECT_TRUE(WaitUntil([&] {
    client.Send("a");
    return server.server->Statistics().timed_out == 1;
  }));
  EXPECT_EQ(client.Read().status, 408);
}

TEST(HostileClient, SilentConnectionsAreClosedWithoutAWord) {
  const TestServer server(Routes(), QuickLimits());
  Client silent(server.Address());
  EXPECT_EQ(silent.Read().head, "");
  Client idle(server.Address());
  EXPECT_EQ(idle.Exchange(GetRequest("/metrics")).status, 200);
  EXPECT_EQ(idle.Read().head, "");
}

TEST(HostileClient, DrippersDoNotKeepOthersWaiting) {
  const TestServer server(Routes());
  std::vector<std::unique_ptr<Client>> drippers;
  for (int i = 0; i < 64; ++i) {
    drippers.push_back(std::make_unique<Client>(server.Address()));
    ASSERT_TRUE(drippers.back()->Send("GET /metrics HTTP/1.1\r\nX: a"));
  }
  EXPECT_TRUE(WaitUntil([&] { return server.server->Statistics().open_connections == 64; }));
  EXPECT_EQ(server.Get("/metrics").status, 200);
  EXPECT_EQ(server.server->Statistics().open_connections >= 64, true);
  EXPECT_EQ(drippers[0]->Exchange("\r\nHost: t\r\n\r\n").status, 200);
}

TEST(HostileClient, ASlowReaderIsCut) {
  const TestServer server(Routes(), QuickLimits());
  Client client(server.Address(), 4096);
  ASSERT_TRUE(client.Send(GetRequest("/huge")));
  EXPECT_TRUE(WaitUntil([&] { return server.server->Statistics().timed_out == 1; }));
  EXPECT_TRUE(WaitUntil([&] { return server.server->Statistics().open_connections == 0; }));
}

TEST(HostileClient, EndlessInputCostsNoMemory) {
  struct Case {
    std::string_view what;
    std::string begin;
    std::string repeated;
    int status;
  };
  const std::string block(65536, 'a');
  const std::vector<Case> cases{
      {"200 MB without a line end", "GET /", block, 414},
      {"200 MB of one header", "GET /metrics HTTP/1.1\r\nX: ", block, 431},
      {"200 MB of headers", "GET /metrics HTTP/1.1\r\n", "X: a\r\n", 431},
      {"a long body", "POST /metrics HTTP/1.1\r\nHost: t\r\nContent-Length: 104857600\r\n\r\n",
       block, 413},
      {"a long chunked body",
       "POST /metrics HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n",
       "10000\r\n" + block + "\r\n", 413},
      {"an endless chunk extension",
       "POST /metrics HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n1;", block, 0},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.what);
    const TestServer server(Routes());
    const std::size_t before = ResidentKilobytes();
    std::string batch;
    while (batch.size() < 65536) batch += c.repeated;
    Client client(server.Address());
    ASSERT_TRUE(client.Send(c.begin));
    for (int i = 0; i < 3200; ++i) {
      if (!client.Send(batch)) break;  // cut, as it should be
    }
    EXPECT_TRUE(WaitUntil([&] { return server.server->Statistics().open_connections == 0; }));
    EXPECT_EQ(server.server->Statistics().malformed, 1U);
    EXPECT_EQ(server.server->Statistics().requests, 0U);
    if (kMemoryIsMeasurable) {
      EXPECT_LT(ResidentKilobytes(), before + 4096);
    }
    EXPECT_EQ(server.Get("/metrics").status, 200);

    if (c.status == 0) continue;
    // The same, but no more than a client that stops to read would send.
    Client polite(server.Address());
    ASSERT_TRUE(polite.Send(c.begin + batch.substr(0, 32768)));
    EXPECT_EQ(polite.Read().status, c.status);
  }
}

TEST(HostileClient, IdleConnectionsMakeRoomForNewOnes) {
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = std::min<rlim_t>(files.rlim_max, 8192);
  setrlimit(RLIMIT_NOFILE, &files);
  ASSERT_GE(files.rlim_cur, 4500U) << "raise the limit of open files (ulimit -Hn) to run this";

  ServerLimits limits;
  limits.max_connections = 128;
  const TestServer server(Routes(), limits);
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 2000; ++i) {
    clients.push_back(std::make_unique<Client>(server.Address()));
    ASSERT_TRUE(clients.back()->connected());
    if (i % 2 == 0) clients.back()->Send("GET /metrics HTTP/1.1\r\n");
  }
  EXPECT_EQ(server.Get("/metrics").status, 200);
  const ServerStatistics statistics = server.server->Statistics();
  EXPECT_LE(statistics.open_connections, 128U);
  EXPECT_EQ(statistics.evicted, 2001U - 128U);
  EXPECT_EQ(statistics.refused, 0U);
}

TEST(HostileClient, IdleConnectionsGoBeforeRequestsUnderWay) {
  ServerLimits limits;
  limits.max_connections = 3;
  const TestServer server(Routes(), limits);
  Client reading(server.Address());
  ASSERT_TRUE(reading.Send("GET /metrics HTTP/1.1\r\n"));
  Client idle(server.Address());
  ASSERT_EQ(idle.Exchange(GetRequest("/metrics")).status, 200);
  Client third(server.Address());
  ASSERT_EQ(third.Exchange(GetRequest("/metrics")).status, 200);
  EXPECT_EQ(server.Get("/metrics").status, 200);
  EXPECT_TRUE(idle.WaitForClose());
  EXPECT_EQ(reading.Exchange("Host: t\r\n\r\n").status, 200);
}

TEST(HostileClient, IsRefusedWhenEveryConnectionIsAtWork) {
  std::vector<Responder> held;
  Route route;
  route.path = "/held";
  route.handler =
      AsyncHandler([&](const Request&, const Responder& responder) { held.push_back(responder); });
  ServerLimits limits;
  limits.max_connections = 1;
  limits.stop_timeout = milliseconds(10);
  const TestServer server({route}, limits);
  Client first(server.Address());
  ASSERT_TRUE(first.Send(GetRequest("/held")));
  ASSERT_TRUE(WaitUntil([&] { return server.server->Statistics().requests == 1; }));
  Client second(server.Address());
  EXPECT_EQ(second.Read().status, 503);
  EXPECT_TRUE(second.WaitForClose());
  EXPECT_EQ(server.server->Statistics().refused, 1U);
}

TEST(HostileClient, RandomBytesDoNoHarm) {
  const TestServer server(Routes(), QuickLimits());
  std::mt19937 random(20261130);
  for (int round = 0; round < 300; ++round) {
    std::string bytes = round % 3 == 0 ? GetRequest("/metrics") : "";
    const std::size_t size = random() % 400;
    for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>(random());
    if (round % 3 == 1) bytes = GetRequest("/metrics", bytes + "\r\n");
    Client client(server.Address());
    client.Send(bytes);
    if (round % 2 == 0) client.HalfClose();
    if (round % 5 == 0) {
      const linger abort{1, 0};  // closing sends a reset
      setsockopt(client.fd(), SOL_SOCKET, SO_LINGER, &abort, sizeof abort);
    }
  }
  EXPECT_EQ(server.Get("/metrics").status, 200);
  EXPECT_TRUE(WaitUntil([&] { return server.server->Statistics().open_connections == 0; }));
}

TEST(HostileClient, RunningOutOfDescriptorsIsSurvived) {
  const TestServer server(Routes(), QuickLimits());
  Client before(server.Address());
  ASSERT_EQ(before.Exchange(GetRequest("/metrics")).status, 200);
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  const rlimit none{3, files.rlim_max};
  // The client's own socket is made first, so only the server's accept() fails.
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ASSERT_GE(fd, 0);
  setrlimit(RLIMIT_NOFILE, &none);
  Client late(server.Address(), 0, fd);
  EXPECT_TRUE(late.Send(GetRequest("/metrics")));
  EXPECT_TRUE(WaitUntil([&] { return server.log.Contains("cannot accept"); }));
  setrlimit(RLIMIT_NOFILE, &files);
  EXPECT_EQ(late.Read().status, 200);
}

}  // namespace
}  // namespace ckpt::http
