// SPDX-License-Identifier: Apache-2.0
#include "app/fleet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "scripted_server.h"
#include "sys/system_clock.h"

namespace ckpt::app {
namespace {

config::ValidatedConfig Configuration(const std::string& targets) {
  auto config = config::Validate(config::LoadConfigText("targets: [" + targets + "]", "test.yml"));
  EXPECT_TRUE(config.ok()) << config.error().message;
  return std::move(config).value();
}

class FleetTest : public ::testing::Test {
 protected:
  std::unique_ptr<Connector> MakeConnector(const config::TargetConfig& target) {
    ++made_[target.name];
    if (target.name == "hanging") {
      auto connector = std::make_unique<HangingConnector>();
      hanging_ = connector.get();
      return connector;
    }
    auto connector = std::make_unique<testing::FakeConnector>();
    connector->QueueSession(180001, AnswerAsServer);
    return connector;
  }
  std::vector<std::string> Names() {
    std::vector<std::string> names;
    for (const auto& state : store_.All()) names.push_back(state->info->name);
    return names;
  }

  sys::SystemClock clock_;
  SilentLog log_;
  StateStore store_;
  LogWorker log_worker_{&log_, &clock_};
  std::map<std::string, int> made_;
  HangingConnector* hanging_ = nullptr;
  Fleet fleet_{[this](const config::TargetConfig& target) { return MakeConnector(target); },
               &clock_, &log_, &log_worker_, &store_};
};

TEST_F(FleetTest, AppliesOnlyWhatDiffers) {
  fleet_.Apply(Configuration("{name: a, host: x}, {name: b, host: x}, {name: c, host: x}"));
  EXPECT_EQ(Names(), (std::vector<std::string>{"a", "b", "c"}));
  const Fleet::Changes changes =
      fleet_.Apply(Configuration("{name: a, host: x}, {name: b, host: y}, {name: d, host: x}"));
  EXPECT_EQ(changes.kept, 1U);
  EXPECT_EQ(changes.replaced, 1U);
  EXPECT_EQ(changes.removed, 1U);
  EXPECT_EQ(changes.added, 1U);
  EXPECT_EQ(Names(), (std::vector<std::string>{"a", "b", "d"}));
  EXPECT_EQ(made_, (std::map<std::string, int>{{"a", 1}, {"b", 2}, {"c", 1}, {"d", 1}}));
}

TEST_F(FleetTest, CollectsFromOneTarget) {
  fleet_.Apply(Configuration("{name: a, host: x, pulse_interval: 1m, survey_interval: 1m}"));
  std::promise<bool> polled;
  EXPECT_EQ(fleet_.Collect("a", [&](bool ok) { polled.set_value(ok); }),
            Fleet::CollectOutcome::kAsked);
  auto answer = polled.get_future();
  ASSERT_EQ(answer.wait_for(std::chrono::seconds(20)), std::future_status::ready);
  EXPECT_TRUE(answer.get());
  EXPECT_EQ(fleet_.Collect("b", [](bool) {}), Fleet::CollectOutcome::kUnknownTarget);
  EXPECT_TRUE(fleet_.Stop(std::chrono::seconds(20)));
  EXPECT_EQ(fleet_.Collect("a", [](bool) {}), Fleet::CollectOutcome::kUnknownTarget);
}

TEST_F(FleetTest, AHangingTargetIsNeitherWaitedForNorForgotten) {
  fleet_.Apply(Configuration("{name: a, host: x}, {name: hanging, host: x}"));
  hanging_->WaitForConnect();
  EXPECT_TRUE(fleet_.Stuck(clock_.Monotonic()).empty());
  EXPECT_THAT(fleet_.Stuck(clock_.Monotonic() + std::chrono::minutes(5)),
              ::testing::Contains("hanging"));
  const auto begin = std::chrono::steady_clock::now();
  fleet_.Apply(Configuration("{name: a, host: x}"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
  EXPECT_EQ(Names(), std::vector<std::string>{"a"});
  EXPECT_FALSE(fleet_.Stop(std::chrono::milliseconds(0)));
  hanging_->Release();
  EXPECT_TRUE(fleet_.Stop(std::chrono::seconds(20)));
}

}  // namespace
}  // namespace ckpt::app
