// SPDX-License-Identifier: Apache-2.0
#include "logs/checkpoint_tracker.h"

#include <gtest/gtest.h>

namespace ckpt::logs {
namespace {

using F = CheckpointFlag;

CheckpointFlags Flags(std::initializer_list<F> list) {
  CheckpointFlags flags;
  for (const F flag : list) flags.Add(flag);
  return flags;
}

class CheckpointTrackerTest : public ::testing::Test {
 protected:
  TrackedEvents At(std::optional<double> time, CheckpointMessage message,
                   ProcessRole role = ProcessRole::kUnknown, std::int64_t pid = 10) {
    return tracker_.Observe({time, pid, role, std::move(message)});
  }
  static Starting Start(std::initializer_list<F> flags,
                        std::optional<EventKind> kind = EventKind::kCheckpoint) {
    return {kind, Flags(flags)};
  }
  static Complete Done(double total, std::optional<EventKind> kind = EventKind::kCheckpoint) {
    Complete complete;
    complete.kind = kind;
    complete.numbers.total_seconds = total;
    complete.numbers.buffers_written = 7;
    return complete;
  }

  CheckpointTracker tracker_;
};

TEST_F(CheckpointTrackerTest, JoinsStartingAndComplete) {
  EXPECT_TRUE(At(100, Start({F::kWal})).checkpoints.empty());
  ASSERT_TRUE(tracker_.in_progress());
  EXPECT_EQ(tracker_.in_progress()->reason, Reason::kWal);
  EXPECT_EQ(tracker_.in_progress()->start, 100);
  const auto out = At(103.5, Done(3.5));
  ASSERT_EQ(out.checkpoints.size(), 1U);
  const CheckpointEvent& event = out.checkpoints[0];
  EXPECT_EQ(event.kind, EventKind::kCheckpoint);
  EXPECT_EQ(event.reason, Reason::kWal);
  EXPECT_EQ(event.origin, EventOrigin::kLog);
  EXPECT_FALSE(event.failed);
  EXPECT_EQ(event.start, 100);
  EXPECT_EQ(event.end, 103.5);
  EXPECT_EQ(event.buffers_written, 7);
  EXPECT_FALSE(tracker_.in_progress());
}

TEST_F(CheckpointTrackerTest, ComputesTheStartOfAnUnannouncedCheckpoint) {
  const auto out = At(103.5, Done(3.5));
  ASSERT_EQ(out.checkpoints.size(), 1U);
  EXPECT_EQ(out.checkpoints[0].start, 100);
  EXPECT_EQ(out.checkpoints[0].flags, CheckpointFlags{});
  Complete complete = Done(1);
  complete.flags = Flags({F::kTime});
  EXPECT_EQ(At(200, complete).checkpoints.at(0).reason, Reason::kTime);
}

TEST_F(CheckpointTrackerTest, MergesTheFlagsOfBothLines) {
  At(100, Start({F::kForce, F::kWait}));
  Complete complete = Done(1);
  complete.flags = Flags({F::kForce, F::kWait, F::kImmediate});
  EXPECT_EQ(At(101, complete).checkpoints.at(0).flags, Flags({F::kForce, F::kWait, F::kImmediate}));
}

TEST_F(CheckpointTrackerTest, TrustsTheTotalWhereLinesAreMissing) {
  At(100, Start({F::kTime}));
  EXPECT_EQ(At(900, Done(270)).checkpoints.at(0).start, 630);
  // Known to the second only, a starting line's own time stands.
  At(1000, Start({F::kTime}));
  EXPECT_EQ(At(1010, Done(9.2)).checkpoints.at(0).start, 1000);
}

TEST_F(CheckpointTrackerTest, HasNoTimesWhereTheLogTellsNone) {
  At(std::nullopt, Start({F::kTime}));
  const auto out = At(std::nullopt, Done(3));
  EXPECT_FALSE(out.checkpoints.at(0).start);
  EXPECT_FALSE(out.checkpoints.at(0).end);
  EXPECT_EQ(out.checkpoints.at(0).total_seconds, 3);
}

TEST_F(CheckpointTrackerTest, AnErrorEndsItAsFailed) {
  At(100, Start({F::kForce}));
  auto out = At(101, CheckpointerFailure{Severity::kError});
  ASSERT_EQ(out.checkpoints.size(), 1U);
  EXPECT_TRUE(out.checkpoints[0].failed);
  EXPECT_EQ(out.checkpoints[0].start, 100);
  EXPECT_EQ(out.checkpoints[0].end, 101);
  EXPECT_FALSE(out.checkpoints[0].total_seconds);
  EXPECT_FALSE(tracker_.in_progress());
  // An error while none runs is none's.
  EXPECT_TRUE(At(102, CheckpointerFailure{Severity::kError}).checkpoints.empty());
}

TEST_F(CheckpointTrackerTest, AnotherStartOrAServerStartEndsItAsFailed) {
  for (const CheckpointMessage& end :
       {CheckpointMessage{Start({F::kTime})}, CheckpointMessage{Interrupted{}},
        CheckpointMessage{WasShutDown{}}, CheckpointMessage{Reinitializing{}},
        CheckpointMessage{ShutDown{}}}) {
    tracker_ = {};
    At(100, Start({F::kWal}));
    const auto out = At(150, end);
    ASSERT_EQ(out.checkpoints.size(), 1U);
    EXPECT_TRUE(out.checkpoints[0].failed);
    EXPECT_EQ(out.checkpoints[0].reason, Reason::kWal);
    EXPECT_EQ(out.checkpoints[0].start, 100);
    EXPECT_FALSE(out.checkpoints[0].end);
  }
}

// After a promotion the server is ready while its first checkpoint still runs.
TEST_F(CheckpointTrackerTest, ReadyEndsNothing) {
  At(100, Start({F::kForce}));
  EXPECT_TRUE(At(101, ServerReady{}).checkpoints.empty());
  EXPECT_FALSE(At(102, Done(2)).checkpoints.at(0).failed);
}

TEST_F(CheckpointTrackerTest, TellsTheKindByWhatItKnowsOfRecovery) {
  At(100, Start({F::kTime}, std::nullopt));
  EXPECT_EQ(At(101, Done(1, std::nullopt)).checkpoints.at(0).kind, EventKind::kCheckpoint);
  // A lone LSN of the same process, right after: a restart point.
  At(101, LsnMention{0x1000, false});
  EXPECT_EQ(tracker_.restart_point_lsn(), 0x1000);
  At(200, Start({F::kTime}, std::nullopt));
  EXPECT_EQ(At(201, Done(1, std::nullopt)).checkpoints.at(0).kind, EventKind::kRestartpoint);
  // Only a primary forces.
  At(300, Start({F::kForce}, std::nullopt));
  EXPECT_EQ(At(301, Done(1, std::nullopt)).checkpoints.at(0).kind, EventKind::kCheckpoint);
  At(400, Start({F::kTime}, std::nullopt));
  EXPECT_EQ(At(401, Done(1, std::nullopt)).checkpoints.at(0).kind, EventKind::kCheckpoint);
  tracker_.SetInRecovery(true);
  EXPECT_EQ(At(500, Done(1, std::nullopt)).checkpoints.at(0).kind, EventKind::kRestartpoint);
  // Words win.
  EXPECT_EQ(At(600, Done(1, EventKind::kCheckpoint)).checkpoints.at(0).kind,
            EventKind::kCheckpoint);
}

TEST_F(CheckpointTrackerTest, TakesNoOtherProcessLsnForARestartPoint) {
  At(100, Start({F::kTime}, std::nullopt));
  At(101, Done(1, std::nullopt));
  At(101, LsnMention{0x1000, false}, ProcessRole::kUnknown, 77);
  EXPECT_FALSE(tracker_.restart_point_lsn());
  At(101, LsnMention{0x1000, false});  // no longer right after
  EXPECT_FALSE(tracker_.restart_point_lsn());
}

TEST_F(CheckpointTrackerTest, CountsWarningsAndSkips) {
  At(1, TooFrequent{3});
  At(2, TooFrequent{0});
  At(3, CheckpointSkipped{});
  At(4, RestartpointSkipped{});
  At(5, LsnMention{1, false}, ProcessRole::kCheckpointer);  // translated
  EXPECT_EQ(tracker_.too_frequent_warnings(), 2U);
  EXPECT_EQ(tracker_.checkpoints_skipped(), 1U);
  EXPECT_EQ(tracker_.restartpoints_skipped(), 2U);
}

TEST_F(CheckpointTrackerTest, MeasuresACrashRecovery) {
  At(100, Interrupted{});
  At(100, NotProperlyShutDown{});
  At(101, RedoStarts{0x1000});
  ASSERT_TRUE(tracker_.recovery());
  EXPECT_FALSE(tracker_.recovery()->finished);
  At(111, RedoInProgress{10.0, 0x5000});
  EXPECT_EQ(tracker_.recovery()->replayed_bytes, 0x4000);
  EXPECT_EQ(tracker_.recovery()->seconds, 10.0);
  const auto out = At(121, RedoDone{0x9000, 19.5});
  ASSERT_EQ(out.recoveries.size(), 1U);
  const RecoveryEvent& event = out.recoveries[0];
  EXPECT_TRUE(event.crash);
  EXPECT_TRUE(event.finished);
  EXPECT_EQ(event.start, 101);
  EXPECT_EQ(event.end, 121);
  EXPECT_EQ(event.start_lsn, 0x1000);
  EXPECT_EQ(event.end_lsn, 0x9000);
  EXPECT_EQ(event.replayed_bytes, 0x8000);
  EXPECT_EQ(event.seconds, 19.5);
  EXPECT_FALSE(tracker_.recovery());
}

// To version 13 the server does not say how long it took.
TEST_F(CheckpointTrackerTest, MeasuresARecoveryByTheClockIfItMust) {
  At(101, RedoStarts{0x1000});
  EXPECT_EQ(At(103.5, RedoDone{0x9000, std::nullopt}).recoveries.at(0).seconds, 2.5);
}

TEST_F(CheckpointTrackerTest, AStandbysReplayIsNoCrashRecovery) {
  At(100, Interrupted{});
  At(100, ArchiveRecovery{});
  At(101, RedoStarts{0x1000});
  EXPECT_FALSE(At(9000, RedoDone{0x9000, 8899.0}).recoveries.at(0).crash);
  At(100, WasShutDown{});
  At(101, RedoStarts{0x1000});
  At(102, ServerReady{true});
  const auto out = At(500, ShutDown{});
  EXPECT_FALSE(out.recoveries.at(0).crash);
  EXPECT_FALSE(out.recoveries.at(0).finished);
}

TEST_F(CheckpointTrackerTest, ReadsATranslatedRecovery) {
  const auto role = ProcessRole::kStartup;
  At(100, TimeMention{}, role, 20);
  At(101, LsnMention{0x1000, false}, role, 20);  // the first is the start, whatever it says
  At(102, LsnMention{0x3000, false}, role, 20);  // a consistent state
  const auto out = At(103, RedoDone{0x9000, 1.5}, role, 20);
  ASSERT_EQ(out.recoveries.size(), 1U);
  EXPECT_EQ(out.recoveries[0].replayed_bytes, 0x8000);
  // Of a process unknown only what speaks of redo counts.
  At(200, LsnMention{0x1000, false}, ProcessRole::kUnknown, 20);
  EXPECT_FALSE(tracker_.recovery());
  At(200, LsnMention{0x1000, true}, ProcessRole::kUnknown, 20);
  EXPECT_EQ(At(202, LsnMention{0x2000, true}, ProcessRole::kUnknown, 20).recoveries.at(0).seconds,
            2);
}

TEST_F(CheckpointTrackerTest, IgnoresAnEndWithoutAStart) {
  EXPECT_TRUE(At(1, RedoDone{0x9000, 1.5}).recoveries.empty());
}

}  // namespace
}  // namespace ckpt::logs
