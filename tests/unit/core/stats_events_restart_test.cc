// SPDX-License-Identifier: Apache-2.0
// Restarts, crashes, promotion, failover: what may be compared across them.
#include <gmock/gmock.h>

#include "core/stats_events.h"
#include "fake_checkpointer.h"

namespace ckpt {
namespace {

using testing::FakeCheckpointer;
using testing::Watch;

constexpr int kVersions[] = {10, 11, 12, 13, 14, 15, 16, 17, 18, 19};

class StatsEventsRestart : public ::testing::TestWithParam<int> {
 protected:
  StatsEventsRestart() : fake_(GetParam()) {
    fake_.wal_rate = 1e5;
    Watch(fake_, &detector_, 0, 50);
  }
  std::vector<CheckpointEvent> Step(const PulseStats& pulse) {
    return detector_.Step(pulse, fake_.settings(), fake_.server());
  }
  // A pulse at t after which the redo point and the record are at `redo`, `record`.
  PulseStats Moved(double t, double began, std::int64_t record_offset) {
    PulseStats pulse = fake_.Pulse(t);
    pulse.redo_lsn = fake_.Position(began);
    pulse.checkpoint_lsn = *pulse.redo_lsn + record_offset;
    pulse.checkpoint_time = std::floor(fake_.ServerTime(began));
    pulse.control_last_modified = std::floor(fake_.ServerTime(t - 0.5));
    return pulse;
  }
  void StartPostmaster(double t) { fake_.server().postmaster_start = fake_.ServerTime(t); }

  FakeCheckpointer fake_;
  StatsEventDetector detector_;
};

TEST_P(StatsEventsRestart, CleanRestartIsTheShutdownCheckpoint) {
  StartPostmaster(56);
  const auto events = Step(Moved(57, 54.3, 0));
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].kind, EventKind::kCheckpoint);
  EXPECT_EQ(events[0].reason, Reason::kRestart);
  EXPECT_NEAR(*events[0].start, fake_.ServerTime(54.3), 1);
  EXPECT_GE(*events[0].end, *events[0].start);
  EXPECT_LE(*events[0].end, fake_.ServerTime(56));
  EXPECT_FALSE(events[0].write_seconds);
  EXPECT_EQ(events[0].coalesced, 1);
  EXPECT_TRUE(Step(fake_.Pulse(58)).empty());
}

TEST_P(StatsEventsRestart, AServerThatStayedDownTellsNoEnd) {
  StartPostmaster(3600);
  const auto events = Step(Moved(3601, 54.3, 0));
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].reason, Reason::kRestart);
  EXPECT_NEAR(*events[0].start, fake_.ServerTime(54.3), 1);
  EXPECT_FALSE(events[0].end);
  EXPECT_FALSE(events[0].total_seconds);
}

TEST_P(StatsEventsRestart, CrashIsTheEndOfRecovery) {
  StartPostmaster(55);
  PulseStats pulse = Moved(59, 57.4, 0);
  pulse.checkpoints_timed = pulse.checkpoints_requested = 0;
  pulse.write_seconds = pulse.sync_seconds = 0.1;
  pulse.buffers_checkpointer = 3;
  pulse.checkpointer_stats_reset = fake_.ServerTime(57);
  const auto events = Step(pulse);
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].reason, Reason::kRestart);
  EXPECT_NEAR(*events[0].start, fake_.ServerTime(57.4), 1);
  EXPECT_NEAR(*events[0].end, fake_.ServerTime(58.5), 1.1);
  EXPECT_FALSE(events[0].buffers_written);
}

TEST_P(StatsEventsRestart, BackendCrashIsARestartInsideOnePostmaster) {
  PulseStats pulse = Moved(59, 57.4, 0);
  pulse.checkpoints_timed = pulse.checkpoints_requested = 0;
  pulse.write_seconds = pulse.sync_seconds = 0.1;
  pulse.buffers_checkpointer = 3;
  pulse.checkpointer_stats_reset = fake_.ServerTime(57);
  std::vector<CheckpointEvent> events = Step(pulse);
  for (int i = 0; i < 3 && events.empty(); ++i) {
    pulse.server_time = *pulse.server_time + 1;
    pulse.taken.monotonic += std::chrono::seconds(1);
    events = Step(pulse);
  }
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].reason, Reason::kRestart);
  EXPECT_FALSE(events[0].write_seconds);
}

