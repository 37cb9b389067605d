// SPDX-License-Identifier: Apache-2.0
#include "core/target_model.h"

#include <gtest/gtest.h>

namespace ckpt {
namespace {

using std::chrono::seconds;

ServerIdentity Server(std::int64_t identifier = 7) {
  ServerIdentity server;
  server.version = {180004};
  server.system_identifier = identifier;
  server.postmaster_start = 1.0;
  return server;
}

TargetModel Model() {
  TargetInfo info;
  info.name = "db";
  return TargetModel(std::make_shared<TargetInfo>(info));
}

PulseStats PulseAt(int second, std::int64_t timed, std::int64_t requested) {
  PulseStats pulse;
  pulse.taken.monotonic = MonotonicTime(seconds(second));
  pulse.checkpoints_timed = timed;
  pulse.checkpoints_requested = requested;
  return pulse;
}

std::shared_ptr<const Survey> SurveyAt(int second) {
  auto survey = std::make_shared<Survey>();
  survey->stats.taken.monotonic = MonotonicTime(seconds(second));
  survey->rows.settings.block_size = 8192.0;
  return survey;
}

TEST(TargetModel, BeginsWithNothingButItsName) {
  const auto state = Model().Snapshot();
  EXPECT_EQ(state->info->name, "db");
  EXPECT_FALSE(state->server);
  EXPECT_FALSE(state->pulse);
  EXPECT_EQ(state->survey, nullptr);
  EXPECT_FALSE(state->Fresh(MonotonicTime{}));
}

TEST(TargetModel, APulseBeforeAConnectIsNotTaken) {
  TargetModel model = Model();
  model.OnPulse(PulseAt(0, 1, 1), SurveyAt(0));
  EXPECT_FALSE(model.Snapshot()->pulse);
  EXPECT_EQ(model.Snapshot()->survey, nullptr);
}

TEST(TargetModel, KeepsTheLastPulseAndSurveyAndDerives) {
  TargetModel model = Model();
  CapabilitySet capabilities;
  capabilities.Set(Capability::kStatistics, true);
  model.OnConnect(Server(), capabilities);
  model.OnPulse(PulseAt(0, 0, 0), SurveyAt(0));
  model.OnPulse(PulseAt(10, 3, 1), nullptr);
  const auto state = model.Snapshot();
  EXPECT_EQ(state->server, Server());
  EXPECT_EQ(state->capabilities, capabilities);
  ASSERT_TRUE(state->pulse);
  EXPECT_EQ(state->pulse->checkpoints_timed, 3);
  ASSERT_NE(state->survey, nullptr);
  EXPECT_EQ(state->survey->stats.taken.monotonic, MonotonicTime(seconds(0)));
  EXPECT_EQ(state->derived.Of(WindowLength::kFiveMinutes).requested, 0.25);
}

TEST(TargetModel, ASnapshotDoesNotChange) {
  TargetModel model = Model();
  model.OnConnect(Server(), {});
  model.OnPulse(PulseAt(0, 1, 0), SurveyAt(0));
  const auto before = model.Snapshot();
  model.OnPulse(PulseAt(10, 2, 0), SurveyAt(10));
  model.OnConnect(Server(8), {});
  EXPECT_EQ(before->pulse->checkpoints_timed, 1);
  EXPECT_EQ(before->server, Server());
  EXPECT_NE(before->survey, nullptr);
}

TEST(TargetModel, AConnectForgetsValuesButNotTheWindowOfTheSameRun) {
  TargetModel model = Model();
  model.OnConnect(Server(), {});
  model.OnPulse(PulseAt(0, 0, 0), SurveyAt(0));
  model.OnConnect(Server(), {});
  EXPECT_FALSE(model.Snapshot()->pulse) << "the new role may see less";
  EXPECT_EQ(model.Snapshot()->survey, nullptr);
  EXPECT_FALSE(model.Snapshot()->derived.Of(WindowLength::kSinceReset).requested);
  model.OnPulse(PulseAt(10, 1, 1), nullptr);
  EXPECT_EQ(model.Snapshot()->derived.Of(WindowLength::kFiveMinutes).requested, 0.5);
}

TEST(TargetModel, AnotherServersCountersAreNotCompared) {
  TargetModel model = Model();
  model.OnConnect(Server(), {});
  model.OnPulse(PulseAt(0, 0, 0), nullptr);
  model.OnConnect(Server(8), {});
  model.OnPulse(PulseAt(10, 100, 100), nullptr);
  EXPECT_FALSE(model.Snapshot()->derived.Of(WindowLength::kFiveMinutes).requested);
  EXPECT_EQ(model.Snapshot()->derived.Of(WindowLength::kSinceReset).requested, 0.5);
}

TEST(TargetModel, ASurveyThatIsNotRenewedIsDropped) {
  TargetModel model = Model();
  model.OnConnect(Server(), {});
  model.OnPulse(PulseAt(0, 0, 0), SurveyAt(0));
  model.OnPulse(PulseAt(45, 0, 0), nullptr);
  EXPECT_NE(model.Snapshot()->survey, nullptr);
  EXPECT_NE(model.Snapshot()->advice, nullptr);
  model.OnPulse(PulseAt(46, 0, 0), nullptr);
  EXPECT_EQ(model.Snapshot()->survey, nullptr);
  EXPECT_EQ(model.Snapshot()->advice, nullptr) << "it rests on the survey";
  model.OnPulse(PulseAt(47, 0, 0), SurveyAt(47));
  EXPECT_NE(model.Snapshot()->survey, nullptr);
}

TEST(TargetState, IsFreshUntilItsLastGoodPulseIsTooOld) {
  TargetModel model = Model();
  model.OnConnect(Server(), {});
  model.OnPulse(PulseAt(100, 0, 0), nullptr);
  EXPECT_FALSE(model.Snapshot()->Fresh(MonotonicTime(seconds(100)))) << "health not told";
  PollHealth health;
  health.last_good = SampleTime{1.8e9, MonotonicTime(seconds(100))};
  model.SetHealth(health);
  EXPECT_TRUE(model.Snapshot()->Fresh(MonotonicTime(seconds(100))));
  EXPECT_TRUE(model.Snapshot()->Fresh(MonotonicTime(seconds(105))));
  EXPECT_FALSE(model.Snapshot()->Fresh(MonotonicTime(seconds(105)) + std::chrono::nanoseconds(1)));
  model.OnConnect(Server(), {});
  EXPECT_FALSE(model.Snapshot()->Fresh(MonotonicTime(seconds(100)))) << "no pulse since";
}

}  // namespace
}  // namespace ckpt
