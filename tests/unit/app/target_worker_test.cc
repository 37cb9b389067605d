// SPDX-License-Identifier: Apache-2.0
#include "app/target_worker.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "scripted_server.h"
#include "testing/manual_clock.h"

namespace ckpt::app {
namespace {

using std::chrono::seconds;

class TargetWorkerTest : public ::testing::Test {
 protected:
  TargetWorkerTest() {
    options_.pulse_interval = seconds(10);
    options_.survey_interval = seconds(60);
    info_->name = "main";
    info_->fresh_for = seconds(30);
  }

  TargetWorker& Make(std::unique_ptr<Connector> connector) {
    worker_ = std::make_unique<TargetWorker>(
        options_, info_, std::move(connector), [] { return 0.5; }, &clock_, &log_, &store_);
    return *worker_;
  }
  TargetWorker& MakeScripted() {
    auto connector = std::make_unique<testing::FakeConnector>();
    connector_ = connector.get();
    return Make(std::move(connector));
  }
  void QueueServer() {
    connector_->QueueSession(180001, [this](testing::FakeSession& session) {
      session_ = &session;
      AnswerAsServer(session);
    });
  }
  double Until(MonotonicTime time) {
    return std::chrono::duration<double>(time - clock_.Monotonic()).count();
  }
  PollHealth Health() { return store_.Find("main")->health; }
  TargetWorker::Collected Note() {
    return [this](bool polled) { answers_.push_back(polled); };
  }

  WorkerOptions options_;
  std::shared_ptr<TargetInfo> info_ = std::make_shared<TargetInfo>();
  testing::ManualClock clock_;
  SilentLog log_;
  StateStore store_;
  testing::FakeConnector* connector_ = nullptr;
  testing::FakeSession* session_ = nullptr;
  std::vector<bool> answers_;
  std::unique_ptr<TargetWorker> worker_;
};

TEST_F(TargetWorkerTest, PublishesItsStateBeforeTheFirstPoll) {
  MakeScripted();
  ASSERT_NE(store_.Find("main"), nullptr);
  EXPECT_FALSE(store_.Find("main")->Fresh(clock_.Monotonic()));
}

TEST_F(TargetWorkerTest, PollsOnAGridOfTimes) {
  TargetWorker& worker = MakeScripted();
  QueueServer();
  EXPECT_DOUBLE_EQ(Until(worker.Step()), 10);
  EXPECT_TRUE(store_.Find("main")->Fresh(clock_.Monotonic()));
  EXPECT_EQ(Health().pulses, 1U);
  EXPECT_EQ(Health().surveys, 1U);
  clock_.Advance(25);  // late by one pulse and a half
  EXPECT_DOUBLE_EQ(Until(worker.Step()), 5);
  EXPECT_EQ(Health().pulses, 2U);
}

TEST_F(TargetWorkerTest, APollThatIsAskedForLeavesTheGridAlone) {
  TargetWorker& worker = MakeScripted();
  QueueServer();
  worker.Step();
  clock_.Advance(4);
  ASSERT_TRUE(worker.Collect(Note()));
  ASSERT_TRUE(worker.Collect(Note()));
  EXPECT_DOUBLE_EQ(Until(worker.Step()), 6);
  EXPECT_EQ(answers_, (std::vector{true, true}));
  EXPECT_EQ(Health().pulses, 2U) << "those who wait share one poll";
  EXPECT_EQ(Health().surveys, 1U) << "a survey is asked for only when it is due";
}

TEST_F(TargetWorkerTest, AskingAgainAndAgainPollsFiveTimesASecondAtMost) {
  TargetWorker& worker = MakeScripted();
  QueueServer();
  worker.Step();
  for (int i = 0; i < 100; ++i) {
    clock_.Advance(0.01);
    worker.Collect(Note());
    worker.Step();
  }
  EXPECT_EQ(Health().pulses, 6U);
  clock_.Advance(0.2);
  worker.Step();
  EXPECT_EQ(answers_, std::vector<bool>(100, true));
}

TEST_F(TargetWorkerTest, WhoAsksIsToldThatTheServerDidNotAnswer) {
  TargetWorker& worker = MakeScripted();
  QueueServer();
  worker.Step();
  session_->Disconnect();
  clock_.Advance(1);
  worker.Collect(Note());
  worker.Step();
  EXPECT_EQ(answers_, std::vector{false});
}

TEST_F(TargetWorkerTest, AServerThatIsAwayIsTriedForWhoAsksOnceASecondAtMost) {
  options_.pulse_interval = seconds(60);
  TargetWorker& worker = MakeScripted();
  worker.Step();                 // refused
  for (int i = 0; i < 8; ++i) {  // until it waits for long by itself
    clock_.Advance(90);
    worker.Step();
  }
  const int before = connector_->connects();
  for (int i = 0; i < 20; ++i) {
    clock_.Advance(0.1);
    worker.Collect(Note());
    worker.Step();
  }
  EXPECT_EQ(connector_->connects() - before, 2);
  EXPECT_EQ(answers_, std::vector<bool>(answers_.size(), false));
  QueueServer();
  clock_.Advance(1);
  worker.Collect(Note());
  worker.Step();
  EXPECT_TRUE(answers_.back());
}

TEST_F(TargetWorkerTest, AServerThatRefusedUsIsNotAskedBeforeItsTime) {
  TargetWorker& worker = MakeScripted();
  connector_->Queue(Error{ErrorCode::kAuth, "password authentication failed"});
  worker.Step();
  worker.Collect(Note());
  worker.Step();
  EXPECT_EQ(connector_->connects(), 1);
  EXPECT_EQ(answers_, std::vector{false}) << "known at once";
}

TEST_F(TargetWorkerTest, TurnsAwayWhenTooManyWait) {
  TargetWorker& worker = MakeScripted();
  int taken = 0;
  while (taken < 100'000 && worker.Collect(Note())) ++taken;
  EXPECT_EQ(taken, 256);
  worker.Step();
  EXPECT_EQ(answers_.size(), 256U);
  EXPECT_TRUE(worker.Collect(Note()));
}

TEST_F(TargetWorkerTest, PublishesNothingOnceAStopIsAskedFor) {
  TargetWorker& worker = MakeScripted();
  QueueServer();
  worker.RequestStop();
  store_.Remove("main");
  worker.Step();
  EXPECT_EQ(store_.Find("main"), nullptr);
  EXPECT_FALSE(worker.Collect(Note()));
}

TEST_F(TargetWorkerTest, AHangingLookupIsStuckAfterAllDeadlinesAndStopDoesNotWait) {
  auto owned = std::make_unique<HangingConnector>();
  HangingConnector& connector = *owned;
  TargetWorker& worker = Make(std::move(owned));
  EXPECT_FALSE(worker.Stuck(clock_.Monotonic() + std::chrono::hours(1)));  // does not run
  worker.Start();
  connector.WaitForConnect();
  worker.Collect(Note());
  EXPECT_FALSE(worker.Stuck(clock_.Monotonic() + std::chrono::minutes(2)));
  EXPECT_TRUE(worker.Stuck(clock_.Monotonic() + std::chrono::minutes(5)));
  worker.RequestStop();
  EXPECT_FALSE(worker.WaitEnded(std::chrono::steady_clock::now()));
  connector.Release();
  EXPECT_TRUE(worker.WaitEnded(std::chrono::steady_clock::now() + seconds(20)));
  EXPECT_EQ(answers_, std::vector{false}) << "whoever waits is told at the end";
  EXPECT_FALSE(worker.Stuck(clock_.Monotonic() + std::chrono::hours(1)));
}

}  // namespace
}  // namespace ckpt::app
