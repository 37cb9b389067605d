// SPDX-License-Identifier: Apache-2.0
#include "core/advice_input.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "core/target_model.h"

namespace ckpt {
namespace {

constexpr double kMegabyte = 1024.0 * 1024.0;
constexpr double kGigabyte = 1024.0 * kMegabyte;
constexpr UnixSeconds kNow = 1'800'000'000;

CheckpointEvent Event(Reason reason, UnixSeconds start, double redo_megabytes) {
  CheckpointEvent event;
  event.reason = reason;
  event.start = start;
  event.end = start + 10;
  event.redo_lsn = static_cast<std::int64_t>(redo_megabytes * kMegabyte);
  event.buffers_written = 1000;
  event.sync_seconds = 1;
  return event;
}

TEST(FoldEvents, IntervalsRatesAndCounts) {
  std::vector<CheckpointEvent> events{
      Event(Reason::kTime, kNow - 1000, 0),   Event(Reason::kWal, kNow - 900, 100),
      Event(Reason::kWal, kNow - 850, 600),   Event(Reason::kRequest, kNow - 500, 950),
      Event(Reason::kTime, kNow - 200, 1250),
  };
  events[2].sync_seconds = 12;
  events[2].longest_sync_seconds = 6;
  events[2].origin = EventOrigin::kLog;
  const CheckpointFacts facts = FoldEvents(events, EventKind::kCheckpoint, kNow - 3600, kNow);
  EXPECT_EQ(facts.Of(Reason::kWal), 2);
  EXPECT_EQ(facts.Of(Reason::kTime), 2);
  EXPECT_EQ(facts.Of(Reason::kRequest), 1);
  EXPECT_EQ(facts.span_seconds, 1000);
  EXPECT_EQ(facts.since_forced, 850);
  EXPECT_EQ(facts.since_requested, 500);
  EXPECT_EQ(facts.shortest_forced, 50);
  EXPECT_EQ(facts.mean_interval, 200);
  EXPECT_NEAR(*facts.wal_rate_mean / kMegabyte, 1250.0 / 800, 1e-9);
  // 10 MB/s lasted 50 of 800 s, more than 5 %.
  EXPECT_NEAR(*facts.wal_rate_p95 / kMegabyte, 10, 1e-9);
  EXPECT_EQ(facts.slow_syncs, 1);
  EXPECT_EQ(facts.longest_sync_phase, 12);
  EXPECT_EQ(facts.told_by_log, 1);
}

TEST(FoldEvents, ARateOfLessThanOneInTwentySecondsIsABurst) {
  std::vector<CheckpointEvent> events;
  double redo = 0;
  for (int i = 0; i < 20; ++i) {
    events.push_back(Event(Reason::kTime, kNow - 7000 + i * 300, redo));
    redo += 300;
  }
  events.push_back(Event(Reason::kWal, *events.back().start + 30, redo + 3000));
  const CheckpointFacts facts = FoldEvents(events, EventKind::kCheckpoint, 0, kNow);
  EXPECT_NEAR(*facts.wal_rate_p95 / kMegabyte, 1, 1e-9);
}

TEST(FoldEvents, NothingSpansARestartOrComesFromBefore) {
  const std::vector<CheckpointEvent> events{
      Event(Reason::kWal, kNow - 5000, 0),
      Event(Reason::kWal, kNow - 1000, 9000),
      Event(Reason::kRestart, kNow - 800, 9001),
      Event(Reason::kTime, kNow - 500, 9301),
  };
  const CheckpointFacts facts = FoldEvents(events, EventKind::kCheckpoint, kNow - 1100, kNow);
  EXPECT_EQ(facts.Total(), 2);
  EXPECT_EQ(facts.mean_interval, 300);  // from the restart's own checkpoint
  EXPECT_NEAR(*facts.wal_rate_p95 / kMegabyte, 1, 1e-9);
}

TEST(FoldEvents, FailuresAndTheOtherKindAreApart) {
  std::vector<CheckpointEvent> events{Event(Reason::kTime, kNow - 300, 0),
                                      Event(Reason::kTime, kNow - 200, 0),
                                      Event(Reason::kTime, kNow - 100, 10)};
  events[0].kind = EventKind::kRestartpoint;
  events[1].failed = true;
  const CheckpointFacts facts = FoldEvents(events, EventKind::kCheckpoint, 0, kNow);
  EXPECT_EQ(facts.Total(), 1);
  EXPECT_EQ(facts.failed, 1);
  EXPECT_EQ(facts.since_failed, 200);
  EXPECT_FALSE(facts.mean_interval.has_value());
}

// A server that is asked once, or that writes WAL steadily.
class Server {
 public:
  Server() {
    identity.version = {180004};
    identity.postmaster_start = kNow - 1e6;
    auto own = std::make_shared<TargetInfo>();
    own->name = "main";
    info = own;
    Settings& settings = survey.rows.settings;
    settings.max_wal_size = 1 * kGigabyte;
    settings.wal_segment_size = 16 * kMegabyte;
    settings.checkpoint_timeout = 300;
    settings.checkpoint_completion_target = 0.9;
    settings.block_size = 8192;
    settings.wal_compression = "off";
    pulse.in_recovery = 0;
    pulse.server_time = kNow;
    pulse.checkpoints_timed = 0;
    pulse.checkpoints_requested = 0;
    pulse.checkpointer_stats_reset = pulse.wal_stats_reset = pulse.bgwriter_stats_reset =
        kNow - 36000;
    pulse.wal_bytes = 0;
    pulse.insert_lsn = pulse.write_lsn = pulse.redo_lsn = 0;
  }
  TargetState State() const {
    TargetState state;
    state.info = info;
    state.server = identity;
    state.pulse = pulse;
    state.survey = std::make_shared<const Survey>(survey);
    return state;
  }

