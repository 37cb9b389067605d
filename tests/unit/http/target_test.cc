// SPDX-License-Identifier: Apache-2.0
#include "http/target.h"

#include <gtest/gtest.h>

namespace ckpt::http {
namespace {

using Query = std::vector<std::pair<std::string, std::string>>;

TEST(ParseTarget, DecodesPathAndQuery) {
  struct Case {
    std::string target;
    std::string path;
    Query query;
  };
  const std::vector<Case> cases{
      {"/", "/", {}},
      {"/metrics", "/metrics", {}},
      {"/metrics?", "/metrics", {}},
      {"/probe?target=prod", "/probe", {{"target", "prod"}}},
      {"/probe?target=a%20b+c&x=%2B", "/probe", {{"target", "a b c"}, {"x", "+"}}},
      {"/a+b%2fc", "/a+b/c", {}},
      {"/p?a=1&a=2", "/p", {{"a", "1"}, {"a", "2"}}},
      {"/p?flag&=v&&k==", "/p", {{"flag", ""}, {"", "v"}, {"k", "="}}},
      {"/p?a=b?c", "/p", {{"a", "b?c"}}},
      {"/p?a=b#frag", "/p", {{"a", "b"}}},
      {"http://host:1/metrics?x=1", "/metrics", {{"x", "1"}}},
      {"HTTPS://host", "/", {}},
      {"http://host?x=1", "/", {{"x", "1"}}},
      {"/%C3%A4", "/\xC3\xA4", {}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.target);
    const Result<Target> parsed = ParseTarget(c.target);
    ASSERT_TRUE(parsed.ok());
    EXPECT_EQ(parsed.value().path, c.path);
    EXPECT_EQ(parsed.value().query, c.query);
  }
}

TEST(ParseTarget, RefusesWhatIsBroken) {
  for (const std::string_view target :
       {"", "*", "metrics", "?x=1", "/%", "/%4", "/%zz", "/%4g", "/a%00b", "/p?a=%", "/p?%=a",
        "/p?a=%00", "ftp://host/x", "host:80"}) {
    SCOPED_TRACE(target);
    EXPECT_FALSE(ParseTarget(target).ok());
  }
}

}  // namespace
}  // namespace ckpt::http
