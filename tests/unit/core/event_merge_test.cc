// SPDX-License-Identifier: Apache-2.0
#include "core/event_merge.h"

#include <gmock/gmock.h>

#include "core/stats.h"

namespace ckpt {
namespace {

using std::chrono::seconds;

const MonotonicTime kNow{std::chrono::hours(10)};
constexpr UnixSeconds kStart = 1'800'000'000;

CheckpointEvent Stats(double start, double end, OptionalInt redo = std::nullopt) {
  CheckpointEvent event;
  event.reason = Reason::kRequest;
  event.start = kStart + start;
  event.end = kStart + end;
  event.total_seconds = end - start;
  event.redo_lsn = redo;
  return event;
}

CheckpointEvent Log(double start, double end, OptionalInt redo = std::nullopt) {
  CheckpointEvent event = Stats(start, end, redo);
  event.flags.Add(CheckpointFlag::kWal);
  event.reason = ReasonOf(event.flags);
  event.origin = EventOrigin::kLog;
  event.sync_files = 17;
  return event;
}

class EventMergeTest : public ::testing::Test {
 protected:
  EventMergeTest() { merger_.ExpectLog(true); }
  EventMerger merger_;
};

TEST_F(EventMergeTest, StatsThenLogIsOneEventWithTheLogsNumbers) {
  CheckpointEvent stats = Stats(0.4, 30, 111);
  stats.buffers_written = 5;
  EXPECT_TRUE(merger_.AddStats(stats, kNow).empty());
  const auto out = merger_.AddLog(Log(0, 30.2), kNow + seconds(1));
  ASSERT_EQ(out.size(), 1U);
  EXPECT_TRUE(out[0].counts);
  EXPECT_FALSE(out[0].replaces);
  EXPECT_EQ(out[0].event.origin, EventOrigin::kBoth);
  EXPECT_EQ(out[0].event.reason, Reason::kWal);
  EXPECT_EQ(out[0].event.start, kStart + 0);
  EXPECT_EQ(out[0].event.redo_lsn, 111);  // which a log before 16 does not tell
  EXPECT_EQ(out[0].event.buffers_written, 5);
  EXPECT_EQ(out[0].event.sync_files, 17);
  EXPECT_TRUE(merger_.Step(kNow + seconds(100)).empty());
  EXPECT_EQ(merger_.counts(), (MergeCounts{1, 1, 1, 0, 0}));
}

TEST_F(EventMergeTest, LogIsGivenOutAtOnceAndItsTwinIsNotCounted) {
  const auto first = merger_.AddLog(Log(0, 30.2, 111), kNow);
  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(first[0].event.origin, EventOrigin::kLog);
  const auto second = merger_.AddStats(Stats(0.4, 30, 111), kNow + seconds(2));
  ASSERT_EQ(second.size(), 1U);
  EXPECT_EQ(second[0].id, first[0].id);
  EXPECT_TRUE(second[0].replaces);
  EXPECT_FALSE(second[0].counts);
  EXPECT_EQ(second[0].event.origin, EventOrigin::kBoth);
  EXPECT_EQ(merger_.counts(), (MergeCounts{1, 1, 1, 0, 0}));
}

TEST_F(EventMergeTest, StatsWaitForTheLogButNotForEver) {
  EXPECT_TRUE(merger_.AddStats(Stats(0, 30, 1), kNow).empty());
  EXPECT_TRUE(merger_.Step(kNow + seconds(9)).empty());
  const auto out = merger_.Step(kNow + seconds(10));
  ASSERT_EQ(out.size(), 1U);
  EXPECT_EQ(out[0].event.origin, EventOrigin::kStats);
  EXPECT_TRUE(out[0].counts);
  EXPECT_TRUE(merger_.Step(kNow + seconds(11)).empty());
  // A log that comes late still tells the details, under the same id, uncounted.
  const auto late = merger_.AddLog(Log(0, 30, 1), kNow + seconds(60));
  ASSERT_EQ(late.size(), 1U);
  EXPECT_EQ(late[0].id, out[0].id);
  EXPECT_TRUE(late[0].replaces);
  EXPECT_FALSE(late[0].counts);
  EXPECT_EQ(late[0].event.sync_files, 17);
}

TEST_F(EventMergeTest, WithoutALogNothingWaits) {
  EXPECT_TRUE(merger_.AddStats(Stats(0, 30, 1), kNow).empty());
  merger_.ExpectLog(false);
  EXPECT_EQ(merger_.Step(kNow).size(), 1U);
  EXPECT_EQ(merger_.AddStats(Stats(60, 90, 2), kNow).size(), 1U);
}

TEST_F(EventMergeTest, KnowsTwinsAndStrangers) {
  CheckpointEvent restartpoint = Stats(0, 30);
  restartpoint.kind = EventKind::kRestartpoint;
  CheckpointEvent failed = Stats(0, 30);
  failed.failed = true;
  CheckpointEvent far = Stats(1000, 1030);
  far.distance_bytes = 500'000'123;
  CheckpointEvent near_log = Log(0, 30);
  near_log.distance_bytes = 500'000'123 / 1024 * 1024;
  struct Case {
    const char* name = "";
    CheckpointEvent stats, log;
    bool twins = false;
  };
  const Case cases[] = {
      {"same redo, other times", Stats(500, 530, 9), Log(0, 30, 9), true},
      {"other redo, same times", Stats(0, 30, 9), Log(0, 30, 10), false},
      {"start within 2 s", Stats(1.9, 50), Log(0, 30), true},
      {"end within 2 s", Stats(9, 31.9), Log(0, 30), true},
      {"neither, but mostly at the same time", Stats(5, 25), Log(0, 30), true},
      {"one after the other", Stats(33, 60), Log(0, 30), false},
      {"other kind", restartpoint, Log(0, 30), false},
      {"a failure and a success", failed, Log(0, 30), false},
      {"the same distance after the clock was set", far, near_log, true},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EventMerger merger;
    merger.ExpectLog(true);
    merger.AddStats(c.stats, kNow);
    merger.AddLog(c.log, kNow);
    EXPECT_EQ(merger.counts().both, c.twins ? 1U : 0U);
    EventMerger reverse;
    reverse.AddLog(c.log, kNow);
    reverse.AddStats(c.stats, kNow);
    EXPECT_EQ(reverse.counts().both, c.twins ? 1U : 0U);
  }
}

TEST_F(EventMergeTest, TakesTheNearestOfSeveral) {
  merger_.AddStats(Stats(0.0, 0.1), kNow);
  merger_.AddStats(Stats(1.0, 1.1), kNow);
  const auto out = merger_.AddLog(Log(0.9, 1.0), kNow);
  ASSERT_EQ(out.size(), 1U);
  const auto rest = merger_.Step(kNow + seconds(10));
  ASSERT_EQ(rest.size(), 1U);
  EXPECT_EQ(rest[0].event.start, kStart + 0.0);
}

TEST_F(EventMergeTest, EachLogEventTakesOneFromACrowd) {
  CheckpointEvent crowd = Stats(0, 5);
  crowd.coalesced = 3;
  crowd.total_seconds.reset();
  EXPECT_TRUE(merger_.AddStats(crowd, kNow).empty());
  EXPECT_EQ(merger_.AddLog(Log(1, 1.5), kNow).size(), 1U);
  EXPECT_EQ(merger_.AddLog(Log(3, 3.5), kNow).size(), 1U);
  const auto rest = merger_.Step(kNow + seconds(10));
  ASSERT_EQ(rest.size(), 1U);
  EXPECT_EQ(rest[0].event.coalesced, 1);
  EXPECT_EQ(merger_.counts().both, 2U);
  // The third, told late, is already counted.
  const auto late = merger_.AddLog(Log(4, 4.5), kNow + seconds(20));
  ASSERT_EQ(late.size(), 1U);
  EXPECT_FALSE(late[0].counts);
  EXPECT_EQ(merger_.counts(), (MergeCounts{3, 3, 3, 0, 0}));
}

TEST_F(EventMergeTest, ACrowdThatComesAfterItsLogEventsCountsOnlyTheOthers) {
  merger_.AddLog(Log(1, 1.5), kNow);
  merger_.AddLog(Log(3, 3.5), kNow);
  CheckpointEvent crowd = Stats(0, 5);
  crowd.coalesced = 3;
  const auto out = merger_.AddStats(crowd, kNow);
  ASSERT_EQ(out.size(), 2U);
  for (const EventUpdate& update : out) EXPECT_FALSE(update.counts);
  const auto rest = merger_.Step(kNow + seconds(10));
  ASSERT_EQ(rest.size(), 1U);
  EXPECT_EQ(rest[0].event.coalesced, 1);
  EXPECT_TRUE(rest[0].counts);
}

TEST_F(EventMergeTest, FailuresAreTheLogsToCount) {
  CheckpointEvent attempt = Log(0, 0);
  attempt.failed = true;
  for (int i = 0; i < 3; ++i) {
    attempt.start = kStart + i;
    attempt.end = kStart + i;
    EXPECT_EQ(merger_.AddLog(attempt, kNow).size(), 1U);
  }
  CheckpointEvent inferred = Stats(0.5, 4);
  inferred.failed = true;
  inferred.coalesced = 5;
  for (const EventUpdate& update : merger_.AddStats(inferred, kNow)) EXPECT_FALSE(update.counts);
  EXPECT_TRUE(merger_.Step(kNow + seconds(60)).empty());
  EXPECT_EQ(merger_.counts(), MergeCounts{});
}

TEST_F(EventMergeTest, SettlesWhatOnlyOneSourceSaw) {
  merger_.AddStats(Stats(0, 30, 1), kNow);
  merger_.AddLog(Log(100, 130, 2), kNow);
  merger_.Step(kNow + seconds(599));
  EXPECT_EQ(merger_.counts(), (MergeCounts{1, 1, 0, 0, 0}));
  merger_.Step(kNow + seconds(600));
  EXPECT_EQ(merger_.counts(), (MergeCounts{1, 1, 0, 1, 1}));
}

TEST_F(EventMergeTest, HoldsAtMostSoManyAndLosesNone) {
  std::size_t given = 0;
  for (int i = 0; i < 1000; ++i) {
    given += merger_.AddStats(Stats(i * 100, i * 100 + 10, i + 1), kNow).size();
  }
  EXPECT_EQ(given, 1000 - EventMerger::kMost);
  given += merger_.Flush().size();
  EXPECT_EQ(given, 1000U);
  EXPECT_EQ(merger_.counts().stats_only, 1000U);
}

}  // namespace
}  // namespace ckpt