  ServerIdentity identity;
  std::shared_ptr<const TargetInfo> info;
  PulseStats pulse;
  Survey survey;
};

TEST(SinceResetInput, WalVolumeBoundsWhatItCanHaveForced) {
  Server server;
  server.pulse.checkpoints_timed = 20;
  server.pulse.checkpoints_requested = 100;
  // 32 segments of 16 MB at the least between forced ones: 512 MB. 30 GB force 60 at the most.
  server.pulse.wal_bytes = static_cast<std::int64_t>(30 * kGigabyte);
  AdviceInput input = SinceResetInput(server.State());
  EXPECT_EQ(input.checkpoints.Of(Reason::kWal), 60);
  EXPECT_EQ(input.checkpoints.Of(Reason::kRequest), 40);
  EXPECT_EQ(input.checkpoints.Of(Reason::kTime), 20);
  EXPECT_EQ(input.checkpoints.mean_interval, 300);
  EXPECT_NEAR(*input.checkpoints.wal_rate_p95, 30 * kGigabyte / 36000, 1);
  const std::vector<Advice> advice = Evaluate(input);
  ASSERT_FALSE(advice.empty());
  EXPECT_EQ(advice[0].rule, "checkpoints_requested");

  // Views that were reset at different times cannot be set against each other.
  server.pulse.wal_stats_reset = kNow - 7200;
  input = SinceResetInput(server.State());
  EXPECT_EQ(input.checkpoints.Of(Reason::kWal), 0);
  EXPECT_FALSE(input.checkpoints.wal_rate_p95.has_value());
}

TEST(SinceResetInput, ForcedCheckpointsAskForTwiceTheSizeAtLeast) {
  Server server;
  server.pulse.checkpoints_timed = 60;
  server.pulse.checkpoints_requested = 60;
  server.pulse.wal_bytes = static_cast<std::int64_t>(31 * kGigabyte);
  const AdviceInput input = SinceResetInput(server.State());
  const std::vector<Advice> advice = Evaluate(input);
  ASSERT_FALSE(advice.empty());
  EXPECT_EQ(advice[0].rule, "wal_forced_checkpoints");
  // The mean of 0.9 MB/s needs less than what is in force; the bursts that forced them are unknown.
  EXPECT_EQ(advice[0].sizing->recommended_bytes, 2 * kGigabyte);
  EXPECT_NE(advice[0].confidence.find("Moderate"), std::string::npos);
}

// The whole way: pulses of a server whose WAL forces checkpoints make a target's state.
class ModelUnderLoad : public ::testing::Test {
 protected:
  // Runs `seconds` at `megabytes` per second of WAL.
  void Run(int seconds, double megabytes) {
    for (int i = 0; i < seconds; ++i) {
      now_ += std::chrono::seconds(1);
      server_.pulse.server_time = *server_.pulse.server_time + 1;
      position_ += megabytes * kMegabyte;
      const auto position = static_cast<std::int64_t>(position_);
      PulseStats& pulse = server_.pulse;
      pulse.taken = {*pulse.server_time, now_};
      pulse.insert_lsn = pulse.write_lsn = position;
      pulse.wal_bytes = position;
      const double since = *pulse.server_time - last_start_;
      const bool forced = position_ >= redo_ + 528 * kMegabyte;
      if (forced || since >= 300) {
        ++(forced ? *pulse.checkpoints_requested : *pulse.checkpoints_timed);
        redo_ = std::floor(position_ / (16 * kMegabyte)) * 16 * kMegabyte;
        last_start_ = *pulse.server_time;
        pulse.redo_lsn = static_cast<std::int64_t>(redo_);
        pulse.checkpoint_lsn = position;
        pulse.checkpoint_time = last_start_;
        pulse.control_last_modified = last_start_;
        if (pulse.checkpoints_done) ++*pulse.checkpoints_done;
      }
      std::shared_ptr<const Survey> survey;
      if (i % 15 == 0 || i == seconds - 1) survey = std::make_shared<const Survey>(server_.survey);
      model_.OnPulse(pulse, survey);
    }
  }
  std::set<std::string_view> Rules() {
    std::set<std::string_view> rules;
    for (const Advice& advice : *model_.Snapshot()->advice) rules.insert(advice.rule);
    return rules;
  }
  void Connect() { model_.OnConnect(server_.identity, {}); }

