// SPDX-License-Identifier: Apache-2.0
#include "core/event_times.h"

#include <gtest/gtest.h>

#include <random>

namespace ckpt {
namespace {

TEST(SolveTimes, IsAsCentralAsTheRangesAndTheWorkAllow) {
  struct Case {
    const char* name;
    TimeRange start, end;
    std::optional<double> work;
    double at, total;
  };
  const Case cases[] = {
      {"no work known: from middle to middle", {10, 11}, {20, 22}, std::nullopt, 10.5, 10.5},
      {"work fits", {10, 11}, {20, 21}, 10.0, 10.5, 10.0},
      {"work is shorter than the ranges allow", {10, 11}, {20, 21}, 3.0, 11, 9},
      {"work is longer than the ranges allow", {10, 11}, {20, 21}, 30.0, 10, 11},
      {"short, inside one second", {10, 11}, {10, 11}, 0.03, 10.485, 0.03},
      {"exact", {10, 10}, {20, 20}, 5.0, 10, 10},
      {"the clock was set back", {3600, 3601}, {100, 101}, 30.0, 70.5, 30},
      {"the clock was set back, nothing known", {3600, 3601}, {100, 101}, std::nullopt, 100.5, 0},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const EventTimes times = SolveTimes(c.start, c.end, c.work);
    EXPECT_NEAR(times.start, c.at, 1e-9);
    EXPECT_NEAR(times.total_seconds, c.total, 1e-9);
    EXPECT_NEAR(times.end, c.at + c.total, 1e-9);
  }
}

TEST(SolveTimes, StaysWithinItsRanges) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> unit(0, 100);
  for (int i = 0; i < 20'000; ++i) {
    const double a = unit(random);
    const double b = a + unit(random) / 50;
    const double c = a + unit(random);
    const double d = c + unit(random) / 50;
    const TimeRange start{a, b};
    const TimeRange end{c, d};
    const EventTimes times = SolveTimes(start, end, unit(random) - 1);
    ASSERT_GE(times.total_seconds, 0);
    ASSERT_GE(times.start, a - 1e-9);
    ASSERT_LE(times.start, b + 1e-9);
    ASSERT_GE(times.end, c - 1e-9);
    ASSERT_LE(times.end, d + 1e-9);
  }
}

TEST(Intersect, IsEmptyForRangesApart) {
  EXPECT_FALSE(Intersect({1, 2}, {3, 4}));
  const auto both = Intersect({1, 3}, {2, 4});
  ASSERT_TRUE(both);
  EXPECT_EQ(both->from, 2);
  EXPECT_EQ(both->to, 3);
  EXPECT_TRUE(Intersect({1, 2}, {2, 3}));
}

}  // namespace
}  // namespace ckpt
