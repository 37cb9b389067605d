// SPDX-License-Identifier: Apache-2.0
#include "core/timeline.h"

#include <gmock/gmock.h>

#include <cmath>
#include <thread>

namespace ckpt {
namespace {

using ::testing::ElementsAre;

constexpr UnixSeconds kStart = 1'800'000'000;

TimelineSample Sample(double value) {
  TimelineSample sample;
  sample.Set(TimelineSeries::kLatencyMax, value);
  sample.Set(TimelineSeries::kWalRate, value);
  sample.Set(TimelineSeries::kWalSinceRedo, value);
  return sample;
}

const std::vector<float>& Column(const TimelineColumns& columns, TimelineSeries series) {
  return columns.values[static_cast<std::size_t>(series)];
}

TEST(Timeline, ReturnsWhatWasAdded) {
  Timeline timeline;
  for (int i = 0; i < 5; ++i) timeline.Add(kStart + i, Sample(i));
  const TimelineColumns columns = timeline.Snapshot().Query(kStart + 1, kStart + 3, 100);
  EXPECT_THAT(columns.time, ElementsAre(kStart + 1, kStart + 2, kStart + 3));
  EXPECT_THAT(Column(columns, TimelineSeries::kWalRate), ElementsAre(1, 2, 3));
  for (const float value : Column(columns, TimelineSeries::kCommits)) {
    EXPECT_TRUE(std::isnan(value));
  }
}

TEST(Timeline, AnswersNothingToAnEmptyQuestion) {
  Timeline timeline;
  EXPECT_TRUE(timeline.Snapshot().Query(0, 1e12, 100).time.empty());
  timeline.Add(kStart, Sample(1));
  const TimelineSnapshot snapshot = timeline.Snapshot();
  EXPECT_TRUE(snapshot.Query(kStart, kStart, 0).time.empty());
  EXPECT_TRUE(snapshot.Query(kStart + 1, kStart - 1, 10).time.empty());
  EXPECT_TRUE(snapshot.Query(std::nan(""), kStart, 10).time.empty());
  EXPECT_EQ(snapshot.Query(kStart, kStart, 10).time.size(), 1U);
}

TEST(Timeline, CombinesToMaxPointsEachSeriesInItsWay) {
  Timeline timeline;
  for (int i = 0; i < 100; ++i) timeline.Add(kStart + i, Sample(i));
  const TimelineColumns columns = timeline.Snapshot().Query(kStart, kStart + 99, 10);
  ASSERT_EQ(columns.time.size(), 10U);
  EXPECT_EQ(columns.time.front(), kStart);
  EXPECT_EQ(Column(columns, TimelineSeries::kLatencyMax).front(), 9);
  EXPECT_EQ(Column(columns, TimelineSeries::kWalRate).front(), 4.5);
  EXPECT_EQ(Column(columns, TimelineSeries::kWalSinceRedo).front(), 9);
  EXPECT_EQ(Column(columns, TimelineSeries::kLatencyMax).back(), 99);
}

TEST(Timeline, CombinesSamplesFasterThanItsStep) {
  Timeline timeline;
  for (int i = 0; i < 10; ++i) timeline.Add(kStart + i * 0.1, Sample(i));
  timeline.Add(kStart + 1, Sample(50));
  const TimelineColumns columns = timeline.Snapshot().Query(kStart, kStart + 2, 10);
  EXPECT_THAT(Column(columns, TimelineSeries::kLatencyMax), ElementsAre(9, 50));
  EXPECT_THAT(Column(columns, TimelineSeries::kWalRate), ElementsAre(4.5, 50));
}

TEST(Timeline, KeepsMinutesFineAndHoursCoarseInAHundredKilobytes) {
  Timeline timeline;
  const int last = 8 * 3600;
  std::size_t most = 0;
  for (int i = 0; i <= last; ++i) {
    timeline.Add(kStart + i, Sample(i));
    if (i % 100 == 0) most = std::max(most, timeline.Bytes());
  }
  EXPECT_LT(most, 110'000U);
  EXPECT_GT(timeline.Bytes(), 80'000U);
  const TimelineSnapshot snapshot = timeline.Snapshot();
  const TimelineColumns all = snapshot.Query(0, 1e12, 100'000);
  EXPECT_LE(all.time.front(), kStart + last - 6 * 3600);
  EXPECT_GE(all.time.front(), kStart + last - 6 * 3600 - 1000);
  EXPECT_EQ(all.time.back(), kStart + last);
  EXPECT_TRUE(std::is_sorted(all.time.begin(), all.time.end()));
  const TimelineColumns fine = snapshot.Query(kStart + last - 599, kStart + last, 100'000);
  EXPECT_EQ(fine.time.size(), 600U);
  const TimelineColumns coarse = snapshot.Query(kStart + last - 7200, kStart + last - 3600, 10'000);
  EXPECT_NEAR(static_cast<double>(coarse.time.size()), 240, 1);
}

TEST(Timeline, DropsTheFutureWhenTheClockIsSetBack) {
  Timeline timeline;
  for (int i = 0; i < 300; ++i) timeline.Add(kStart + i, Sample(i));
  timeline.Add(kStart + 99.5, Sample(1000));
  const TimelineColumns columns = timeline.Snapshot().Query(0, 1e12, 10'000);
  EXPECT_TRUE(std::is_sorted(columns.time.begin(), columns.time.end()));
  EXPECT_EQ(columns.time.back(), kStart + 99.5);
  EXPECT_EQ(columns.time.front(), kStart);
}

TEST(Timeline, SnapshotsDoNotChangeWhileItGoesOn) {
  Timeline timeline;
  for (int i = 0; i < 70; ++i) timeline.Add(kStart + i, Sample(i));
  const TimelineSnapshot snapshot = timeline.Snapshot();
  std::thread reader([snapshot] {
    for (int i = 0; i < 50; ++i) {
      EXPECT_EQ(snapshot.Query(0, 1e12, 1000).time.size(), 70U);
    }
  });
  for (int i = 70; i < 2000; ++i) timeline.Add(kStart + i, Sample(i));
  reader.join();
  EXPECT_EQ(snapshot.Query(0, 1e12, 1000).time.back(), kStart + 69);
}

}  // namespace
}  // namespace ckpt
