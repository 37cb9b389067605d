// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "report/analysis_report.h"
#include "report/plain_text.h"

namespace ckpt::report {
namespace {

using Json = nlohmann::json;

std::string Fixture(const std::string& name) {
  std::ifstream file(std::string(CKPT_FIXTURES) + "/logs/" + name);
  EXPECT_TRUE(file.is_open()) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

LogAnalysis Analyze(const std::vector<std::string>& files) {
  LogAnalyzer analyzer(std::nullopt);
  for (const std::string& file : files) {
    analyzer.NextFile();
    const std::string text = Fixture(file);
    for (std::size_t at = 0; at < text.size(); at += 4096) {
      analyzer.Feed(std::string_view(text).substr(at, 4096));
    }
  }
  return analyzer.Finish();
}

Json JsonOf(const LogAnalysis& analysis) {
  return Json::parse(AnalysisReport(analysis, {}, 0, AnalysisFormat::kJson));
}

// Numbers counted with grep and by hand in the fixtures: starting lines by their words, less those
// that no complete line follows.
TEST(Analyze, ByReasonAsCountedByHand) {
  struct Case {
    const char* file;
    int wal, request, restart, time;
  };
  for (const Case& one :
       {Case{"10/primary.stderr.log", 42, 18, 6, 1}, Case{"15/primary.stderr.log", 15, 18, 6, 5},
        Case{"15/primary.csvlog.csv", 15, 18, 6, 5}, Case{"15/primary.jsonlog.json", 15, 18, 6, 5},
        Case{"19/primary.stderr.log", 15, 22, 6, 4}}) {
    SCOPED_TRACE(one.file);
    const Json counts = JsonOf(Analyze({one.file}))["completed"]["checkpoint"];
    EXPECT_EQ(counts["wal"], one.wal);
    EXPECT_EQ(counts["request"], one.request);
    EXPECT_EQ(counts["restart"], one.restart);
    EXPECT_EQ(counts["time"], one.time);
  }
}

TEST(Analyze, SeveralFilesAreOneLog) {
  const LogAnalysis one = Analyze({"15/primary.stderr.log"});
  const LogAnalysis two = Analyze({"15/primary.stderr.log", "17/primary.stderr.log"});
  EXPECT_EQ(two.formats.size(), 2U);
  EXPECT_GT(two.checkpoints.size(), one.checkpoints.size());
}

TEST(Analyze, WithSettingsItAdvisesASize) {
  LogAnalysis analysis;
  for (int i = 0; i < 10; ++i) {
    CheckpointEvent event;
    event.reason = Reason::kWal;
    event.start = 1000 + i * 30;
    event.end = *event.start + 25;
    event.distance_bytes = 40 * 1024 * 1024;
    analysis.checkpoints.push_back(event);
    analysis.last = event.end;
  }
  EXPECT_EQ(JsonOf(analysis)["advice"].dump().find("max_wal_size = "), std::string::npos);
  analysis.settings.max_wal_size = 64.0 * 1024 * 1024;
  analysis.settings.checkpoint_timeout = 300;
  analysis.settings.checkpoint_completion_target = 0.5;
  bool found = false;
  const Json report = JsonOf(analysis);
  for (const Json& advice : report["advice"]) {
    found = found || advice["rule"] == "wal_forced_checkpoints";
  }
  EXPECT_TRUE(found);
}

TEST(Analyze, BenchmarkIsLaidOver) {
  const std::vector<BenchSample> bench = ReadBench(
      "pgbench (15.18)\n"
      "progress: 1.0 s, 900.0 tps, lat 2.0 ms stddev 1.1, 0 failed\n"
      "progress: 2.0 s, 100.5 tps, lat 20.0 ms stddev 9.1\n"
      "progress: 3.0 s, 0.0 tps, lat nan ms\nprogress: x s, 1 tps, lat 1 ms\nlat 3 ms\n");
  ASSERT_EQ(bench.size(), 2U);
  EXPECT_EQ(bench[1].at, 2);
  EXPECT_EQ(bench[1].tps, 100.5);
  EXPECT_NEAR(bench[1].latency_seconds, 0.02, 1e-12);
  LogAnalysis analysis;
  analysis.checkpoints.emplace_back();
  analysis.checkpoints[0].start = 101.5;
  analysis.checkpoints[0].end = 102.5;
  const auto overlay = Overlay(analysis, bench, 100);
  ASSERT_TRUE(overlay.has_value());
  EXPECT_NEAR(overlay->running_mean, 0.02, 1e-12);
  EXPECT_NEAR(overlay->idle_mean, 0.002, 1e-12);
  EXPECT_FALSE(Overlay(analysis, bench, 500).has_value());
}

TEST(Analyze, OpenMetricsSeriesAreWholeAndInOrderOfTime) {
  const std::string text =
      AnalysisReport(Analyze({"15/primary.stderr.log"}), {}, 0, AnalysisFormat::kOpenMetrics);
  EXPECT_TRUE(text.ends_with("\n# EOF\n"));
  EXPECT_NE(text.find("pgcheckpoint_log_sync_seconds{kind=\"checkpoint\",reason=\"wal\"} "),
            std::string::npos);
  std::set<std::string> ended;
  std::string series;
  double last = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = text.find('\n', at);
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    if (line.starts_with("#")) continue;
    const std::string name = line.substr(0, line.find(' '));
    const double time = std::stod(line.substr(line.rfind(' ') + 1));
    if (name != series) {
      EXPECT_TRUE(ended.insert(name).second) << name << " comes twice";
      series = name;
      last = 0;
    }
    EXPECT_GT(time, last);
    last = time;
  }
  EXPECT_GT(ended.size(), 6U);
}

TEST(Analyze, HtmlNeedsNothingElse) {
  const std::string html =
      AnalysisReport(Analyze({"15/primary.stderr.log"}), {}, 0, AnalysisFormat::kHtml);
  for (const std::string_view foreign :
       {"http://", "https://", "<script", "<link", "<img", "url("}) {
    EXPECT_EQ(html.find(foreign), std::string::npos) << foreign;
  }
  EXPECT_NE(html.find("<svg"), std::string::npos);
  EXPECT_TRUE(html.ends_with("</html>\n"));
}

Advice Hostile() {
  Advice advice;
  advice.rule = "wal_held_by_slot";
  advice.severity = Severity::kWarning;
  advice.title = "Title";
  advice.message = "A slot \x1b[31m<script>|`x`\nnext.";
  advice.evidence = {"bytes \xff\xfe"};
  advice.suggestions = {{"max_wal_size", "4GB", "ALTER SYSTEM SET max_wal_size = '4GB';"}};
  advice.cost = "None.";
  advice.confidence = "High.";
  return advice;
}

TEST(AdviceReport, HostileTextStaysText) {
  const std::vector<TargetAdvice> targets{{"ma\x1bin", "", "12 checkpoints", true, {Hostile()}}};
  const std::string text = AdviceReport(targets, ReportFormat::kText);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_NE(text.find("\nALTER SYSTEM SET max_wal_size = '4GB';\nSELECT pg_reload_conf();\n"),
            std::string::npos);
  const std::string markdown = AdviceReport(targets, ReportFormat::kMarkdown);
  EXPECT_EQ(markdown.find("<script>"), std::string::npos);
  EXPECT_NO_THROW({
    const Json json = Json::parse(AdviceReport(targets, ReportFormat::kJson));
    EXPECT_EQ(json["targets"][0]["advice"][0]["rule"], "wal_held_by_slot");
  });
}

TEST(AdviceReport, SaysWhenThereIsNothingAndWhen) {
  std::vector<TargetAdvice> targets{{"main", "", "9 checkpoints", true, {}}};
  EXPECT_NE(AdviceReport(targets, ReportFormat::kText).find("Nothing to change."),
            std::string::npos);
  EXPECT_FALSE(NeedsAction(targets));
  targets[0].advice = {Hostile()};
  EXPECT_TRUE(NeedsAction(targets));
  targets[0].advice[0].severity = Severity::kInfo;
  EXPECT_FALSE(NeedsAction(targets));
}

TEST(PlainText, WrapsAtBlanks) {
  EXPECT_EQ(Wrap("one two three", 2, 9), "one two\n  three");
  EXPECT_EQ(Wrap("", 2, 9), "");
  EXPECT_EQ(Wrap("averyverylongword x", 2, 9), "averyverylongword\n  x");
}

}  // namespace
}  // namespace ckpt::report
