// SPDX-License-Identifier: Apache-2.0
#include "metrics/text_writer.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace ckpt::metrics {
namespace {

std::string Value(double value) {
  std::string out;
  AppendValue(value, &out);
  return out;
}

TEST(AppendValue, PrintsWholeNumbersInFullAndOthersSoThatTheyReadBackTheSame) {
  struct Case {
    double value;
    const char* text;
  };
  for (const auto& [value, text] : {
           Case{0, "0"},
           {-0.0, "0"},
           {1, "1"},
           {-1, "-1"},
           {1000000, "1000000"},
           {1e15, "1000000000000000"},
           {9007199254740991, "9007199254740991"},
           {-9007199254740991, "-9007199254740991"},
           {9007199254740992, "9007199254740992"},
           {9.3e18, "9.3e+18"},
           {0.1, "0.1"},
           {0.30000000000000004, "0.30000000000000004"},
           {1800000000.25, "1800000000.25"},
           {1e-7, "1e-07"},
           {std::numeric_limits<double>::quiet_NaN(), "NaN"},
           {-std::numeric_limits<double>::quiet_NaN(), "NaN"},
           {std::numeric_limits<double>::infinity(), "+Inf"},
           {-std::numeric_limits<double>::infinity(), "-Inf"},
       }) {
    EXPECT_EQ(Value(value), text);
  }
  for (const double value : {1.0 / 3, 2.3e-308, std::numeric_limits<double>::max(),
                             static_cast<double>(std::numeric_limits<std::int64_t>::max())}) {
    EXPECT_EQ(std::stod(Value(value)), value);
  }
}

TEST(ValidUtf8, KeepsWhatIsValid) {
  for (const char* text : {"", "plain", "\x7f", "Größe", "Ω≈ç", "漢字", "😀", "\xF4\x8F\xBF\xBF",
                           "\xED\x9F\xBF", "\xEE\x80\x80", "\xC2\x80", "\xE0\xA0\x80"}) {
    EXPECT_EQ(ValidUtf8(text), text);
  }
}

TEST(ValidUtf8, ReplacesEachByteThatIsNot) {
  // In the expected text '?' stands for U+FFFD.
  struct Case {
    std::string_view text;
    std::string_view valid;
  };
  for (const auto& [text, valid] : {
           Case{"\xff", "?"},
           {"a\xff.", "a?."},
           {"\x80", "?"},
           {"\xC3", "?"},  // cut short
           {"\xE2\x82", "??"},
           {"\xF0\x9F\x98", "???"},
           {"\xC3(", "?("},     // no continuation
           {"\xC0\xAF", "??"},  // overlong
           {"\xE0\x9F\xBF", "???"},
           {"\xF0\x8F\xBF\xBF", "????"},
           {"\xED\xA0\x80", "???"},       // surrogate
           {"\xF4\x90\x80\x80", "????"},  // beyond U+10FFFF
           {"\xF8\x88\x80\x80\x80", "?????"},
           {"Gr\xF6\xDF.", "Gr??."},  // LATIN1
       }) {
    std::string expected;
    for (const char c : valid) {
      if (c == '?') {
        expected += "\xEF\xBF\xBD";
      } else {
        expected += c;
      }
    }
    EXPECT_EQ(ValidUtf8(text), expected);
  }
}

constexpr Family kGauge{"thing_bytes", "A thing.", MetricType::kGauge, Unit::kBytes, "name"};
constexpr Family kCounter{"work_seconds_total", "Work.", MetricType::kCounter, Unit::kSeconds};
constexpr Family kInfo{"build_info", "Build.", MetricType::kInfo, Unit::kNone, "version"};
constexpr Family kHistogram{"wait_seconds", "Waits.", MetricType::kHistogram, Unit::kSeconds};

std::string Write(Format format, const Family& family, const char* name,
                  std::vector<prometheus::ClientMetric> metrics) {
  prometheus::MetricFamily samples;
  samples.name = name;
  samples.metric = std::move(metrics);
  std::string out;
  WriteFamily(format, family, samples, &out);
  return out;
}

prometheus::ClientMetric Gauge(double value, const std::string& label) {
  prometheus::ClientMetric metric;
  metric.gauge.value = value;
  metric.label.push_back({"name", label});
  return metric;
}

TEST(WriteFamily, EscapesLabelValues) {
  struct Case {
    std::string value;
    const char* written;
  };
  for (const auto& [value, written] : {
           Case{"", ""},
           {"plain", "plain"},
           {"a\"b", R"(a\"b)"},
           {"a\\b", R"(a\\b)"},
           {"a\nb", R"(a\nb)"},
           {R"(\")", R"(\\\")"},
           {"tab\tcr\r", "tab\tcr\r"},
           {"}{,=", "}{,="},
           {"Größe", "Größe"},
           {"\xff", "\xEF\xBF\xBD"},
       }) {
    EXPECT_EQ(Write(Format::kText, kGauge, "x_thing_bytes", {Gauge(1, value)}),
              "# HELP x_thing_bytes A thing.\n# TYPE x_thing_bytes gauge\nx_thing_bytes{name=\"" +
                  std::string(written) + "\"} 1\n");
  }
}

TEST(WriteFamily, SpeaksBothFormats) {
  prometheus::ClientMetric counter;
  counter.counter.value = 1.5;
  EXPECT_EQ(Write(Format::kText, kCounter, "x_work_seconds_total", {counter}),
            "# HELP x_work_seconds_total Work.\n"
            "# TYPE x_work_seconds_total counter\n"
            "x_work_seconds_total 1.5\n");
  EXPECT_EQ(Write(Format::kOpenMetrics, kCounter, "x_work_seconds_total", {counter}),
            "# HELP x_work_seconds Work.\n"
            "# TYPE x_work_seconds counter\n"
            "# UNIT x_work_seconds seconds\n"
            "x_work_seconds_total 1.5\n");
  EXPECT_EQ(Write(Format::kText, kGauge, "x_thing_bytes", {Gauge(2, "a"), Gauge(3, "b")}),
            "# HELP x_thing_bytes A thing.\n"
            "# TYPE x_thing_bytes gauge\n"
            "x_thing_bytes{name=\"a\"} 2\n"
            "x_thing_bytes{name=\"b\"} 3\n");
  EXPECT_EQ(Write(Format::kOpenMetrics, kGauge, "x_thing_bytes", {Gauge(2, "a")}),
            "# HELP x_thing_bytes A thing.\n"
            "# TYPE x_thing_bytes gauge\n"
            "# UNIT x_thing_bytes bytes\n"
            "x_thing_bytes{name=\"a\"} 2\n");
  EXPECT_EQ(Write(Format::kText, kInfo, "x_build_info", {Gauge(1, "a")}),
            "# HELP x_build_info Build.\n"
            "# TYPE x_build_info gauge\n"
            "x_build_info{name=\"a\"} 1\n");
  EXPECT_EQ(Write(Format::kOpenMetrics, kInfo, "x_build_info", {Gauge(1, "a")}),
            "# HELP x_build Build.\n"
            "# TYPE x_build info\n"
            "x_build_info{name=\"a\"} 1\n");
}

TEST(WriteFamily, WritesHistogramsWithCanonicalBounds) {
  prometheus::ClientMetric metric;
  metric.label.push_back({"name", "a"});
  const std::pair<double, const char*> bounds[] = {
      {0.00001, "1e-05"},
      {0.0005, "0.0005"},
      {0.001, "0.001"},
      {0.25, "0.25"},
      {1, "1.0"},
      {100, "100.0"},
      {300, "300.0"},
      {100000, "100000.0"},
      {1000000, "1e+06"},
      {2500000, "2.5e+06"},
      {std::numeric_limits<double>::infinity(), "+Inf"}};
  std::string expected = "# HELP x_wait_seconds Waits.\n# TYPE x_wait_seconds histogram\n";
  std::uint64_t count = 0;
  for (const auto& [bound, text] : bounds) {
    metric.histogram.bucket.push_back({++count, bound});
    expected += "x_wait_seconds_bucket{name=\"a\",le=\"" + std::string(text) + "\"} " +
                std::to_string(count) + "\n";
  }
  metric.histogram.sample_count = count;
  metric.histogram.sample_sum = 12.5;
  expected += "x_wait_seconds_sum{name=\"a\"} 12.5\nx_wait_seconds_count{name=\"a\"} 11\n";
  EXPECT_EQ(Write(Format::kText, kHistogram, "x_wait_seconds", {metric}), expected);
  EXPECT_NE(Write(Format::kOpenMetrics, kHistogram, "x_wait_seconds", {metric})
                .find("# UNIT x_wait_seconds seconds\nx_wait_seconds_bucket{"),
            std::string::npos);
}

}  // namespace
}  // namespace ckpt::metrics
