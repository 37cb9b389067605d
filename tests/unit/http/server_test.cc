// SPDX-License-Identifier: Apache-2.0
#include "http/server.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <stdexcept>
#include <thread>

#include "http/listen.h"
#include "test_client.h"

namespace ckpt::http {
namespace {

using std::chrono::milliseconds;

Response Text(std::string body) {
  Response response;
  response.body = std::move(body);
  return response;
}

Route Page(std::string path, std::string body) {
  Route route;
  route.path = std::move(path);
  route.handler = Handler([body](const Request&) { return Text(body); });
  return route;
}

std::vector<Route> Routes() {
  std::vector<Route> routes;
  routes.push_back(Page("/metrics", "up 1\n"));
  routes.push_back(Page("/large", std::string(100'000, 'x')));
  Route reload = Page("/-/reload", "reloaded\n");
  reload.methods = {Method::kPost};
  routes.push_back(reload);
  Route echo;
  echo.path = "/echo";
  echo.methods = {Method::kGet, Method::kPost};
  echo.handler = Handler([](const Request& request) {
    std::string text(request.QueryValue("q").value_or("-"));
    text += "|" + request.body + "|" + std::string(request.HeaderValue("x-a"));
    return Text(text);
  });
  routes.push_back(echo);
  Route who;
  who.path = "/who";
  who.handler = Handler([](const Request& request) { return Text(request.remote_address); });
  routes.push_back(who);
  Route bad;
  bad.path = "/throws";
  bad.handler =
      Handler([](const Request&) -> Response { throw std::runtime_error("broken pipe dream"); });
  routes.push_back(bad);
  Route worse;
  worse.path = "/throws-odd";
  worse.handler = Handler([](const Request&) -> Response { throw 42; });
  routes.push_back(worse);
  Route tagged;
  tagged.path = "/tagged";
  tagged.handler = Handler([](const Request&) {
    Response response = Text("asset");
    response.etag = MakeEtag("asset");
    return response;
  });
  routes.push_back(tagged);
  return routes;
}

TEST(Server, AnswersRequests) {
  const TestServer server(Routes());
  struct Case {
    std::string request;
    int status;
    std::string body;  // empty: any
  };
  const std::vector<Case> cases{
      {GetRequest("/metrics"), 200, "up 1\n"},
      {GetRequest("/metrics?x=1"), 200, "up 1\n"},
      {GetRequest("/%6detrics"), 200, "up 1\n"},
      {"GET http://test/metrics HTTP/1.1\r\nHost: test\r\n\r\n", 200, "up 1\n"},
      {"GET /metrics HTTP/1.0\r\n\r\n", 200, "up 1\n"},
      {GetRequest("/echo?q=a%20b", "X-A: 1\r\nx-a: 2\r\n"), 200, "a b||1, 2"},
      {"POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 3\r\n\r\nabc", 200, "-|abc|"},
      {"POST /echo HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: "
       "chunked\r\n\r\n2\r\nab\r\n1;x=y\r\nc\r\n"
       "0\r\n\r\n",
       200, "-|abc|"},
      {"POST /-/reload HTTP/1.1\r\nHost: t\r\n\r\n", 200, "reloaded\n"},
      {GetRequest("/nothing"), 404, ""},
      {GetRequest("/metrics/"), 404, ""},
      {"OPTIONS * HTTP/1.1\r\nHost: t\r\n\r\n", 400, ""},
      {"PUT /metrics HTTP/1.1\r\nHost: t\r\n\r\n", 405, ""},
      {"BREW /metrics HTTP/1.1\r\nHost: t\r\n\r\n", 405, ""},
      {GetRequest("/-/reload"), 405, ""},
      {GetRequest("/%zz"), 400, ""},
      {"GET /metrics HTTP/1.1\r\n\r\n", 400, ""},
      {"GET /metrics HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400, ""},
      {"GET /metrics HTTP/2.0\r\nHost: a\r\n\r\n", 505, ""},
      {"GET /metrics\r\n\r\n", 400, ""},
      {"\x16\x03\x01\x02garbage\r\n\r\n", 400, ""},
      {"GET /metrics HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n", 400, ""},
      {"POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 3x\r\n\r\nabc", 400, ""},
      {"POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 3\r\nTransfer-Encoding: "
       "chunked\r\n\r\nabc",
       400, ""},
      {"POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 99999999999\r\n\r\n", 413, ""},
      {GetRequest("/metrics", "X-Long: " + std::string(9000, 'a') + "\r\n"), 431, ""},
      {GetRequest("/" + std::string(9000, 'a')), 414, ""},
      {GetRequest("/throws"), 500, ""},
      {GetRequest("/throws-odd"), 500, ""},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.request.substr(0, 100));
    Client client(server.Address());
    const Answer answer = client.Exchange(c.request);
    EXPECT_EQ(answer.status, c.status);
    if (!c.body.empty()) {
      EXPECT_EQ(answer.body, c.body);
    }
    EXPECT_TRUE(answer.HasHeader("Date"));
    EXPECT_TRUE(answer.HasHeader("Content-Type"));
    EXPECT_FALSE(answer.HasHeader("Server"));
  }
  EXPECT_TRUE(server.log.Contains("handler of /throws: broken pipe dream"));
  EXPECT_TRUE(server.log.Contains("handler of /throws-odd: an unknown exception"));
}

TEST(Server, ReasonsOfHandlersStayInTheLog) {
  const TestServer server(Routes());
  EXPECT_EQ(server.Get("/throws").body.find("pipe dream"), std::string::npos);
}

TEST(Server, NamesTheAllowedMethods) {
  const TestServer server(Routes());
  EXPECT_EQ(server.Get("/-/reload").HeaderValue("Allow"), "POST");
  Client client(server.Address());
  EXPECT_EQ(client.Exchange("DELETE /echo HTTP/1.1\r\nHost: t\r\n\r\n").HeaderValue("Allow"),
            "GET, HEAD, POST");
}

TEST(Server, HeadIsGetWithoutTheBody) {
  const TestServer server(Routes());
  Client client(server.Address());
  const Answer head = client.Exchange("HEAD /metrics HTTP/1.1\r\nHost: t\r\n\r\n", true);
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.HeaderValue("Content-Length"), "5");
  // Were a body sent, the next answer would begin with it.
  EXPECT_EQ(client.Exchange(GetRequest("/metrics")).body, "up 1\n");
}

TEST(Server, CompressesOnRequest) {
  const TestServer server(Routes());
  const Answer answer = server.Get("/large", "Accept-Encoding: gzip\r\n");
  EXPECT_EQ(answer.HeaderValue("Content-Encoding"), "gzip");
  EXPECT_EQ(answer.HeaderValue("Vary"), "Accept-Encoding");
  EXPECT_EQ(Gunzip(answer.body), std::string(100'000, 'x'));
  const Answer plain = server.Get("/large", "Accept-Encoding: gzip;q=0\r\n");
  EXPECT_FALSE(plain.HasHeader("Content-Encoding"));
  EXPECT_EQ(plain.body.size(), 100'000U);
}

TEST(Server, AnswersNotModified) {
  const TestServer server(Routes());
  const std::string etag = server.Get("/tagged").HeaderValue("ETag");
  ASSERT_FALSE(etag.empty());
  const Answer again = server.Get("/tagged", "If-None-Match: " + etag + "\r\n");
  EXPECT_EQ(again.status, 304);
  EXPECT_EQ(server.Get("/tagged", "If-None-Match: \"other\"\r\n").status, 200);
}

TEST(Server, KeepsAndClosesConnectionsAsAsked) {
  const TestServer server(Routes());
  struct Case {
    std::string version;
    std::string headers;
    bool kept;
  };
  const std::vector<Case> cases{{"1.1", "", true},
                                {"1.1", "Connection: close\r\n", false},
                                {"1.0", "", false},
                                {"1.0", "Connection: keep-alive\r\n", true}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.version + c.headers);
    Client client(server.Address());
    const Answer first =
        client.Exchange("GET /metrics HTTP/" + c.version + "\r\nHost: t\r\n" + c.headers + "\r\n");
    EXPECT_EQ(first.status, 200);
    if (c.kept) {
      EXPECT_EQ(client.Exchange(GetRequest("/metrics")).status, 200);
    } else {
      EXPECT_EQ(first.HeaderValue("Connection"), "close");
      EXPECT_TRUE(client.WaitForClose());
    }
  }
}

TEST(Server, AnswersPipelinedRequestsInOrder) {
  const TestServer server(Routes());
  Client client(server.Address());
  std::string requests;
  for (int i = 0; i < 200; ++i) requests += GetRequest("/echo?q=" + std::to_string(i));
  ASSERT_TRUE(client.Send(requests));
  for (int i = 0; i < 200; ++i) EXPECT_EQ(client.Read().body, std::to_string(i) + "||");
}

TEST(Server, AnswersAClientThatHalfCloses) {
  const TestServer server(Routes());
  Client client(server.Address());
  ASSERT_TRUE(client.Send(GetRequest("/metrics") + GetRequest("/large")));
  client.HalfClose();
  EXPECT_EQ(client.Read().body, "up 1\n");
  EXPECT_EQ(client.Read().body.size(), 100'000U);
  EXPECT_TRUE(client.WaitForClose());
}

TEST(Server, InvitesABodyThatWaitsForIt) {
  const TestServer server(Routes());
  Client client(server.Address());
  const Answer invited = client.Exchange(
      "POST /echo HTTP/1.1\r\nHost: t\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
  EXPECT_EQ(invited.status, 100);
  EXPECT_EQ(client.Exchange("abc").body, "-|abc|");
}

TEST(Server, AsyncHandlersAnswerFromAnotherThread) {
  std::thread worker;
  Route route;
  route.path = "/probe";
  route.handler = AsyncHandler([&worker](const Request&, const Responder& responder) {
    worker = std::thread([responder] {
      responder(Text("late"));
      responder(Text("too late"));
    });
  });
  const TestServer server({route});
  Client client(server.Address());
  EXPECT_EQ(client.Exchange(GetRequest("/probe")).body, "late");
  worker.join();
}

// Keeps the Responders of its route, as a worker with a queue would.
struct Held {
  Route MakeRoute() {
    Route route;
    route.path = "/held";
    route.handler = AsyncHandler([this](const Request&, const Responder& responder) {
      const std::lock_guard<std::mutex> lock(mutex);
      responders.push_back(responder);
    });
    return route;
  }
  bool Has(std::size_t count) {
    return WaitUntil([&] {
      const std::lock_guard<std::mutex> lock(mutex);
      return responders.size() >= count;
    });
  }
  std::mutex mutex;
  std::vector<Responder> responders;
};

TEST(Server, AnAnswerMayComeAfterTheClientOrTheServerIsGone) {
  Held held;
  {
    const TestServer server({held.MakeRoute(), Page("/metrics", "up 1\n")});
    {
      Client client(server.Address());
      ASSERT_TRUE(client.Send(GetRequest("/held")));
      ASSERT_TRUE(held.Has(1));
    }
    held.responders[0](Text("nobody listens"));
    EXPECT_EQ(server.Get("/metrics").status, 200);

    Client client(server.Address());
    ASSERT_TRUE(client.Send(GetRequest("/held")));
    ASSERT_TRUE(held.Has(2));
    server.server->Stop();
  }
  held.responders[1](Text("no server either"));
}

TEST(Server, AForgottenAnswerIsAnError) {
  Route route;
  route.path = "/forgets";
  route.handler = AsyncHandler([](const Request&, const Responder&) {});
  const TestServer server({route});
  EXPECT_EQ(server.Get("/forgets").status, 500);
}

TEST(Server, WaitsForAnAnswerOnlySoLong) {
  Held held;
  ServerLimits limits;
  limits.handler_timeout = milliseconds(50);
  const TestServer server({held.MakeRoute()}, limits);
  EXPECT_EQ(server.Get("/held").status, 504);
  held.responders[0](Text("late"));
}

TEST(Server, ListensOnSeveralAddresses) {
  const TestServer server(Routes(), {}, {"127.0.0.1:0", "[::1]:0", ":0"});
  ASSERT_EQ(server.server->BoundAddresses().size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    SCOPED_TRACE(server.Address(i));
    Client client(server.Address(i));
    EXPECT_EQ(client.Exchange(GetRequest("/metrics")).status, 200);
  }
  // ":0" is IPv6 and IPv4 at once, and an IPv4 peer looks like one.
  const std::string any = server.Address(2);
  Client over_ipv4("127.0.0.1" + any.substr(any.rfind(':')));
  EXPECT_EQ(over_ipv4.Exchange(GetRequest("/who")).body.substr(0, 10), "127.0.0.1:");
  Client over_ipv6(server.Address(1));
  EXPECT_EQ(over_ipv6.Exchange(GetRequest("/who")).body.substr(0, 6), "[::1]:");
}

TEST(Server, TakesOverAnInheritedSocket) {
  Result<ListenSocket> socket = Listen("127.0.0.1:0");
  ASSERT_TRUE(socket.ok());
  testing::ManualClock clock;
  ServerOptions options;
  options.clock = &clock;
  options.inherited_sockets = {socket.value().fd.Release()};
  const auto server = MakeHttpServer(std::move(options), Routes());
  ASSERT_TRUE(server->Start().ok());
  Client client(server->BoundAddresses().at(0));
  EXPECT_EQ(client.Exchange(GetRequest("/metrics")).status, 200);
}

TEST(Server, DoesNotStartHalfway) {
  const TestServer first(Routes());
  testing::ManualClock clock;
  ServerOptions options;
  options.clock = &clock;
  options.listen_addresses = {"127.0.0.1:0", first.Address()};
  const auto second = MakeHttpServer(options, Routes());
  const Status status = second->Start();
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message.find(first.Address()), std::string::npos);
  EXPECT_TRUE(second->BoundAddresses().empty());

  options.listen_addresses.clear();
  EXPECT_FALSE(MakeHttpServer(options, Routes())->Start().ok());
}

TEST(Server, StopLetsRequestsInFlightEnd) {
  Held held;
  const TestServer server({held.MakeRoute(), Page("/metrics", "up 1\n")});
  Client idle(server.Address());
  EXPECT_EQ(idle.Exchange(GetRequest("/metrics")).status, 200);
  Client client(server.Address());
  ASSERT_TRUE(client.Send(GetRequest("/held")));
  ASSERT_TRUE(held.Has(1));
  std::thread stopper([&] { server.server->Stop(); });
  EXPECT_TRUE(idle.WaitForClose());  // so stopping has begun
  held.responders[0](Text("last words"));
  const Answer answer = client.Read();
  EXPECT_EQ(answer.body, "last words");
  EXPECT_EQ(answer.HeaderValue("Connection"), "close");
  EXPECT_TRUE(client.WaitForClose());
  stopper.join();
  server.server->Stop();
  EXPECT_FALSE(Client(server.Address()).connected());
}

TEST(Server, StopCutsRequestsThatDoNotEnd) {
  Held held;
  ServerLimits limits;
  limits.stop_timeout = milliseconds(50);
  const TestServer server({held.MakeRoute()}, limits);
  Client client(server.Address());
  ASSERT_TRUE(client.Send(GetRequest("/held")));
  ASSERT_TRUE(held.Has(1));
  server.server->Stop();
  EXPECT_TRUE(client.WaitForClose());
  EXPECT_EQ(server.server->Statistics().open_connections, 0U);
}

TEST(Server, CountsWhatItDoes) {
  const TestServer server(Routes());
  EXPECT_EQ(server.Get("/metrics").status, 200);
  EXPECT_EQ(server.Get("/%zz").status, 400);
  EXPECT_TRUE(WaitUntil([&] { return server.server->Statistics().open_connections == 0; }));
  const ServerStatistics statistics = server.server->Statistics();
  EXPECT_EQ(statistics.accepted, 2U);
  EXPECT_EQ(statistics.requests, 1U);
  EXPECT_EQ(statistics.malformed, 1U);
}

}  // namespace
}  // namespace ckpt::http
