// SPDX-License-Identifier: Apache-2.0
#include "sys/log_format.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <string>

namespace ckpt::sys {
namespace {

using namespace std::string_literals;  // NOLINT(google-build-using-namespace)

TEST(FormatTimestamp, IsRfc3339WithMilliseconds) {
  const struct {
    UnixSeconds wall;
    const char* text;
  } cases[] = {
      {0.0, "1970-01-01T00:00:00.000Z"},
      {1'800'000'000.0625, "2027-01-15T08:00:00.062Z"},
      {1'709'210'096.999, "2024-02-29T12:34:56.999Z"},
      {-0.001, "1969-12-31T23:59:59.999Z"},
      {1e300, "9999-12-31T23:59:59.000Z"},
      {-1e300, "0000-01-01T00:00:00.000Z"},
      {std::numeric_limits<double>::quiet_NaN(), "1970-01-01T00:00:00.000Z"},
  };
  for (const auto& c : cases) EXPECT_EQ(FormatTimestamp(c.wall), c.text);
}

// One value of a field; what a JSON parser must read back.
struct Case {
  std::string value;
  std::string read_back;
  std::string logfmt;
};

const Case kCases[] = {
    {"plain", "plain", "plain"},
    {"", "", "\"\""},
    {"two words", "two words", "\"two words\""},
    {"a=b", "a=b", "\"a=b\""},
    {R"(say "x")", R"(say "x")", R"("say \"x\"")"},
    {R"(C:\x)", R"(C:\x)", R"("C:\\x")"},
    {"line\nend\r\t", "line\nend\r\t", R"("line\nend\r\t")"},
    {"\x1b[31mred\x7f", "\x1b[31mred\x7f", R"("\u001b[31mred\u007f")"},
    {"nul\0x"s, "nul\0x"s, R"("nul\u0000x")"},
    {"caf\xC3\xA9", "caf\xC3\xA9", "\"caf\xC3\xA9\""},
    {"\xF0\x9F\x90\x98", "\xF0\x9F\x90\x98", "\"\xF0\x9F\x90\x98\""},
    {"bad\xFFx", "bad\xEF\xBF\xBDx", "\"bad\xEF\xBF\xBDx\""},
    {"cut\xC3", "cut\xEF\xBF\xBD", "\"cut\xEF\xBF\xBD\""},
    {"\xED\xA0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD",
     "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""},
    {"\xC0\xAF", "\xEF\xBF\xBD\xEF\xBF\xBD", "\"\xEF\xBF\xBD\xEF\xBF\xBD\""},
};

TEST(FormatRecord, JsonReadsBack) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.logfmt);
    const std::string line = FormatRecord(LogOutputFormat::kJson, 0.0, LogLevel::kWarn, c.value,
                                          {{"target", c.value}, {"a b\"", "x"}});
    EXPECT_EQ(line.find('\n'), std::string::npos);
    const nlohmann::json record = nlohmann::json::parse(line);
    EXPECT_EQ(record.at("ts"), "1970-01-01T00:00:00.000Z");
    EXPECT_EQ(record.at("level"), "warn");
    EXPECT_EQ(record.at("msg"), c.read_back);
    EXPECT_EQ(record.at("target"), c.read_back);
    EXPECT_EQ(record.at("a b\""), "x");
    EXPECT_EQ(record.size(), 5U);
  }
}

TEST(FormatRecord, LogfmtQuotesWhatItMust) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.logfmt);
    EXPECT_EQ(FormatRecord(LogOutputFormat::kLogfmt, 0.0, LogLevel::kInfo, "m",
                           {{"target", c.value}, {"a b=", "x"}}),
              "ts=1970-01-01T00:00:00.000Z level=info msg=m target=" + c.logfmt + " a_b_=x");
  }
}

TEST(FormatRecord, CutsLongValuesAndCountsRepeats) {
  const std::string line = FormatRecord(LogOutputFormat::kJson, 0.0, LogLevel::kError, "m",
                                        {{"value", std::string(100'000, 'x')}}, 7);
  const nlohmann::json record = nlohmann::json::parse(line);
  EXPECT_EQ(record.at("value"), std::string(4096, 'x') + "...");
  EXPECT_EQ(record.at("repeated"), 7);
}

TEST(ParseLogWords, AreThoseOfThePrometheusToolkit) {
  EXPECT_EQ(ParseLogLevel("debug"), LogLevel::kDebug);
  EXPECT_EQ(ParseLogLevel("info"), LogLevel::kInfo);
  EXPECT_EQ(ParseLogLevel("warn"), LogLevel::kWarn);
  EXPECT_EQ(ParseLogLevel("error"), LogLevel::kError);
  EXPECT_EQ(ParseLogOutputFormat("logfmt"), LogOutputFormat::kLogfmt);
  EXPECT_EQ(ParseLogOutputFormat("json"), LogOutputFormat::kJson);
  for (const char* bad : {"", "INFO", "warning", "info "}) {
    EXPECT_EQ(ParseLogLevel(bad), std::nullopt);
    EXPECT_EQ(ParseLogOutputFormat(bad), std::nullopt);
  }
}

}  // namespace
}  // namespace ckpt::sys
