// SPDX-License-Identifier: Apache-2.0
// Counters of real servers of every version, seconds to a minute apart, against their logs.
#include <gmock/gmock.h>

#include <charconv>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "core/stats_events.h"

namespace ckpt {
namespace {

constexpr double kMega = 1024.0 * 1024.0;

struct Row {
  std::map<std::string, std::string> cells;

  std::optional<double> Real(const std::string& name) const {
    const std::string& text = cells.at(name);
    double value = 0;
    if (text.empty()) return std::nullopt;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    EXPECT_EQ(read.ec, std::errc()) << name << " " << text;
    return value;
  }
  OptionalInt Int(const std::string& name) const {
    const auto value = Real(name);
    return value ? OptionalInt(static_cast<std::int64_t>(*value)) : std::nullopt;
  }
  const std::string& Text(const std::string& name) const { return cells.at(name); }
};

std::vector<std::string> Split(const std::string& line) {
  std::vector<std::string> cells(1);
  for (const char c : line) {
    if (c == '\t') {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  return cells;
}

std::vector<Row> ReadRows() {
  std::ifstream file(std::string(CKPT_FIXTURES) + "/events/counter_timeline.tsv");
  EXPECT_TRUE(file.is_open());
  std::vector<std::string> names;
  std::vector<Row> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    const std::vector<std::string> cells = Split(line);
    if (names.empty()) {
      names = cells;
      continue;
    }
    Row row;
    for (std::size_t i = 0; i < names.size(); ++i) row.cells[names[i]] = cells.at(i);
    rows.push_back(row);
  }
  return rows;
}

PulseStats PulseOf(const Row& row) {
  PulseStats p;
  p.server_time = row.Real("server_time");
  p.taken.wall = *p.server_time;
  p.taken.monotonic = MonotonicTime(std::chrono::duration_cast<MonotonicTime::duration>(
      std::chrono::duration<double>(*p.server_time - 1.79e9)));
  p.in_recovery = row.Int("in_recovery");
  p.postmaster_start = row.Real("postmaster_start");
  p.checkpoints_timed = row.Int("timed");
  p.checkpoints_requested = row.Int("requested");
  p.checkpoints_done = row.Int("done");
  p.restartpoints_timed = row.Int("rp_timed");
  p.restartpoints_requested = row.Int("rp_requested");
  p.restartpoints_done = row.Int("rp_done");
  p.write_seconds = *row.Real("write_ms") / 1000;
  p.sync_seconds = *row.Real("sync_ms") / 1000;
  p.buffers_checkpointer = row.Int("buffers");
  p.slru_written = row.Int("slru");
  p.checkpointer_stats_reset = row.Real("stats_reset");
  p.checkpoint_lsn = row.Int("lsn");
  p.redo_lsn = row.Int("redo");
  p.checkpoint_time = row.Real("checkpoint_time");
  p.timeline_id = row.Int("timeline");
  (*p.in_recovery == 1 ? p.replay_lsn : p.write_lsn) = p.checkpoint_lsn;
  return p;
}

const std::vector<Row>& Load() {
  static const std::vector<Row> rows = ReadRows();
  return rows;
}

struct Replayed {
  std::map<std::string, std::vector<CheckpointEvent>> events;  // by step
  std::map<std::string, int> logged;                           // by step
  int all_events = 0;
  int all_logged = 0;
};

Replayed Replay(int major, const std::string& where) {
  Replayed out;
  Settings settings;
  settings.max_wal_size = 64 * kMega;
  settings.wal_segment_size = 16 * kMega;
  settings.checkpoint_completion_target = major <= 13 ? 0.5 : 0.9;
  settings.checkpoint_timeout = 30;
  settings.shared_buffers = 16 * kMega;
  settings.block_size = 8192;
  StatsEventDetector detector;
  std::optional<int> complete;
  for (const Row& row : Load()) {
    if (*row.Int("major") != major || row.Text("where") != where) continue;
    const PulseStats pulse = PulseOf(row);
    const ServerIdentity server{{major * 10000}, 1, pulse.postmaster_start};
    const auto take = [&](const PulseStats& each) {
      for (const CheckpointEvent& event : detector.Step(each, settings, server)) {
        out.events[row.Text("step")].push_back(event);
        if (!event.failed) out.all_events += event.coalesced;
      }
    };
    take(pulse);
    // The next pulses find nothing new, so that no event stays held over to the next step.
    for (int i = 1; i <= 2; ++i) {
      PulseStats again = pulse;
      again.taken.monotonic += std::chrono::milliseconds(20 * i);
      again.server_time = *pulse.server_time + 0.02 * i;
      take(again);
    }
    const int now = static_cast<int>(*row.Int("log_complete"));
    out.logged[row.Text("step")] = complete ? now - *complete : 0;
    out.all_logged += complete ? now - *complete : 0;
    complete = now;
  }
  return out;
}

const int kRecorded[] = {10, 11, 12, 13, 14, 15, 17, 18, 19};

TEST(StatsEventsReplay, OneCheckpointOfAPrimaryIsOneEventWithItsNumbers) {
  struct Step {
    const char* name;
    Reason reason;
  };
  const Step steps[] = {
      {"manual checkpoint", Reason::kRequest},      {"manual checkpoint idle", Reason::kRequest},
      {"backup start fast=true", Reason::kRequest}, {"drop database", Reason::kRequest},
      {"after sampling spread", Reason::kRequest},  {"after recovered", Reason::kRequest},
      {"after backend crash", Reason::kRestart},    {"after clean restart", Reason::kRestart},
      {"after crash recovery", Reason::kRestart}};
  for (const int major : kRecorded) {
    const Replayed replayed = Replay(major, "primary");
    for (const Step& step : steps) {
      SCOPED_TRACE(::testing::Message() << major << " " << step.name);
      ASSERT_TRUE(replayed.events.contains(step.name));
      const auto& events = replayed.events.at(step.name);
      // To 17, with nobody watching the checkpointer, failed attempts look like more checkpoints.
      const bool failed_before = std::string(step.name) == "after recovered" && major <= 17;
      if (replayed.logged.at(step.name) == 1 && !failed_before) {
        ASSERT_EQ(events.size(), 1U);
      }
      // The trigger of that script's version 10 is one segment, which a WAL switch fills.
      const bool filled = major == 10 && events.back().reason == Reason::kWal;
      EXPECT_TRUE(events.back().reason == step.reason || filled);
      EXPECT_EQ(events.back().kind, EventKind::kCheckpoint);
      if (step.reason == Reason::kRequest && events.size() == 1) {
        EXPECT_TRUE(events[0].write_seconds && events[0].sync_seconds);
        EXPECT_GE(events[0].distance_bytes.value_or(0), 0);
      }
    }
    const auto& manual = replayed.events.at("manual checkpoint idle")[0];
    EXPECT_EQ(manual.buffers_written.value_or(0), 0);
  }
}

TEST(StatsEventsReplay, StepsWithoutACheckpointAreNoEvent) {
  for (const int major : kRecorded) {
    const Replayed replayed = Replay(major, "primary");
    for (const char* step : {"create tablespace", "idle begin", "after failed"}) {
      EXPECT_FALSE(replayed.events.contains(step)) << major << " " << step;
    }
    const Replayed standby = Replay(major, "standby");
    EXPECT_FALSE(standby.events.contains("standby manual checkpoint, nothing new")) << major;
  }
}

TEST(StatsEventsReplay, HeavyWalIsSeenAsForced) {
  for (const int major : kRecorded) {
    SCOPED_TRACE(major);
    const Replayed replayed = Replay(major, "primary");
    int forced = 0;
    for (const CheckpointEvent& event : replayed.events.at("wal triggered")) {
      EXPECT_EQ(event.reason, Reason::kWal);
      forced += event.coalesced;
    }
    // To 17 the server counts attempts: one at work, and skipped ones, are among them.
    const int logged = replayed.logged.at("wal triggered");
    EXPECT_GE(forced, logged);
    EXPECT_LE(forced, major >= 18 ? logged : logged + 3);
  }
}

TEST(StatsEventsReplay, TotalsAgreeWithTheLog) {
  for (const int major : kRecorded) {
    SCOPED_TRACE(major);
    const Replayed primary = Replay(major, "primary");
    const Replayed standby = Replay(major, "standby");
    EXPECT_GT(primary.all_logged, 20);
    if (major >= 18) {
      EXPECT_EQ(primary.all_events, primary.all_logged);
    } else {
      int failures = 0;
      for (const CheckpointEvent& e : primary.events.at("after recovered")) failures += e.coalesced;
      EXPECT_NEAR(primary.all_events - (failures - 1), primary.all_logged, 4);
    }
    if (major >= 17) {
      EXPECT_NEAR(standby.all_events, standby.all_logged, 3);
    } else {
      // A minute of many restartpoints counts as one.
      EXPECT_LE(standby.all_events, standby.all_logged);
      EXPECT_GE(standby.all_events, 4);
    }
  }
}

TEST(StatsEventsReplay, StandbyThenPromotion) {
  for (const int major : kRecorded) {
    SCOPED_TRACE(major);
    const Replayed replayed = Replay(major, "standby");
    for (const auto& [step, events] : replayed.events) {
      const auto kind = step == "after promote" ? EventKind::kCheckpoint : EventKind::kRestartpoint;
      for (const CheckpointEvent& event : events) EXPECT_EQ(event.kind, kind) << step;
    }
    ASSERT_TRUE(replayed.events.contains("after promote"));
    EXPECT_EQ(replayed.events.at("after promote").back().reason, Reason::kRequest);
  }
}

}  // namespace
}  // namespace ckpt
