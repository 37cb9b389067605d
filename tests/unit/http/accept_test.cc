// SPDX-License-Identifier: Apache-2.0
#include "http/accept.h"

#include <gtest/gtest.h>

#include <array>

namespace ckpt::http {
namespace {

constexpr std::array<std::string_view, 2> kOffers{
    "text/plain; version=0.0.4; charset=utf-8",
    "application/openmetrics-text; version=1.0.0; charset=utf-8"};
constexpr int kText = 0;
constexpr int kOpenMetrics = 1;
constexpr int kNone = -1;

TEST(ChooseMediaType, PicksWhatTheClientLikesBest) {
  struct Case {
    std::string_view accept;
    int chosen;
  };
  constexpr std::array kCases{
      Case{"", kText},
      Case{"   ", kText},
      Case{"*/*", kText},
      Case{"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", kText},
      // Prometheus 2.42.
      Case{"application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;"
           "q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
           kOpenMetrics},
      // Prometheus 3, which names the escaping that it understands.
      Case{"application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,"
           "application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=1.0.0;"
           "escaping=allow-utf-8;q=0.3,text/plain;version=0.0.4;q=0.2,*/*;q=0.1",
           kOpenMetrics},
      Case{"application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;"
           "encoding=delimited,text/plain;version=0.0.4;q=0.5",
           kText},
      Case{"text/plain;version=0.0.4, application/openmetrics-text;version=1.0.0;q=0.9", kText},
      // A version that is not ours is not a match, so the rest decides.
      Case{"application/openmetrics-text;version=0.0.1,text/plain;version=0.0.4;q=0.5", kText},
      Case{"application/openmetrics-text;version=2.0.0", kNone},
      Case{"application/openmetrics-text; version=\"1.0.0\"", kOpenMetrics},
      Case{"APPLICATION/OpenMetrics-Text; Version=1.0.0", kOpenMetrics},
      Case{"application/openmetrics-text", kOpenMetrics},
      Case{"application/*", kOpenMetrics},
      // Equal qualities: the type that is named beats the wildcard.
      Case{"application/openmetrics-text, */*", kOpenMetrics},
      Case{"text/plain, application/openmetrics-text", kText},
      // Zero forbids, whatever a wildcard says.
      Case{"text/plain;q=0, */*", kOpenMetrics},
      Case{"*/*;q=0", kNone},
      Case{"text/plain;q=0,application/openmetrics-text;q=0", kNone},
      Case{"image/png", kNone},
      Case{"text/plain;charset=iso-8859-1", kText},
      Case{"text/plain;q=0.5;ext=1,application/openmetrics-text;q=0.4", kText},
      // Members that break the grammar are left out.
      Case{"application/openmetrics-text;q=high, text/plain;q=0.1", kText},
      Case{"application/openmetrics-text;q=2", kNone},
      Case{"application/openmetrics-text;q=1e0", kNone},
      Case{"application/openmetrics-text;q=-1", kNone},
      Case{"\"unclosed", kNone},
      Case{",,;;=,,text/plain", kText},
      Case{"text/plain;", kText},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.accept);
    const std::optional<std::size_t> chosen = ChooseMediaType(c.accept, kOffers);
    EXPECT_EQ(chosen ? static_cast<int>(*chosen) : kNone, c.chosen);
  }
}

TEST(ChooseMediaType, NeedsAnOffer) { EXPECT_FALSE(ChooseMediaType("*/*", {}).has_value()); }

TEST(ParseAccept, KeepsParametersAndQuality) {
  const std::vector<AcceptItem> items =
      ParseAccept("Text/Plain; Version=\"a,\\\"b\" ; q=0.25, gzip");
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(items[0].value, "text/plain");
  ASSERT_EQ(items[0].parameters.size(), 1U);
  EXPECT_EQ(items[0].parameters[0].first, "version");
  EXPECT_EQ(items[0].parameters[0].second, "a,\"b");
  EXPECT_EQ(items[0].quality, 0.25);
  EXPECT_EQ(items[1].value, "gzip");
  EXPECT_EQ(items[1].quality, 1);
}

TEST(PrefersGzip, FollowsQualities) {
  struct Case {
    std::string_view accept_encoding;
    bool gzip;
  };
  constexpr std::array kCases{
      Case{"", false},
      Case{"gzip", true},
      Case{"GZIP", true},
      Case{"x-gzip", true},
      Case{"gzip, deflate, br", true},
      Case{"deflate, br", false},
      Case{"*", true},
      Case{"*;q=0", false},
      Case{"gzip;q=0", false},
      Case{"gzip;q=0, *", false},
      Case{"gzip;q=0.0", false},
      Case{"gzip;q=0.001", true},
      Case{"gzip;q=0.5, identity", false},
      Case{"gzip;q=0.5, identity;q=0.5", true},
      Case{"identity", false},
      Case{"identity;q=0, *", true},
      Case{"gzip;q=x", false},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.accept_encoding);
    EXPECT_EQ(PrefersGzip(c.accept_encoding), c.gzip);
  }
}

}  // namespace
}  // namespace ckpt::http
