// SPDX-License-Identifier: Apache-2.0
#include "core/stats_events.h"

#include <gmock/gmock.h>

#include "event_checks.h"
#include "fake_checkpointer.h"

namespace ckpt {
namespace {

using testing::CheckSane;
using testing::Describe;
using testing::ExpectTimes;
using testing::FakeCheckpointer;
using testing::Pass;
using testing::Watch;

constexpr int kVersions[] = {10, 11, 12, 13, 14, 15, 16, 17, 18, 19};
constexpr double kGiga = 1024.0 * 1024.0 * 1024.0;

TEST(StatsEvents, DatesASpreadCheckpointWithinASecond) {
  for (const int major : kVersions) {
    for (const double phase : {0.0, 0.31, 0.77}) {
      SCOPED_TRACE(::testing::Message() << major << " " << phase);
      FakeCheckpointer fake(major);
      fake.runs = {{.start = 50.4, .write = 120.2, .sync = 0.8, .timed = true, .buffers = 4000}};
      StatsEventDetector detector;
      const auto events = Watch(fake, &detector, phase, 200);
      CheckSane(events);
      ASSERT_EQ(events.size(), 1U) << Describe(events);
      ExpectTimes(events[0], fake, fake.runs[0]);
      EXPECT_EQ(events[0].kind, EventKind::kCheckpoint);
      EXPECT_EQ(events[0].reason, Reason::kTime);
      EXPECT_FALSE(events[0].failed);
      EXPECT_NEAR(events[0].write_seconds.value_or(0), 120.2, 1e-6);
      EXPECT_NEAR(events[0].sync_seconds.value_or(0), 0.8, 1e-6);
      EXPECT_EQ(events[0].buffers_written, 4000);
      EXPECT_NEAR(events[0].buffers_ratio.value_or(0), 4000 / 16384.0, 1e-9);
      EXPECT_EQ(events[0].redo_lsn, fake.Position(50.4));
    }
  }
}

TEST(StatsEvents, DatesAShortCheckpointWithinASecond) {
  for (const int major : kVersions) {
    for (const double phase : {0.0, 0.31, 0.77}) {
      SCOPED_TRACE(::testing::Message() << major << " " << phase);
      FakeCheckpointer fake(major);
      fake.runs = {{.start = 50.4, .write = 0.02, .sync = 0.01, .immediate = true}};
      StatsEventDetector detector;
      const auto events = Watch(fake, &detector, phase, 100);
      ASSERT_EQ(events.size(), 1U) << Describe(events);
      ExpectTimes(events[0], fake, fake.runs[0]);
      EXPECT_EQ(events[0].reason, Reason::kRequest);
      EXPECT_NEAR(events[0].total_seconds.value_or(9), 0.03, 0.001);
    }
  }
}

TEST(StatsEvents, DatesTheEndAfterWalRemoval) {
  for (const int major : kVersions) {
    SCOPED_TRACE(major);
    FakeCheckpointer fake(major);
    fake.runs = {{.start = 50.4, .write = 30, .sync = 0.5, .removal = 7.2, .timed = true}};
    StatsEventDetector detector;
    const auto events = Watch(fake, &detector, 0.5, 150);
    ASSERT_EQ(events.size(), 1U) << Describe(events);
    ExpectTimes(events[0], fake, fake.runs[0]);
    EXPECT_EQ(events[0].reason, Reason::kTime);
    EXPECT_NEAR(events[0].write_seconds.value_or(0), 30, 1e-6);
  }
}

TEST(StatsEvents, NeedsNoSightOfTheCheckpointerOnAPrimary) {
  for (const int major : kVersions) {
    SCOPED_TRACE(major);
    FakeCheckpointer fake(major);
    fake.visible = false;
    fake.runs = {{.start = 20, .timed = true, .skipped = true},
                 {.start = 50.4, .write = 60, .sync = 0.5, .timed = true},
                 {.start = 150.6, .write = 0.03, .sync = 0.03, .immediate = true}};
    StatsEventDetector detector;
    const auto events = Watch(fake, &detector, 0.5, 200);
    CheckSane(events);
    ASSERT_EQ(events.size(), 2U) << Describe(events);
    ExpectTimes(events[0], fake, fake.runs[1]);
    ExpectTimes(events[1], fake, fake.runs[2]);
    EXPECT_EQ(events[0].reason, Reason::kTime);
    EXPECT_EQ(events[1].reason, Reason::kRequest);
    EXPECT_FALSE(detector.activity().in_progress.has_value());
  }
}

TEST(StatsEvents, SeesWhenWalForcedIt) {
  for (const int major : kVersions) {
    for (const bool visible : {true, false}) {
      SCOPED_TRACE(::testing::Message() << major << visible);
      FakeCheckpointer fake(major);
      fake.visible = visible;
      fake.wal_rate = 2e6;
      const auto trigger = ReadForcedTrigger(fake.settings(), fake.server().version);
      // From the redo position at -100 s to the trigger.
      const double due =
          static_cast<double>(trigger->TriggerLsn(fake.Position(-100)) - fake.Position(0)) /
          fake.wal_rate;
      ASSERT_GT(due, 0);
      fake.runs = {{.start = due + 0.01, .write = 20, .sync = 0.3}};
      StatsEventDetector detector;
      const auto events = Watch(fake, &detector, -2, due + 60);
      ASSERT_EQ(events.size(), 1U) << Describe(events);
      EXPECT_EQ(events[0].reason, Reason::kWal);
      // A hundred seconds before it nobody but a user can have asked.
      fake.runs[0].start = due - 100;
      StatsEventDetector other;
      const auto early = Watch(fake, &other, due - 150, due);
      ASSERT_EQ(early.size(), 1U);
      EXPECT_EQ(early[0].reason, Reason::kRequest);
    }
  }
}

TEST(StatsEvents, UsesTheTriggerThatWasInForceWhenItBegan) {
  FakeCheckpointer fake(15);
  fake.wal_rate = 5e6;
  fake.runs = {{.start = 100, .write = 30, .sync = 0.3}};  // 1 GB after redo: forced
  fake.settings().max_wal_size = 1.0 * kGiga;
  StatsEventDetector detector;
  Watch(fake, &detector, 50, 120);
  fake.settings().max_wal_size = 10.0 * kGiga;
  const auto events = Watch(fake, &detector, 121, 160);
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].reason, Reason::kWal);
}

