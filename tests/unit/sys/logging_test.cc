// SPDX-License-Identifier: Apache-2.0
#include "sys/logging.h"

#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>

#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "testing/manual_clock.h"

namespace ckpt::sys {
namespace {

class LoggerTest : public ::testing::Test {
 protected:
  std::unique_ptr<Logger> MakeLogger(LogLevel least = LogLevel::kInfo) {
    return std::make_unique<Logger>(LogOutputFormat::kLogfmt, least, clock_,
                                    std::make_shared<spdlog::sinks::ostream_sink_mt>(out_));
  }
  // The lines since the last call, without their time.
  std::vector<std::string> TakeLines() {
    std::vector<std::string> lines;
    std::istringstream in(out_.str());
    out_.str("");
    for (std::string line; std::getline(in, line);) {
      lines.push_back(line.substr(line.find(' ') + 1));
    }
    return lines;
  }
  using Lines = std::vector<std::string>;

  testing::ManualClock clock_;
  std::ostringstream out_;
};

TEST_F(LoggerTest, WritesLevelsFromTheLeast) {
  const auto logger = MakeLogger(LogLevel::kWarn);
  for (const LogLevel level : kLogLevels) logger->Log(level, "x");
  EXPECT_EQ(TakeLines(), (Lines{"level=warn msg=x", "level=error msg=x"}));
}

TEST_F(LoggerTest, HoldsRepeatsBackForAMinuteAndCountsThem) {
  const auto logger = MakeLogger(LogLevel::kDebug);
  const auto say = [&](const char* target, const char* detail) {
    logger->Log(LogLevel::kWarn, "cannot connect", {{"target", target}, {"error", detail}});
  };
  say("a", "1");
  say("a", "2");
  say("b", "3");
  clock_.Advance(59.9);
  say("a", "4");
  EXPECT_EQ(TakeLines(), (Lines{"level=warn msg=\"cannot connect\" target=a error=1",
                                "level=warn msg=\"cannot connect\" target=b error=3"}));
  clock_.Advance(0.2);
  say("a", "5");
  say("b", "6");
  clock_.Advance(61);
  say("a", "7");
  EXPECT_EQ(TakeLines(), (Lines{"level=warn msg=\"cannot connect\" target=a error=5 repeated=2",
                                "level=warn msg=\"cannot connect\" target=b error=6",
                                "level=warn msg=\"cannot connect\" target=a error=7"}));
}

TEST_F(LoggerTest, NeverHoldsDebugBack) {
  const auto logger = MakeLogger(LogLevel::kDebug);
  logger->Log(LogLevel::kDebug, "x");
  logger->Log(LogLevel::kDebug, "x");
  EXPECT_EQ(TakeLines().size(), 2U);
}

TEST_F(LoggerTest, RemembersABoundedNumber) {
  const auto logger = MakeLogger();
  for (std::size_t i = 0; i < Logger::kMostRemembered + 10; ++i) {
    logger->Log(LogLevel::kInfo, "x", {{"target", std::to_string(i)}});
  }
  TakeLines();
  const std::string last = std::to_string(Logger::kMostRemembered + 9);
  logger->Log(LogLevel::kInfo, "x", {{"target", last}});
  EXPECT_EQ(TakeLines().size(), 1U) << "one that does not fit is written";
  clock_.Advance(61);
  logger->Log(LogLevel::kInfo, "x", {{"target", last}});
  logger->Log(LogLevel::kInfo, "x", {{"target", last}});
  EXPECT_EQ(TakeLines().size(), 1U) << "old ones made room";
}

TEST_F(LoggerTest, KeepsLinesWholeAcrossThreads) {
  const auto logger = MakeLogger();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&logger, t] {
      for (int i = 0; i < 100; ++i) {
        const std::string target = std::to_string(t * 1000 + i);
        logger->Log(LogLevel::kInfo, "x", {{"target", target}});
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const Lines lines = TakeLines();
  EXPECT_EQ(lines.size(), 400U);
  for (const std::string& line : lines) EXPECT_EQ(line.find("level=info msg=x target="), 0U);
}

}  // namespace
}  // namespace ckpt::sys
