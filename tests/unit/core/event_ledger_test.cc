// SPDX-License-Identifier: Apache-2.0
#include "core/event_ledger.h"

#include <gmock/gmock.h>

#include <thread>

namespace ckpt {
namespace {

EventUpdate Event(std::uint64_t id, Reason reason, double start) {
  CheckpointEvent event;
  event.reason = reason;
  event.start = start;
  event.end = start + 20;
  event.write_seconds = 19;
  event.sync_seconds = 0.5;
  event.total_seconds = 20;
  event.distance_bytes = 1000 + static_cast<std::int64_t>(id);
  return {id, false, true, event};
}

std::uint64_t Total(const EventsState& state, EventKind kind, Reason reason) {
  return state.of(kind).totals[static_cast<std::size_t>(reason)];
}

TEST(EventLedger, BeginsWithEveryCountAtZero) {
  EventLedger ledger;
  const auto state = ledger.State();
  for (const EventKind kind : kEventKinds) {
    for (const ReasonInfo& info : kReasons) EXPECT_EQ(Total(*state, kind, info.reason), 0U);
    EXPECT_EQ(state->of(kind).failures, 0U);
    EXPECT_EQ(state->of(kind).seconds[0].count(), 0U);
  }
  EXPECT_EQ(state->recent.size(), 0U);
  EXPECT_FALSE(state->recovery.BytesPerSecond());
}

TEST(EventLedger, CountsByKindAndReason) {
  EventLedger ledger;
  ledger.Add(Event(1, Reason::kWal, 100));
  ledger.Add(Event(2, Reason::kTime, 200));
  EventUpdate restartpoint = Event(3, Reason::kTime, 300);
  restartpoint.event.kind = EventKind::kRestartpoint;
  ledger.Add(restartpoint);
  const auto state = ledger.State();
  EXPECT_EQ(Total(*state, EventKind::kCheckpoint, Reason::kWal), 1U);
  EXPECT_EQ(Total(*state, EventKind::kCheckpoint, Reason::kTime), 1U);
  EXPECT_EQ(Total(*state, EventKind::kRestartpoint, Reason::kTime), 1U);
  const KindEvents& checkpoints = state->of(EventKind::kCheckpoint);
  EXPECT_EQ(checkpoints.last_start[static_cast<std::size_t>(Reason::kWal)], 100);
  EXPECT_EQ(checkpoints.last_end[static_cast<std::size_t>(Reason::kTime)], 220);
  EXPECT_EQ(checkpoints.last_distance_bytes, 1002);
  EXPECT_EQ(checkpoints.seconds[2].count(), 2U);
  EXPECT_DOUBLE_EQ(checkpoints.seconds[0].View().sum, 38);
}

TEST(EventLedger, CoalescedCountButTellNoDurations) {
  EventLedger ledger;
  EventUpdate crowd = Event(1, Reason::kWal, 100);
  crowd.event.coalesced = 7;
  ledger.Add(crowd);
  const KindEvents& checkpoints = ledger.State()->of(EventKind::kCheckpoint);
  EXPECT_EQ(checkpoints.totals[static_cast<std::size_t>(Reason::kWal)], 7U);
  EXPECT_EQ(checkpoints.coalesced, 7U);
  EXPECT_EQ(checkpoints.seconds[2].count(), 0U);
}

TEST(EventLedger, FailuresAreNotInTheTotals) {
  EventLedger ledger;
  EventUpdate failed = Event(1, Reason::kTime, 100);
  failed.event.failed = true;
  failed.event.coalesced = 3;
  ledger.Add(failed);
  const auto state = ledger.State();
  EXPECT_EQ(state->of(EventKind::kCheckpoint).failures, 3U);
  EXPECT_EQ(Total(*state, EventKind::kCheckpoint, Reason::kTime), 0U);
  EXPECT_FALSE(state->of(EventKind::kCheckpoint).last_start[3]);
  EXPECT_EQ(state->recent.size(), 1U);
}

TEST(EventLedger, AReplacementIsNotCountedAgain) {
  EventLedger ledger;
  ledger.Add(Event(1, Reason::kRequest, 100));
  EventUpdate told = Event(1, Reason::kWal, 100.5);
  told.replaces = true;
  told.counts = false;
  told.event.sync_files = 9;
  ledger.Add(told);
  const auto state = ledger.State();
  EXPECT_EQ(Total(*state, EventKind::kCheckpoint, Reason::kRequest), 1U);
  EXPECT_EQ(Total(*state, EventKind::kCheckpoint, Reason::kWal), 0U);
  EXPECT_EQ(state->of(EventKind::kCheckpoint).seconds[2].count(), 1U);
  const auto events = state->recent.Recent(10);
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].event.sync_files, 9);
  EXPECT_EQ(events[0].event.reason, Reason::kWal);
  // An older one that is told anew does not become the last one.
  ledger.Add(Event(2, Reason::kWal, 500));
  ledger.Add(told);
  EXPECT_EQ(ledger.State()->of(EventKind::kCheckpoint).last_start[1], 500);
}

TEST(EventLedger, StateChangesOnlyWhenSomethingDoes) {
  EventLedger ledger;
  const auto first = ledger.State();
  EXPECT_EQ(first, ledger.State());
  ledger.SetSources({});
  EXPECT_EQ(first, ledger.State());
  ledger.AddRecovery(0, 3, 1);
  ledger.AddRecovery(100, 0, 1);
  EXPECT_EQ(first, ledger.State());
  ledger.AddTooFrequentWarning();
  const auto second = ledger.State();
  EXPECT_NE(first, second);
  EXPECT_EQ(first->too_frequent_warnings, 0U);
  EXPECT_EQ(second->too_frequent_warnings, 1U);
}