TEST(StatsEvents, SkippedOnesAreNoEvents) {
  for (const int major : kVersions) {
    SCOPED_TRACE(major);
    FakeCheckpointer fake(major);
    fake.wal_rate = 10;
    for (int i = 1; i <= 5; ++i) {
      fake.runs.push_back({.start = i * 300.2, .timed = true, .skipped = true});
    }
    fake.runs.push_back({.start = 1600.3, .write = 0.02, .sync = 0.02, .immediate = true});
    StatsEventDetector detector;
    const auto events = Watch(fake, &detector, 0.5, 1650);
    ASSERT_EQ(events.size(), 1U) << Describe(events);
    EXPECT_EQ(events[0].coalesced, 1);
    EXPECT_EQ(events[0].reason, Reason::kRequest);
  }
}

TEST(StatsEvents, CountsSeveralCheckpointsWithinOnePulse) {
  for (const int major : kVersions) {
    SCOPED_TRACE(major);
    FakeCheckpointer fake(major);
    fake.runs = {{.start = 50.05, .immediate = true},  // as CREATE DATABASE does
                 {.start = 50.20, .immediate = true},
                 {.start = 50.35, .immediate = true}};
    StatsEventDetector detector;
    const auto events = Watch(fake, &detector, 0, 100);
    CheckSane(events);
    int total = 0;
    for (const CheckpointEvent& e : events) {
      total += e.coalesced;
      EXPECT_EQ(e.reason, Reason::kRequest);
    }
    EXPECT_EQ(total, 3) << Describe(events);
    ASSERT_FALSE(events.empty());
    EXPECT_EQ(events.back().coalesced, 1);
    EXPECT_EQ(events.back().redo_lsn, fake.Position(50.35));
    EXPECT_FALSE(events.back().write_seconds);
  }
}

