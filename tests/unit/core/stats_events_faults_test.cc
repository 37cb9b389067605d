// SPDX-License-Identifier: Apache-2.0
// Failures, lost statistics, clocks that are set, checkpoints seen by half.
#include <gmock/gmock.h>

#include "core/stats_events.h"
#include "event_checks.h"
#include "fake_checkpointer.h"

namespace ckpt {
namespace {

using testing::CheckSane;
using testing::Describe;
using testing::ExpectTimes;
using testing::FakeCheckpointer;
using testing::Watch;

constexpr int kVersions[] = {10, 11, 12, 13, 14, 15, 16, 17, 18, 19};

TEST(StatsEvents, InfersFailuresBeforeASuccess) {
  for (const int major : kVersions) {
    SCOPED_TRACE(major);
    FakeCheckpointer fake(major);
    for (int i = 0; i < 5; ++i) {
      fake.runs.push_back(
          {.start = 50.3 + i, .write = 0.002, .sync = 0, .immediate = true, .fails = true});
    }
    fake.runs.push_back({.start = 55.4, .write = 0.2, .sync = 0.1, .immediate = true});
    StatsEventDetector detector;
    const auto events = Watch(fake, &detector, 0.1, 100);
    CheckSane(events);
    ASSERT_EQ(events.size(), 2U) << Describe(events);
    EXPECT_TRUE(events[0].failed);
    EXPECT_EQ(events[0].coalesced, 5);
    EXPECT_NEAR(*events[0].start, fake.ServerTime(50.3), 1);
    EXPECT_FALSE(events[1].failed);
    EXPECT_EQ(events[1].coalesced, 1);
    ExpectTimes(events[1], fake, fake.runs.back());
    EXPECT_FALSE(events[1].buffers_written);
  }
}

TEST(StatsEvents, InfersAFailureThatNoSuccessFollows) {
  FakeCheckpointer fake(16);
  for (int i = 0; i < 8; ++i) {
    fake.runs.push_back(
        {.start = 50.3 + i, .write = 0.002, .sync = 0, .immediate = true, .fails = true});
  }
  StatsEventDetector detector;
  const auto events = Watch(fake, &detector, 0.1, 100);
  ASSERT_EQ(events.size(), 1U) << Describe(events);
  EXPECT_TRUE(events[0].failed);
  EXPECT_EQ(events[0].kind, EventKind::kCheckpoint);
  EXPECT_NEAR(*events[0].start, fake.ServerTime(50.3), 1);
  EXPECT_NEAR(*events[0].end, fake.ServerTime(58.3), 1.5);
}

TEST(StatsEvents, OneGlimpseOfWorkIsNoFailure) {
  FakeCheckpointer fake(16);
  fake.runs = {{.start = 50.95, .write = 0.1, .sync = 0, .fails = true}};
  StatsEventDetector detector;
  EXPECT_TRUE(Watch(fake, &detector, 0, 60, 0.5).size() <= 1);
  StatsEventDetector slower;
  EXPECT_TRUE(Watch(fake, &slower, 0, 60, 1.0).empty());
}

TEST(StatsEvents, ResetOfStatisticsLosesNumbersNotEvents) {
  for (const int major : kVersions) {
    SCOPED_TRACE(major);
    FakeCheckpointer fake(major);
    fake.runs = {{.start = 50.4, .write = 60, .sync = 0.5, .timed = true, .buffers = 1000},
                 {.start = 350.4, .write = 60, .sync = 0.5, .timed = true, .buffers = 800}};
    fake.reset_at = 80;
    StatsEventDetector detector;
    const auto events = Watch(fake, &detector, 0.5, 450);
    CheckSane(events);
    ASSERT_EQ(events.size(), 2U) << Describe(events);
    ExpectTimes(events[0], fake, fake.runs[0]);
    EXPECT_FALSE(events[0].buffers_written);  // a part of them was counted before
    EXPECT_NEAR(events[0].write_seconds.value_or(0), 60, 1e-6);
    EXPECT_EQ(events[1].buffers_written, 800);
    EXPECT_EQ(events[1].reason, Reason::kTime);
  }
}

TEST(StatsEvents, ClockStepsMakeNoNegativeDuration) {
  for (const double step : {-3600.0, -5.0, 5.0, 3600.0}) {
    for (const bool visible : {true, false}) {
      SCOPED_TRACE(::testing::Message() << step << visible);
      FakeCheckpointer fake(15);
      fake.visible = visible;
      fake.clock = [step](double t) { return t > 80 ? step : 0; };
      fake.runs = {{.start = 50.4, .write = 60, .sync = 0.5, .timed = true},
                   {.start = 350.4, .write = 60, .sync = 0.5, .timed = true}};
      StatsEventDetector detector;
      const auto events = Watch(fake, &detector, 0.5, 450);
      CheckSane(events);
      ASSERT_EQ(events.size(), 2U) << Describe(events);
      EXPECT_NEAR(events[0].total_seconds.value_or(0), 60.5, 1.2);
      EXPECT_NEAR(*events[0].end, fake.ServerTime(fake.runs[0].end()), 1.0);
      ExpectTimes(events[1], fake, fake.runs[1]);
      EXPECT_EQ(events[1].reason, Reason::kTime);
    }
  }
}

TEST(StatsEvents, FirstPulseIsNoEventAndAHalfSeenOneHasNoBuffers) {
  FakeCheckpointer fake(17);
  fake.runs = {{.start = 10, .write = 60, .sync = 0.5, .timed = true, .buffers = 1000}};
  StatsEventDetector detector;
  EXPECT_TRUE(detector.Step(fake.Pulse(40), fake.settings(), fake.server()).empty());
  ASSERT_TRUE(detector.running());
  const auto events = Watch(fake, &detector, 41, 90);
  ASSERT_EQ(events.size(), 1U);
  EXPECT_FALSE(events[0].buffers_written);
  EXPECT_NEAR(events[0].write_seconds.value_or(0), 60, 1e-6);
  ExpectTimes(events[0], fake, fake.runs[0]);
  EXPECT_FALSE(detector.running());
}

}  // namespace
}  // namespace ckpt
