// SPDX-License-Identifier: Apache-2.0
#include "http/message.h"

#include <gtest/gtest.h>

#include "http/gzip.h"
#include "http/wire_response.h"
#include "test_client.h"

namespace ckpt::http {
namespace {

TEST(Request, LooksUpHeadersInAnyCase) {
  Request request;
  request.headers = {{"Accept", "a"}, {"X-Thing", "b"}};
  EXPECT_EQ(request.HeaderValue("accept"), "a");
  EXPECT_EQ(request.HeaderValue("X-THING"), "b");
  EXPECT_EQ(request.HeaderValue("X-Thin"), "");
}

TEST(Request, ReadsTheScrapeTimeout) {
  struct Case {
    std::string text;
    std::optional<double> seconds;
  };
  const std::vector<Case> cases{{"1.5", 1.5}, {"10", 10.0}, {"", {}},    {"0", {}},
                                {"-1", {}},   {"inf", {}},  {"nan", {}}, {"1.5s", {}},
                                {"1,5", {}},  {" 1", {}},   {"x", {}},   {"1e400", {}}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    Request request;
    request.headers = {{"X-Prometheus-Scrape-Timeout-Seconds", c.text}};
    EXPECT_EQ(request.ScrapeTimeoutSeconds(), c.seconds);
  }
  EXPECT_EQ(Request().ScrapeTimeoutSeconds(), std::nullopt);
}

TEST(Etag, FollowsTheContent) {
  EXPECT_EQ(MakeEtag("one"), MakeEtag("one"));
  EXPECT_NE(MakeEtag("one"), MakeEtag("two"));
  EXPECT_EQ(MakeEtag("").front(), '"');
  EXPECT_EQ(MakeEtag("").back(), '"');
}

TEST(Etag, MatchesWeakly) {
  EXPECT_TRUE(EtagMatches("\"a\"", "\"a\""));
  EXPECT_TRUE(EtagMatches("W/\"a\"", "\"a\""));
  EXPECT_TRUE(EtagMatches("\"a\"", "W/\"a\""));
  EXPECT_TRUE(EtagMatches("\"x\", W/\"a\" ,\"b\"", "\"a\""));
  EXPECT_TRUE(EtagMatches("\"x,y\", \"a\"", "\"a\""));
  EXPECT_TRUE(EtagMatches("*", "\"a\""));
  for (const std::string_view header : {"", "\"b\"", "a", "\"a", "\"x\", a", "\"ab\"", ","}) {
    SCOPED_TRACE(header);
    EXPECT_FALSE(EtagMatches(header, "\"a\""));
  }
  EXPECT_FALSE(EtagMatches("*", ""));
}

TEST(HttpDate, IsImfFixdate) {
  EXPECT_EQ(HttpDate(784111777.0), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(HttpDate(0), "Thu, 01 Jan 1970 00:00:00 GMT");
  EXPECT_EQ(HttpDate(1709164799.9), "Wed, 28 Feb 2024 23:59:59 GMT");
}

TEST(Gzip, GivesTheTextBackWhateverItsSize) {
  GzipCompressor compressor;
  for (const std::size_t size : {0U, 1U, 1000U, 100'000U, 3'000'000U}) {
    SCOPED_TRACE(size);
    std::string text;
    unsigned state = 1;
    for (std::size_t i = 0; i < size; ++i) {
      state = state * 1664525U + 1013904223U;
      text += static_cast<char>(state >> 24U);  // does not compress: the output must grow
    }
    const std::optional<std::string> compressed = compressor.Compress(text);
    ASSERT_TRUE(compressed.has_value());
    EXPECT_EQ(Gunzip(*compressed), text);
  }
}

class WireResponseTest : public ::testing::Test {
 protected:
  WireResponse Make(Response response) {
    exchange_.request = &request_;
    exchange_.keep_alive = true;
    return MakeWireResponse(std::move(response), exchange_, compressor_);
  }
  static Response Page(std::string body) {
    Response response;
    response.body = std::move(body);
    response.etag = "\"tag\"";
    return response;
  }

  Request request_;
  Exchange exchange_;
  GzipCompressor compressor_;
};

TEST_F(WireResponseTest, HeadHasTheLengthButNoBody) {
  request_.method = Method::kHead;
  const WireResponse wire = Make(Page("hello"));
  EXPECT_EQ(wire.body, nullptr);
  EXPECT_NE(wire.head.find("\r\nContent-Length: 5\r\n"), std::string::npos) << wire.head;
}

TEST_F(WireResponseTest, MatchingTagIsNotModified) {
  request_.headers = {{"If-None-Match", "W/\"tag\""}};
  const WireResponse wire = Make(Page("hello"));
  EXPECT_EQ(wire.head.substr(0, 26), "HTTP/1.1 304 Not Modified\r");
  EXPECT_EQ(wire.body, nullptr);
  EXPECT_EQ(wire.head.find("Content-Length"), std::string::npos);
  EXPECT_NE(wire.head.find("\r\nETag: \"tag\"\r\n"), std::string::npos);
}

TEST_F(WireResponseTest, CompressesLargeTextsForThoseWhoWant) {
  request_.headers = {{"Accept-Encoding", "gzip"}};
  const std::string text(5000, 'a');
  const WireResponse wire = Make(Page(text));
  EXPECT_NE(wire.head.find("\r\nContent-Encoding: gzip\r\n"), std::string::npos);
  EXPECT_NE(wire.head.find("\r\nVary: Accept-Encoding\r\n"), std::string::npos);
  EXPECT_NE(wire.head.find("\r\nETag: W/\"tag\"\r\n"), std::string::npos);
  EXPECT_EQ(Gunzip(*wire.body), text);
}

TEST_F(WireResponseTest, LeavesTheRestUncompressed) {
  request_.headers = {{"Accept-Encoding", "gzip"}};
  const WireResponse small = Make(Page(std::string(100, 'a')));
  EXPECT_EQ(small.head.find("Content-Encoding"), std::string::npos);
  EXPECT_EQ(small.head.find("Vary"), std::string::npos);

  Response image = Page(std::string(5000, 'a'));
  image.content_type = "image/png";
  EXPECT_EQ(Make(std::move(image)).head.find("Content-Encoding"), std::string::npos);

  // The same page for a client that does not want gzip still varies by it.
  request_.headers.clear();
  const WireResponse plain = Make(Page(std::string(5000, 'a')));
  EXPECT_EQ(plain.head.find("Content-Encoding"), std::string::npos);
  EXPECT_NE(plain.head.find("\r\nVary: Accept-Encoding\r\n"), std::string::npos);
  EXPECT_EQ(*plain.body, std::string(5000, 'a'));
}

TEST_F(WireResponseTest, JoinsVaryAndKeepsHeaderValuesOnTheirLine) {
  Response response = Page(std::string(5000, 'a'));
  response.headers = {{"Vary", "Accept"}, {"X-Note", "a\r\nSet-Cookie: b"}};
  const WireResponse wire = Make(std::move(response));
  EXPECT_NE(wire.head.find("\r\nVary: Accept, Accept-Encoding\r\n"), std::string::npos);
  EXPECT_EQ(wire.head.find("\r\nSet-Cookie"), std::string::npos);
}

TEST_F(WireResponseTest, SaysWhatBecomesOfTheConnection) {
  EXPECT_EQ(Make(Page("a")).head.find("Connection"), std::string::npos);
  exchange_.http_minor = 0;
  EXPECT_NE(Make(Page("a")).head.find("\r\nConnection: keep-alive\r\n"), std::string::npos);
  exchange_.request = &request_;
  exchange_.keep_alive = false;
  EXPECT_NE(MakeWireResponse(Page("a"), exchange_, compressor_).head.find("Connection: close"),
            std::string::npos);
}

}  // namespace
}  // namespace ckpt::http
