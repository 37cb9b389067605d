// SPDX-License-Identifier: Apache-2.0
#include "core/wal_sizing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/forced_trigger.h"

namespace ckpt {
namespace {

constexpr double kMegabyte = 1024.0 * 1024.0;
constexpr double kGigabyte = 1024.0 * kMegabyte;

WalSizingInput Rate(double bytes_per_second) {
  WalSizingInput input;
  input.wal_bytes_per_second = bytes_per_second;
  return input;
}

// The server's own arithmetic, with the recommended size in force: the least distance from any redo
// position to the trigger.
double LeastDistance(const WalSizingInput& input, double max_wal_size) {
  Settings settings;
  settings.max_wal_size = max_wal_size;
  settings.wal_segment_size = input.segment_bytes;
  settings.checkpoint_completion_target = input.completion_target;
  const auto trigger = ReadForcedTrigger(settings, {input.major_version * 10000});
  return trigger ? static_cast<double>((trigger->segments - 1) * trigger->segment_bytes) : 0;
}

TEST(WalSizing, ByHand) {
  // 10 MB/s x 300 s = 3000 MB = 187.5, so 188 segments and one for where redo lies; x 1.9 is 360
  // segments (359.1), 5760 MB; the step there is 1 GB.
  const WalSizing sizing = SizeWal(Rate(10 * kMegabyte));
  EXPECT_EQ(sizing.need_bytes, 360 * 16 * kMegabyte);
  EXPECT_EQ(sizing.recommended_bytes, 6 * kGigabyte);
  EXPECT_EQ(sizing.limited_by, WalSizeLimit::kNone);
  EXPECT_NEAR(sizing.forced_interval, 6144 / 1.9 / 10, 1e-6);
  EXPECT_EQ(sizing.replay_bytes, 6 * kGigabyte);
  EXPECT_FALSE(sizing.redo_observed);
  EXPECT_NEAR(sizing.replay_seconds, 614.4, 1e-6);
}

TEST(WalSizing, Version10DividesByMore) {
  WalSizingInput input = Rate(10 * kMegabyte);
  input.major_version = 10;
  input.completion_target = 0.5;
  EXPECT_EQ(SizeWal(input).need_bytes, std::ceil(189 * 2.5) * 16 * kMegabyte);
}

TEST(WalSizing, FullPageImagesThatLongerIntervalsSave) {
  WalSizingInput input = Rate(10 * kMegabyte);
  input.fpi_ratio = 0.8;
  input.mean_interval = 75;  // a quarter of the timeout: the square root halves the images
  const WalSizing sizing = SizeWal(input);
  EXPECT_NEAR(sizing.wal_saved_ratio, 0.4, 1e-9);
  EXPECT_NEAR(sizing.wal_saved_most, 0.6, 1e-9);
  EXPECT_EQ(sizing.need_bytes, std::ceil((std::ceil(1800 / 16.0) + 1) * 1.9) * 16 * kMegabyte);
}

TEST(WalSizing, ObservedRedoTellsTheTime) {
  WalSizingInput input = Rate(10 * kMegabyte);
  input.redo_bytes_per_second = 100 * kMegabyte;
  const WalSizing sizing = SizeWal(input);
  EXPECT_TRUE(sizing.redo_observed);
  EXPECT_NEAR(sizing.replay_seconds, 61.44, 1e-6);
}

TEST(WalSizing, Limits) {
  WalSizingInput input = Rate(10 * kMegabyte);
  input.limits.wal_disk_bytes = 5 * kGigabyte;
  WalSizing sizing = SizeWal(input);
  EXPECT_EQ(sizing.limited_by, WalSizeLimit::kDisk);
  EXPECT_EQ(sizing.recommended_bytes, 3 * kGigabyte);
  input.redo_bytes_per_second = 20 * kMegabyte;
  input.limits.recovery_time_objective = 60;
  sizing = SizeWal(input);
  EXPECT_EQ(sizing.limited_by, WalSizeLimit::kRecovery);
  EXPECT_EQ(sizing.recommended_bytes, 1024 * kMegabyte);  // 1200 MB in steps of 256 MB
  EXPECT_NEAR(sizing.forced_interval, 1024 / 1.9 / 10, 1e-6);
}

// Random inputs, a fixed seed.
class WalSizingProperty : public ::testing::Test {
 protected:
  WalSizingInput Random() {
    const auto uniform = [this](double low, double high) {
      return std::uniform_real_distribution<double>(low, high)(engine_);
    };
    WalSizingInput input;
    input.wal_bytes_per_second = std::exp(uniform(0, 22));
    input.checkpoint_timeout = uniform(30, 86400);
    input.completion_target = uniform(0, 1);
    input.segment_bytes = kMegabyte * std::exp2(std::floor(uniform(0, 10.99)));
    input.major_version = static_cast<int>(uniform(10, 20));
    if (uniform(0, 1) < 0.5) input.fpi_ratio = uniform(0, 1);
    if (uniform(0, 1) < 0.5) input.mean_interval = uniform(1, 90000);
    if (uniform(0, 1) < 0.5) input.redo_bytes_per_second = std::exp(uniform(10, 21));
    if (uniform(0, 1) < 0.4) input.limits.wal_disk_bytes = uniform(0.1, 4000) * kGigabyte;
    if (uniform(0, 1) < 0.4) input.limits.recovery_time_objective = uniform(1, 86400);
    return input;
  }
  std::minstd_rand engine_{20261130};
};

TEST_F(WalSizingProperty, NeverFallsAsTheWalRateRises) {
  for (int i = 0; i < 5000; ++i) {
    WalSizingInput input = Random();
    const WalSizing less = SizeWal(input);
    input.wal_bytes_per_second *= 1 + std::uniform_real_distribution<double>(0, 2)(engine_);
    const WalSizing more = SizeWal(input);
    ASSERT_GE(more.need_bytes, less.need_bytes) << "case " << i;
    ASSERT_GE(more.recommended_bytes, less.recommended_bytes)
        << "case " << i << " rate " << input.wal_bytes_per_second << " timeout "
        << input.checkpoint_timeout << " segment " << input.segment_bytes << " limits "
        << input.limits.wal_disk_bytes.value_or(0) << " "
        << input.limits.recovery_time_objective.value_or(0) << " redo "
        << input.redo_bytes_per_second.value_or(0);
  }
}

TEST_F(WalSizingProperty, TheTimerComesFirstUnlessALimitHoldsTheSize) {
  for (int i = 0; i < 5000; ++i) {
    WalSizingInput input = Random();
    input.wal_bytes_per_second = std::min(input.wal_bytes_per_second, 1e9);
    const WalSizing sizing = SizeWal(input);
    if (sizing.limited_by != WalSizeLimit::kNone) {
      ASSERT_LE(sizing.recommended_bytes, std::max(sizing.need_bytes, 4 * input.segment_bytes) * 2);
      continue;
    }
    ASSERT_GE(sizing.recommended_bytes, sizing.need_bytes) << "case " << i;
    const double kept = 1 - input.fpi_ratio.value_or(0) *
                                FpiSaved(input.mean_interval.value_or(input.checkpoint_timeout),
                                         input.checkpoint_timeout);
    const double written = input.wal_bytes_per_second * kept * input.checkpoint_timeout;
    ASSERT_GE(LeastDistance(input, sizing.recommended_bytes), written * (1 - 1e-9)) << "case " << i;
  }
}

TEST_F(WalSizingProperty, RespectsLimitsAndWholeSegments) {
  for (int i = 0; i < 5000; ++i) {
    const WalSizingInput input = Random();
    const WalSizing sizing = SizeWal(input);
    const double fewest = 4 * input.segment_bytes;
    ASSERT_EQ(std::fmod(sizing.recommended_bytes, input.segment_bytes), 0) << "case " << i;
    if (input.limits.wal_disk_bytes) {
      ASSERT_LE(sizing.recommended_bytes, std::max(fewest, 0.6 * *input.limits.wal_disk_bytes));
    }
    if (input.limits.recovery_time_objective && sizing.recommended_bytes > fewest) {
      ASSERT_LE(sizing.replay_seconds, *input.limits.recovery_time_objective * (1 + 1e-9));
    }
    ASSERT_GE(sizing.wal_saved_most, sizing.wal_saved_ratio - 1e-12) << "case " << i;
    ASSERT_LT(sizing.wal_saved_most, 1) << "case " << i;
  }
}

}  // namespace
}  // namespace ckpt
