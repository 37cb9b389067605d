// SPDX-License-Identifier: Apache-2.0
// Reads the logs of real servers, every version, language and format, against golden files and
// against each other. CKPT_UPDATE_GOLDEN=1 writes the golden files anew.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>

#include "unit/logs/log_lines.h"

namespace ckpt::testing {
namespace {

namespace fs = std::filesystem;

// Every log file under tests/fixtures/logs, as a name relative to it, in order.
std::vector<std::string> LogFiles() {
  const fs::path root = fs::path(CKPT_FIXTURES) / "logs";
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    const std::string extension = entry.path().extension();
    const std::string file = entry.path().filename();
    if (extension == ".log" || extension == ".csv" ||
        (extension == ".json" && file != "prefix-samples.json")) {
      names.push_back(fs::relative(entry.path(), root));
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string Render(const ReadResult& result) {
  std::string out = "format=" + result.format + " transport=" + result.transport +
                    " lines=" + std::to_string(result.stats.lines_read) +
                    " matched=" + std::to_string(result.stats.lines_matched) +
                    " not_understood=" + std::to_string(result.stats.lines_not_understood) +
                    " rejected=" + std::to_string(result.stats.lines_rejected) +
                    " malformed=" + std::to_string(result.stats.lines_malformed) + "\n";
  for (const CheckpointEvent& event : result.checkpoints) out += Describe(event) + "\n";
  for (const RecoveryEvent& event : result.recoveries) out += Describe(event) + "\n";
  return out;
}

class LogSample : public ::testing::TestWithParam<std::string> {};

TEST_P(LogSample, MatchesItsGoldenFile) {
  std::string name = GetParam();
  const std::string got = Render(ReadAll(ReadLog(name)));
  std::replace(name.begin(), name.end(), '/', '-');
  const std::string path = std::string(CKPT_GOLDEN) + "/logs/" + name + ".txt";
  if (std::getenv("CKPT_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << got;
    return;
  }
  std::ifstream file(path, std::ios::binary);
  ASSERT_TRUE(file.is_open()) << path;
  const std::string wanted{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(got, wanted);
}

TEST_P(LogSample, TellsTheSameByteByByte) {
  const std::string bytes = ReadLog(GetParam());
  const std::string whole = Render(ReadAll(bytes));
  for (const std::size_t chunk : {std::size_t{1}, std::size_t{7}, std::size_t{4096}}) {
    EXPECT_EQ(Render(ReadAll(bytes, {}, chunk)), whole) << chunk;
  }
}

TEST_P(LogSample, LeavesNothingOfTheCheckpointerUnread) {
  const ReadResult result = ReadAll(ReadLog(GetParam()));
  EXPECT_EQ(result.stats.lines_not_understood, 0U);
  EXPECT_EQ(result.stats.lines_rejected, 0U);
  EXPECT_EQ(result.stats.lines_malformed, 0U);
  EXPECT_EQ(result.stats.unknown_clauses, 0U);
}

// The same numbers by other means: a regular expression that takes the fourteen and more numbers
// after a percentage, whatever stands between them.
TEST_P(LogSample, AgreesWithAnIndependentReading) {
  const std::string bytes = ReadLog(GetParam());
  const std::regex numbers("([0-9]+)[^0-9]*[0-9]+\\.[0-9]%(.*)");
  const std::regex seconds("([0-9]+)[.,]([0-9]{3})[^0-9]");
  std::vector<std::string> wanted;
  std::istringstream lines(bytes);
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (line.find('%') == std::string::npos || !std::regex_search(line, match, numbers)) continue;
    const std::string rest = match[2];
    std::string text = match[1];
    int times = 0;
    for (std::sregex_iterator t(rest.begin(), rest.end(), seconds), end; t != end; ++t) {
      text += " " + (*t)[1].str() + "." + (*t)[2].str();
      ++times;
    }
    // Other lines with a percentage have no five durations.
    if (times == 5) wanted.push_back(text);
  }
  std::vector<std::string> got;
  for (const CheckpointEvent& event : ReadAll(bytes).checkpoints) {
    if (event.failed) continue;
    CheckpointEvent times;
    times.write_seconds = event.write_seconds;
    times.sync_seconds = event.sync_seconds;
    times.total_seconds = event.total_seconds;
    times.longest_sync_seconds = event.longest_sync_seconds;
    times.average_sync_seconds = event.average_sync_seconds;
    std::string text = std::to_string(*event.buffers_written);
    for (const std::string name : {"write", "sync", "total", "longest", "average"}) {
      const std::string all = Describe(times);
      const std::size_t at = all.find(" " + name + "=") + name.size() + 2;
      text += " " + all.substr(at, all.find(' ', at) - at);
    }
    got.push_back(text);
  }
  EXPECT_EQ(got, wanted);
  EXPECT_FALSE(got.empty());
}

std::string TestName(const ::testing::TestParamInfo<std::string>& sample) {
  std::string name = sample.param;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, LogSample, ::testing::ValuesIn(LogFiles()), TestName);

std::vector<std::string> DescribeAll(const ReadResult& result) {
  std::vector<std::string> lines;
  for (const CheckpointEvent& event : result.checkpoints) lines.push_back(Describe(event));
  for (const RecoveryEvent& event : result.recoveries) lines.push_back(Describe(event));
  return lines;
}

// A server that writes several formats at once says the same in each.
TEST(LogSampleFormats, AgreeOnARun) {
  int compared = 0;
  for (const std::string& name : LogFiles()) {
    const std::string suffix = ".stderr.log";
    if (!name.ends_with(suffix)) continue;
    const std::string base = name.substr(0, name.size() - suffix.size());
    const auto wanted = DescribeAll(ReadAll(ReadLog(name)));
    EXPECT_GT(wanted.size(), 5U) << name;
    for (const std::string& other : {base + ".csvlog.csv", base + ".jsonlog.json"}) {
      if (!fs::exists(fs::path(CKPT_FIXTURES) / "logs" / other)) continue;
      EXPECT_EQ(DescribeAll(ReadAll(ReadLog(other))), wanted) << other;
      ++compared;
    }
  }
  EXPECT_GE(compared, 20);
}

// The scripted run in another language: the same checkpoints for the same reasons.
TEST(LogSampleLanguages, AgreeWithTheirCsvAndJson) {
  int compared = 0;
  for (const std::string& name : LogFiles()) {
    if (name.find("i18n") == std::string::npos || !name.ends_with(".log")) continue;
    const std::string base = name.substr(0, name.size() - 4);
    const auto wanted = DescribeAll(ReadAll(ReadLog(name)));
    for (const std::string& other : {base + ".csv", base + ".json"}) {
      if (!fs::exists(fs::path(CKPT_FIXTURES) / "logs" / other)) continue;
      // Recorded in different runs: not the numbers, but what they are.
      const auto got = ReadAll(ReadLog(other));
      EXPECT_GE(got.checkpoints.size(), 5U) << other;
      EXPECT_EQ(got.recoveries.size(), 1U) << other;
      ++compared;
    }
    const auto result = ReadAll(ReadLog(name));
    EXPECT_EQ(result.recoveries.size(), 1U) << name;
    ASSERT_GE(result.checkpoints.size(), 5U) << name;
    EXPECT_EQ(result.checkpoints.back().reason, Reason::kRestart) << name;
    EXPECT_TRUE(result.checkpoints.back().flags.Has(CheckpointFlag::kShutdown)) << name;
    for (const CheckpointEvent& event : result.checkpoints) {
      EXPECT_EQ(event.kind, EventKind::kCheckpoint) << name;
      EXPECT_NE(event.flags.bits, 0) << name;
      EXPECT_FALSE(event.failed) << name;
      ASSERT_TRUE(event.start && event.end && event.total_seconds) << name;
      EXPECT_NEAR(*event.end - *event.start, *event.total_seconds, 0.1) << name;
    }
  }
  EXPECT_GE(compared, 10);
}

}  // namespace
}  // namespace ckpt::testing
