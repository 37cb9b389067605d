// SPDX-License-Identifier: Apache-2.0
#include "core/amounts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace ckpt {
namespace {

constexpr double kMegabyte = 1024.0 * 1024.0;

TEST(Amounts, Bytes) {
  EXPECT_EQ(BytesText(0), "0 B");
  EXPECT_EQ(BytesText(999), "999 B");
  EXPECT_EQ(BytesText(1024), "1 kB");
  EXPECT_EQ(BytesText(1.5 * kMegabyte), "1.5 MB");
  EXPECT_EQ(BytesText(528 * kMegabyte), "528 MB");
  EXPECT_EQ(BytesText(6144 * kMegabyte), "6 GB");
  EXPECT_EQ(BytesText(-1), "?");
  EXPECT_EQ(BytesText(std::numeric_limits<double>::quiet_NaN()), "?");
  EXPECT_EQ(BytesText(std::numeric_limits<double>::infinity()), "?");
}

TEST(Amounts, Durations) {
  EXPECT_EQ(DurationText(0.0034), "3.4 ms");
  EXPECT_EQ(DurationText(0.25), "250 ms");
  EXPECT_EQ(DurationText(45), "45 s");
  EXPECT_EQ(DurationText(570), "9.5 min");
  EXPECT_EQ(DurationText(12600), "3.5 h");
  EXPECT_EQ(DurationText(172800), "2 days");
}

TEST(Amounts, Ratios) {
  EXPECT_EQ(PercentText(0.354), "35 %");
  EXPECT_EQ(PercentText(0.035), "3.5 %");
  EXPECT_EQ(PercentText(1), "100 %");
}

TEST(Amounts, SettingsAsPostgresSpellsThem) {
  EXPECT_EQ(SizeSetting(6144 * kMegabyte), "6GB");
  EXPECT_EQ(SizeSetting(1536 * kMegabyte), "1536MB");
  EXPECT_EQ(SizeSetting(256 * 1024), "256kB");
  EXPECT_EQ(TimeSetting(900), "15min");
  EXPECT_EQ(TimeSetting(90), "90s");
  EXPECT_EQ(TimeSetting(0.05), "50ms");
}

}  // namespace
}  // namespace ckpt