TEST(EventLedger, LearnsTheSpeedOfRedo) {
  EventLedger ledger;
  ledger.AddRecovery(100'000'000, 2, 1000);
  ledger.AddRecovery(300'000'000, 2, 2000);
  const auto state = ledger.State();
  EXPECT_EQ(state->recovery.runs, 2U);
  EXPECT_EQ(state->recovery.BytesPerSecond(), 100'000'000);
  EXPECT_EQ(state->recovery.last_bytes_per_second, 150'000'000);
  EXPECT_EQ(state->recovery.last_end, 2000);
}

TEST(EventLedger, StatesCanBeReadWhileItGoesOn) {
  EventLedger ledger(100);
  for (std::uint64_t i = 1; i <= 60; ++i)
    ledger.Add(Event(i, Reason::kWal, 1.0 * static_cast<double>(i)));
  const auto state = ledger.State();
  std::thread reader([state] {
    for (int i = 0; i < 100; ++i) EXPECT_EQ(state->recent.Recent(1000).back().id, 60U);
  });
  for (std::uint64_t i = 61; i <= 300; ++i) ledger.Add(Event(i, Reason::kWal, 1));
  reader.join();
  EXPECT_EQ(ledger.State()->recent.Recent(1000).size(), 100U);
}

TEST(EventRing, KeepsEveryMember) {
  CheckpointEvent e;
  e.kind = EventKind::kRestartpoint;
  e.reason = Reason::kRestart;
  e.flags.Add(CheckpointFlag::kForce);
  e.origin = EventOrigin::kBoth;
  e.failed = true;
  e.coalesced = 42;
  e.start = 1'800'000'000.123;
  e.end = 1'800'000'035.355;
  e.write_seconds = 35.232;
  e.sync_seconds = 0.0001;
  e.total_seconds = 100'000;
  e.buffers_written = 4'000'000'000;
  e.buffers_ratio = 0.25;
  e.slru_buffers_written = 3;
  e.wal_files_added = 4;
  e.wal_files_removed = 5;
  e.wal_files_recycled = 6;
  e.sync_files = 7;
  e.longest_sync_seconds = 1.5;
  e.average_sync_seconds = 0.003;
  e.distance_bytes = std::int64_t{1} << 50;
  e.estimate_bytes = 10;
  e.lsn = 11;
  e.redo_lsn = 12;
  EventRing ring(10);
  ring.Append({99, e});
  ring.Append({100, CheckpointEvent{}});
  const auto back = ring.Recent(5);
  ASSERT_EQ(back.size(), 2U);
  const CheckpointEvent& g = back[0].event;
  EXPECT_EQ(back[0].id, 99U);
  EXPECT_EQ(g.kind, e.kind);
  EXPECT_EQ(g.reason, e.reason);
  EXPECT_EQ(g.flags, e.flags);
  EXPECT_EQ(g.origin, e.origin);
  EXPECT_EQ(g.failed, e.failed);
  EXPECT_EQ(g.coalesced, e.coalesced);
  EXPECT_EQ(g.start, e.start);
  EXPECT_EQ(g.end, e.end);
  EXPECT_EQ(g.write_seconds, e.write_seconds);
  EXPECT_EQ(g.sync_seconds, e.sync_seconds);
  EXPECT_EQ(g.total_seconds, e.total_seconds);
  EXPECT_EQ(g.buffers_written, e.buffers_written);
  EXPECT_EQ(g.buffers_ratio, e.buffers_ratio);
  EXPECT_EQ(g.slru_buffers_written, e.slru_buffers_written);
  EXPECT_EQ(g.wal_files_added, e.wal_files_added);
  EXPECT_EQ(g.wal_files_removed, e.wal_files_removed);
  EXPECT_EQ(g.wal_files_recycled, e.wal_files_recycled);
  EXPECT_EQ(g.sync_files, e.sync_files);
  EXPECT_EQ(g.longest_sync_seconds, e.longest_sync_seconds);
  EXPECT_EQ(g.average_sync_seconds, e.average_sync_seconds);
  EXPECT_EQ(g.distance_bytes, e.distance_bytes);
  EXPECT_EQ(g.estimate_bytes, e.estimate_bytes);
  EXPECT_EQ(g.lsn, e.lsn);
  EXPECT_EQ(g.redo_lsn, e.redo_lsn);
  const CheckpointEvent& none = back[1].event;
  EXPECT_FALSE(none.start || none.total_seconds || none.buffers_written || none.buffers_ratio ||
               none.redo_lsn);
}

TEST(EventRing, IsBoundedAndSmall) {
  EventRing ring(500);
  for (std::uint64_t i = 0; i < 5000; ++i) ring.Append({i, CheckpointEvent{}});
  EXPECT_GE(ring.size(), 500U);
  EXPECT_LT(ring.Bytes(), 80'000U);
  EXPECT_EQ(ring.Recent(1000).size(), 500U);
  EXPECT_EQ(ring.Recent(1000).back().id, 4999U);
  EXPECT_EQ(ring.Recent(3).front().id, 4997U);
  EXPECT_FALSE(ring.Replace({1, CheckpointEvent{}}));
  EXPECT_TRUE(ring.Replace({4990, CheckpointEvent{}}));
}

}  // namespace
}  // namespace ckpt