TEST_P(StatsEventsRestart, ALaterCheckpointAfterARestartIsAnEventOfItsOwn) {
  StartPostmaster(56);
  const auto events = Step(Moved(400, 360.3, 56));
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].reason, Reason::kRestart);
  EXPECT_FALSE(events[0].redo_lsn);
  EXPECT_LE(*events[0].start, fake_.ServerTime(56));
  EXPECT_EQ(events[1].reason, Reason::kTime);  // 300 s after the start
  EXPECT_NEAR(*events[1].start, fake_.ServerTime(360.3), 1);
  EXPECT_FALSE(events[1].distance_bytes);
}

TEST_P(StatsEventsRestart, RestartWithoutARedoMoveIsNoEvent) {
  fake_.standby = true;
  Watch(fake_, &detector_, 51, 60);
  StartPostmaster(62);
  PulseStats pulse = fake_.Pulse(63);
  if (GetParam() <= 14) {
    pulse.checkpoints_timed = pulse.checkpoints_requested = 0;
    pulse.write_seconds = pulse.sync_seconds = 0;
  }
  EXPECT_TRUE(Step(pulse).empty());
}

TEST_P(StatsEventsRestart, PromotionInMidFlightIsAnOrdinaryCheckpoint) {
  FakeCheckpointer standby(GetParam());
  standby.standby = true;
  standby.wal_rate = 1e5;
  standby.runs = {{.start = 55.4, .write = 100, .timed = true, .fails = true}};  // cut short
  StatsEventDetector detector;
  EXPECT_TRUE(Watch(standby, &detector, 0, 70).empty());
  FakeCheckpointer primary(GetParam());
  primary.wal_rate = 1e5;
  primary.runs = {{.start = 71.3, .write = 4.0, .sync = 0.2}};
  std::vector<CheckpointEvent> events;
  for (int t = 71; t < 90; ++t) {
    PulseStats pulse = primary.Pulse(t);
    if (*pulse.redo_lsn != primary.Position(-100)) pulse.timeline_id = 2;
    const auto more = detector.Step(pulse, primary.settings(), primary.server());
    events.insert(events.end(), more.begin(), more.end());
  }
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].kind, EventKind::kCheckpoint);
  EXPECT_EQ(events[0].reason, Reason::kRequest);
  EXPECT_FALSE(events[0].failed);
  EXPECT_NEAR(*events[0].start, primary.ServerTime(71.3), 1);
  EXPECT_NEAR(*events[0].end, primary.ServerTime(75.5), 1);
}

TEST_P(StatsEventsRestart, AnotherServerIsNoEvent) {
  PulseStats later = Moved(52, 51.2, 56);
  // Another system.
  FakeCheckpointer other = fake_;
  other.server().system_identifier = 8;
  StatsEventDetector detector = detector_;
  EXPECT_TRUE(detector.Step(later, other.settings(), other.server()).empty());
  // Another node of the same system: its postmaster was there before.
  detector = detector_;
  later.postmaster_start = fake_.ServerTime(-900);
  EXPECT_TRUE(detector.Step(later, fake_.settings(), fake_.server()).empty());
  // A node that lags behind.
  detector = detector_;
  PulseStats behind = fake_.Pulse(52);
  behind.redo_lsn = fake_.Position(-200);
  EXPECT_TRUE(detector.Step(behind, fake_.settings(), fake_.server()).empty());
  // A server without checkpoints of its own tells no redo position.
  PulseStats none = fake_.Pulse(53);
  none.redo_lsn.reset();
  EXPECT_TRUE(detector.Step(none, fake_.settings(), fake_.server()).empty());
  EXPECT_TRUE(detector.Step(later, fake_.settings(), fake_.server()).empty());
}

INSTANTIATE_TEST_SUITE_P(Versions, StatsEventsRestart, ::testing::ValuesIn(kVersions));

}  // namespace
}  // namespace ckpt
