// SPDX-License-Identifier: Apache-2.0
#include "core/latency.h"

#include <gmock/gmock.h>

#include <cmath>

namespace ckpt {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

const MonotonicTime kStart{std::chrono::hours(100)};

TEST(LatencySplit, SplitsByWhetherACheckpointRan) {
  LatencySplit split;
  split.Add(Probe::kQuery, 0.0003, false, kStart);
  split.Add(Probe::kQuery, 0.2, true, kStart);
  split.Add(Probe::kQuery, 40, true, kStart);
  split.Add(Probe::kCommit, 0.004, false, kStart);
  const auto state = split.State(kStart);
  EXPECT_EQ(state->of(Probe::kQuery).idle().count(), 1U);
  EXPECT_EQ(state->of(Probe::kQuery).running().count(), 2U);
  EXPECT_EQ(state->of(Probe::kQuery).running().View().counts.back(), 1U);
  EXPECT_EQ(state->of(Probe::kCommit).idle().count(), 1U);
  EXPECT_EQ(state->of(Probe::kCommit).running().count(), 0U);
}

TEST(LatencySplit, PassesOverWhatBelongsToNeitherSide) {
  LatencySplit split;
  split.Add(Probe::kQuery, 0.1, std::nullopt, kStart);
  split.Add(Probe::kQuery, -0.1, true, kStart);
  split.Add(Probe::kQuery, std::nan(""), true, kStart);
  split.Add(Probe::kQuery, HUGE_VAL, true, kStart);
  const auto state = split.State(kStart);
  EXPECT_EQ(state->of(Probe::kQuery).idle().count(), 0U);
  EXPECT_EQ(state->of(Probe::kQuery).running().count(), 0U);
}

TEST(LatencySplit, TellsTheImpactOnlyWithEnoughSamples) {
  LatencySplit split;
  MonotonicTime now = kStart;
  for (int i = 0; i < 19; ++i, now += seconds(1)) {
    split.Add(Probe::kQuery, 0.001, false, now);
    split.Add(Probe::kQuery, 0.003, true, now);
  }
  EXPECT_FALSE(split.State(now)->of(Probe::kQuery).impact_ratio);
  split.Add(Probe::kQuery, 0.001, false, now);
  EXPECT_FALSE(split.State(now)->of(Probe::kQuery).impact_ratio);
  split.Add(Probe::kQuery, 0.003, true, now);
  const auto state = split.State(now);
  const ProbeLatency& query = state->of(Probe::kQuery);
  ASSERT_TRUE(query.impact_ratio);
  EXPECT_NEAR(*query.impact_ratio, 3.0, 0.3);
  EXPECT_NEAR(*query.median_ratio, 3.0, 0.3);
  EXPECT_NEAR(*query.median[0], 0.001, 0.0001);
  EXPECT_NEAR(*query.p95[1], 0.003, 0.0003);
  EXPECT_FALSE(state->of(Probe::kCommit).impact_ratio);
}

TEST(LatencySplit, IsNotMovedByAFewOutliers) {
  LatencySplit split;
  for (int i = 0; i < 100; ++i) {
    split.Add(Probe::kCommit, i < 4 ? 20.0 : 0.001, false, kStart);
    split.Add(Probe::kCommit, 0.001, true, kStart);
  }
  EXPECT_NEAR(*split.State(kStart)->of(Probe::kCommit).impact_ratio, 1.0, 0.1);
}

TEST(LatencySplit, ForgetsAfterAnHourButKeepsTheHistogram) {
  LatencySplit split;
  for (int i = 0; i < 50; ++i) {
    split.Add(Probe::kQuery, 0.001, false, kStart);
    split.Add(Probe::kQuery, 0.1, true, kStart);
  }
  EXPECT_TRUE(split.State(kStart + minutes(50))->of(Probe::kQuery).impact_ratio);
  const auto later = split.State(kStart + minutes(66));
  EXPECT_FALSE(later->of(Probe::kQuery).impact_ratio);
  EXPECT_EQ(later->of(Probe::kQuery).recent[1], 0U);
  EXPECT_EQ(later->of(Probe::kQuery).running().count(), 50U);
}

TEST(LatencySplit, SharesItsStateUntilItChanges) {
  LatencySplit split;
  split.Add(Probe::kQuery, 0.001, false, kStart);
  const auto first = split.State(kStart);
  EXPECT_EQ(first, split.State(kStart + seconds(1)));
  split.Add(Probe::kQuery, 0.001, false, kStart);
  EXPECT_NE(first, split.State(kStart + seconds(1)));
  EXPECT_EQ(first->of(Probe::kQuery).idle().count(), 1U);
}

TEST(LatencySplit, StaysSmallWhateverIsAdded) {
  LatencySplit split;
  for (int i = 0; i < 200'000; ++i) {
    split.Add(Probe::kQuery, 1e-7 * i * i, i % 3 == 0, kStart + seconds(i / 10));
  }
  EXPECT_LT(split.Bytes(), 20'000U);
  EXPECT_TRUE(split.State(kStart + seconds(20'000))->of(Probe::kQuery).impact_ratio);
}

}  // namespace
}  // namespace ckpt