TEST(StatsEvents, CountsAcrossMissingPulses) {
  for (const int major : kVersions) {
    SCOPED_TRACE(major);
    FakeCheckpointer fake(major);
    fake.wal_rate = 1e5;
    fake.runs = {{.start = 50.4, .write = 20, .timed = true},
                 {.start = 100.4, .write = 2, .immediate = true},
                 {.start = 350.4, .write = 20, .timed = true}};
    StatsEventDetector detector;
    Watch(fake, &detector, 0, 40);
    const auto events = Watch(fake, &detector, 500, 520);  // nothing was heard for minutes
    CheckSane(events);
    int total = 0;
    int timed = 0;
    for (const CheckpointEvent& e : events) {
      total += e.coalesced;
      if (e.reason == Reason::kTime) timed += e.coalesced;
    }
    EXPECT_EQ(total, 3) << Describe(events);
    EXPECT_EQ(timed, 2) << Describe(events);
    // The last one's own times come from the control file, however long ago it was.
    ASSERT_FALSE(events.empty());
    EXPECT_NEAR(*events.back().start, fake.ServerTime(350.4), 1);
    EXPECT_NEAR(*events.back().end, fake.ServerTime(fake.runs[2].end()), 1);
  }
}

TEST(StatsEvents, FollowsCheckpointsThatNeverPause) {
  for (const int major : kVersions) {
    SCOPED_TRACE(major);
    FakeCheckpointer fake(major);
    double t = 20.3;
    for (int i = 0; i < 60; ++i) {
      const Pass run{.start = t, .write = 0.31 + 0.05 * (i % 5), .sync = 0.07, .immediate = true};
      fake.runs.push_back(run);
      t = run.end() + 0.001;
    }
    StatsEventDetector detector;
    const auto events = Watch(fake, &detector, 0.2, t + 20);
    CheckSane(events);
    int total = 0;
    for (const CheckpointEvent& e : events) total += e.coalesced;
    // To 14 the statistics are half a second late, so that the last ones may come when all is idle.
    EXPECT_NEAR(total, 60, major <= 14 ? 2 : 1) << Describe(events);
  }
}

TEST(StatsEvents, TellsLongCheckpointsThatFollowEachOther) {
  for (const int major : kVersions) {
    for (const bool visible : {true, false}) {
      SCOPED_TRACE(::testing::Message() << major << visible);
      FakeCheckpointer fake(major);
      fake.visible = visible;
      double t = 20.3;
      for (int i = 0; i < 12; ++i) {
        fake.runs.push_back({.start = t, .write = 24.4, .sync = 0.25, .buffers = 700 + i});
        t = fake.runs.back().end() + 0.002;
      }
      StatsEventDetector detector;
      const auto events = Watch(fake, &detector, 0.2, t + 20);
      CheckSane(events);
      ASSERT_EQ(events.size(), 12U) << Describe(events);
      for (std::size_t i = 0; i < 12; ++i) {
        ExpectTimes(events[i], fake, fake.runs[i]);
        EXPECT_EQ(events[i].coalesced, 1);
        EXPECT_NEAR(events[i].write_seconds.value_or(0), 24.4, 1e-6);
      }
    }
  }
}

TEST(StatsEvents, SeesRestartpointsOfAStandby) {
  for (const int major : kVersions) {
    SCOPED_TRACE(major);
    FakeCheckpointer fake(major);
    fake.standby = true;
    fake.runs = {{.start = 50.4, .write = 60, .sync = 0.5, .timed = true},
                 {.start = 125.4, .timed = true, .skipped = true},
                 {.start = 140.4, .timed = true, .skipped = true},
                 {.start = 200.4, .write = 0.2, .sync = 0.1, .immediate = true}};
    StatsEventDetector detector;
    const auto events = Watch(fake, &detector, 0.5, 250);
    CheckSane(events);
    ASSERT_EQ(events.size(), 2U) << Describe(events);
    EXPECT_EQ(events[0].kind, EventKind::kRestartpoint);
    EXPECT_EQ(events[0].reason, Reason::kTime);
    EXPECT_EQ(events[1].reason, Reason::kRequest);
    ExpectTimes(events[0], fake, fake.runs[0]);
    ExpectTimes(events[1], fake, fake.runs[3]);
  }
}

TEST(StatsEvents, SeesRestartpointsWithoutSightOfTheCheckpointer) {
  for (const int major : kVersions) {
    SCOPED_TRACE(major);
    FakeCheckpointer fake(major);
    fake.standby = true;
    fake.visible = false;
    fake.runs = {{.start = 50.4, .write = 60, .sync = 0.5, .timed = true}};
    StatsEventDetector detector;
    const auto events = Watch(fake, &detector, 0.5, 250);
    ASSERT_EQ(events.size(), 1U) << Describe(events);
    ExpectTimes(events[0], fake, fake.runs[0]);
    EXPECT_EQ(events[0].reason, Reason::kTime);
  }
}

}  // namespace
}  // namespace ckpt
