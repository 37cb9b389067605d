// SPDX-License-Identifier: Apache-2.0
#include "logs/timestamp.h"

#include <gtest/gtest.h>

#include <string>

namespace ckpt::logs {
namespace {

// 2026-11-30 21:27:19 UTC, checked with date(1).
constexpr double kTime = 1796074039;

TEST(Timestamp, ReadsWhatTheServerAndContainersPrint) {
  struct Case {
    std::string text;
    std::optional<double> time;
    std::size_t length;
    bool fraction;
  };
  const Case cases[] = {
      {"2026-11-30 21:27:19 UTC", kTime, 23, false},
      {"2026-11-30 21:27:19.468 UTC [1] ", kTime + 0.468, 27, true},
      {"2026-11-30 21:27:19.468 GMT", kTime + 0.468, 27, true},
      {"2026-12-01 00:27:19 +03 x", kTime, 23, false},
      {"2026-11-30 17:57:19.5 -0330", kTime + 0.5, 27, true},
      {"2026-12-01 02:57:19 +05:30", kTime, 26, false},
      {"2026-11-30 21:27:19 UTC::@:[773]:LOG:  x", kTime, 23, false},
      {"2026-11-30T21:27:19.123456789Z stderr F x", kTime + 0.123456789, 30, true},
      {"2026-11-30T22:27:19.25+01:00 x", kTime + 0.25, 28, true},
      // An abbreviation names no offset: unknown, not wrong.
      {"2026-11-30 22:27:19 CET", std::nullopt, 23, false},
      {"2026-11-30 22:27:19", std::nullopt, 19, false},
      {"1970-01-01 00:00:00 UTC", 0, 23, false},
      {"2024-02-29 00:00:00 UTC", 1709164800, 23, false},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    const auto got = ParseTimestamp(c.text, nullptr);
    ASSERT_TRUE(got);
    ASSERT_EQ(got->time.has_value(), c.time.has_value());
    if (c.time) {
      EXPECT_NEAR(*got->time, *c.time, 1e-6);
    }
    EXPECT_EQ(got->length, c.length);
    EXPECT_EQ(got->has_fraction, c.fraction);
  }
}

TEST(Timestamp, RejectsWhatIsNone) {
  for (const char* text :
       {"", "2026", "2026-11-30", "2026-11-30 21:27", "x2026-11-30 21:27:19 UTC",
        "2026-13-30 21:27:19 UTC", "2026-02-30 21:27:19 UTC", "2025-02-29 00:00:00 UTC",
        "2026-11-30 24:27:19 UTC", "2026-11-30 21:60:19 UTC", "2026-11-30 21:27:61 UTC",
        "2026-11-30_21:27:19 UTC", "2026/11/30 21:27:19 UTC", "1796074039.468"}) {
    EXPECT_FALSE(ParseTimestamp(text, nullptr)) << text;
  }
}

TEST(Timestamp, AsksTheResolverForAbbreviations) {
  const auto fixed = ParseTimestamp("2026-11-30 22:27:19 CET", FixedZone(3600));
  ASSERT_TRUE(fixed);
  EXPECT_EQ(fixed->time, kTime);
  // It is told the local time, to know summer from winter.
  const ZoneResolver resolver = [](std::string_view name,
                                   std::int64_t local) -> std::optional<std::int32_t> {
    EXPECT_EQ(local, static_cast<std::int64_t>(kTime));
    return name == "EST" ? std::optional<std::int32_t>(-5 * 3600) : std::nullopt;
  };
  EXPECT_EQ(ParseTimestamp("2026-11-30 21:27:19 EST", resolver)->time, kTime + 5 * 3600);
  EXPECT_FALSE(ParseTimestamp("2026-11-30 21:27:19 XYZ", resolver)->time);
  // Never for what is certain.
  EXPECT_EQ(ParseTimestamp("2026-11-30 21:27:19 UTC", FixedZone(3600))->time, kTime);
}

TEST(Timestamp, ReadsAnEpoch) {
  const auto got = ParseEpoch("1796074039.468|");
  ASSERT_TRUE(got);
  EXPECT_EQ(got->time, kTime + 0.468);
  EXPECT_EQ(got->length, 14U);
  for (const char* text : {"", "1796074039", "179607403.468", "1796074039.46", "1796074039.4681"}) {
    EXPECT_FALSE(ParseEpoch(text)) << text;
  }
}

TEST(Timestamp, PrefersTheFinerOfTwoTimes) {
  const Timestamp coarse{100.0, false, 0};
  const Timestamp fine{100.25, true, 0};
  EXPECT_EQ(BetterTime(coarse, std::nullopt), 100.0);
  EXPECT_EQ(BetterTime(coarse, 100.7), 100.7);
  EXPECT_EQ(BetterTime(coarse, 101.9), 101.9);
  EXPECT_EQ(BetterTime(coarse, 103.0), 100.0);  // it waited in a buffer
  EXPECT_EQ(BetterTime(coarse, 99.0), 100.0);
  EXPECT_EQ(BetterTime(fine, 100.3), 100.25);
  EXPECT_EQ(BetterTime(std::nullopt, 5.0), 5.0);
  EXPECT_EQ(BetterTime(Timestamp{std::nullopt, true, 0}, 5.0), 5.0);
  EXPECT_FALSE(BetterTime(std::nullopt, std::nullopt));
}

}  // namespace
}  // namespace ckpt::logs
