// SPDX-License-Identifier: Apache-2.0
#include "logs/line_prefix.h"

#include <gtest/gtest.h>

#include <string>

namespace ckpt::logs {
namespace {

constexpr double kTime = 1796074039;

struct Case {
  std::string log_line_prefix;
  std::string printed;
  std::optional<double> time;
  std::optional<std::int64_t> pid;
  bool session = false;
  std::string backend_type;
  std::string sqlstate;
};

TEST(LinePrefix, ReadsWhatItPrinted) {
  const std::string stamp = "2026-11-30 21:27:19";
  const Case cases[] = {
      {"", "", std::nullopt, std::nullopt},
      {"%m [%p] ", stamp + ".468 UTC [9154] ", kTime + 0.468, 9154},
      {"%t [%p]: ", stamp + " UTC [9154]: ", kTime, 9154},
      {"%m [%p] %q%u@%d ", stamp + ".468 UTC [9154] ", kTime + 0.468, 9154},
      {"%m [%p] %q%u@%d ", stamp + ".468 UTC [9154] app@shop ", kTime + 0.468, 9154, true},
      {"%t:%r:%u@%d:[%p]:", stamp + " UTC::@:[773]:", kTime, 773},
      {"%t:%r:%u@%d:[%p]:", stamp + " UTC:10.0.0.1(5432):app@shop:[773]:", kTime, 773, true},
      {"%n %p ", "1796074039.468 12 ", kTime + 0.468, 12},
      // The process's start is not the line's time.
      {"%s|%t|%p|", "2026-11-30 20:00:00 UTC|" + stamp + " UTC|7|", kTime, 7},
      {"%t|%m|%n|%p|", stamp + " UTC|" + stamp + ".468 UTC|1796074039.468|7|", kTime + 0.468, 7},
      {"[%20p] [%-8p] ", "[                9154] [9154    ] ", std::nullopt, 9154},
      {"%b|%Q|%P|%L|%p|", "checkpointer|0||[none]|42|", std::nullopt, 42, false, "checkpointer"},
      {"%b|%e|", "client backend|22012|", std::nullopt, std::nullopt, false, "client backend",
       "22012"},
      {"%-14b|%p|", "checkpointer  |42|", std::nullopt, 42, false, "checkpointer"},
      {"%a %u %d %p ", "   8 ", std::nullopt, 8},
      {"%a %u %d %p ", "my app joe shop 8 ", std::nullopt, 8, true},
      {"100%% %z%p:", "100% 9:", std::nullopt, 9},  // an unknown escape prints nothing
      {"%m %l %c %v %x %i %p ", stamp + ".468 UTC 69 6b0de966.23c2  0  9154 ", kTime + 0.468, 9154},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.log_line_prefix + " <- " + c.printed);
    const auto got = LinePrefix(c.log_line_prefix).Match(c.printed, nullptr);
    ASSERT_TRUE(got);
    ASSERT_EQ(got->time.has_value(), c.time.has_value());
    if (c.time) {
      EXPECT_EQ(got->time->time, c.time);
    }
    EXPECT_EQ(got->pid, c.pid);
    EXPECT_EQ(got->is_session, c.session);
    EXPECT_EQ(got->backend_type, c.backend_type);
    EXPECT_EQ(got->sqlstate, c.sqlstate);
  }
}

TEST(LinePrefix, RejectsWhatAnotherPrinted) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "x"},
      {"%m [%p] ", ""},
      {"%m [%p] ", "2026-11-30 21:27:19.468 UTC [x] "},
      {"%m [%p] ", "2026-11-30 21:27:19.468 UTC [1] extra "},
      {"%m [%p] ", "1796074039.468 [1] "},
      {"%n ", "2026-11-30 21:27:19 UTC "},
      {"%p", "12a"},
      {"<%u> ", "<joe "},
  };
  for (const auto& [prefix, printed] : cases) {
    EXPECT_FALSE(LinePrefix(prefix).Match(printed, nullptr)) << prefix << " <- " << printed;
  }
}

TEST(LinePrefix, IsBoundedOnHostileNames) {
  const LinePrefix prefix("%a %u %d %r %h %a %u %d %r %h [%p] ");
  EXPECT_FALSE(prefix.Match(std::string(100000, ' ') + "x", nullptr));
  EXPECT_FALSE(LinePrefix("%").Match("x", nullptr));
  EXPECT_FALSE(LinePrefix("%-99999999999999p").Match("x", nullptr));
}

TEST(LinePrefix, SearchesAnUnknownPrefix) {
  const std::string stamp = "2026-11-30 21:27:19";
  const Case cases[] = {
      {"", "", std::nullopt, std::nullopt},
      {"", stamp + ".468 UTC [9154] ", kTime + 0.468, 9154},
      {"", stamp + " UTC::@:[773]:", kTime, 773},
      {"", stamp + " UTC:10.0.0.1(5432):app@shop:[773]:", kTime, 773, true},
      {"", stamp + ".468 UTC [9154] app@shop ", kTime + 0.468, 9154, true},
      {"", stamp + " UTC [9154]: [3-1] user=,db=,app=,client= ", kTime, 9154},
      {"", stamp + " UTC [9154]: [3-1] user=joe,db=shop,app=x ", kTime, 9154, true},
      {"", "<1796074039.468> [7] ", kTime + 0.468, 7},
      {"", "[local] [77] ", std::nullopt, 77},
      {"", "x " + stamp + " CET ", std::nullopt, std::nullopt},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.printed);
    const PrefixFields got = SearchPrefix(c.printed, nullptr);
    const auto time = got.time ? got.time->time : std::nullopt;
    EXPECT_EQ(time, c.time);
    EXPECT_EQ(got.pid, c.pid);
    EXPECT_EQ(got.is_session, c.session);
  }
}

}  // namespace
}  // namespace ckpt::logs