  Server server_;
  TargetModel model_{server_.info};
  MonotonicTime now_{std::chrono::hours(1)};
  double position_ = 0;
  double redo_ = 0;
  UnixSeconds last_start_ = kNow;
};

TEST_F(ModelUnderLoad, ForcedThenEnded) {
  server_.pulse.checkpoints_done = 0;
  Connect();
  Run(60, 20);
  ASSERT_NE(model_.Snapshot()->advice, nullptr);
  EXPECT_TRUE(Rules().empty()) << "too little was seen";
  Run(300, 20);
  EXPECT_EQ(Rules(), std::set<std::string_view>{"wal_forced_checkpoints"});
  const auto state = model_.Snapshot();
  // 20 MB/s x 300 s x 1.9 = 11400 MB, and a segment for where redo lies.
  EXPECT_EQ(state->recommended_max_wal_size, 12 * kGigabyte);
  Run(620, 0);
  EXPECT_TRUE(Rules().empty()) << "the load has ended";
}

TEST_F(ModelUnderLoad, ARestartForgetsWhatWasBefore) {
  server_.pulse.checkpoints_done = 0;
  Connect();
  Run(360, 20);
  ASSERT_FALSE(Rules().empty());
  server_.identity.postmaster_start = *server_.pulse.server_time;
  server_.pulse.postmaster_start = server_.identity.postmaster_start;
  Connect();
  EXPECT_EQ(model_.Snapshot()->advice, nullptr);
  Run(30, 1);
  EXPECT_TRUE(Rules().empty());
}

}  // namespace
}  // namespace ckpt
