// SPDX-License-Identifier: Apache-2.0
#include "core/predict.h"

#include <gmock/gmock.h>

#include <cmath>
#include <random>

#include "core/wal_rate.h"
#include "fake_checkpointer.h"

namespace ckpt {
namespace {

using testing::FakeCheckpointer;

constexpr std::int64_t kSegment = 16 << 20;
const MonotonicTime kNow{std::chrono::hours(5)};

MonotonicTime At(double seconds) {
  return kNow + std::chrono::duration_cast<MonotonicTime::duration>(
                    std::chrono::duration<double>(seconds));
}

TEST(WalRate, IsTheMeanOfASteadyStream) {
  WalRate rate;
  EXPECT_FALSE(rate.BytesPerSecond());
  rate.Add(1000, At(0));
  EXPECT_FALSE(rate.BytesPerSecond());
  for (int i = 1; i < 100; ++i) rate.Add(1000 + 500 * i, At(i));
  EXPECT_NEAR(*rate.BytesPerSecond(), 500, 1);
}

TEST(WalRate, IsNotCarriedByASegmentSwitch) {
  WalRate rate;
  std::int64_t position = 0;
  for (int i = 0; i < 100; ++i) {
    position += i == 95 ? kSegment : 10'000;
    rate.Add(position, At(i));
  }
  EXPECT_NEAR(*rate.BytesPerSecond(), 10'000, 100);
}

TEST(WalRate, FollowsALastingBurstWithinAMinute) {
  WalRate rate;
  std::int64_t position = 0;
  for (int i = 0; i < 120; ++i) rate.Add(position += 10'000, At(i));
  for (int i = 120; i < 181; ++i) rate.Add(position += 5'000'000, At(i));
  EXPECT_NEAR(*rate.BytesPerSecond(), 5e6, 1e5);
}

TEST(WalRate, ABurstEveryFewSecondsIsAveraged) {
  WalRate rate;
  std::int64_t position = 0;
  for (int i = 0; i < 120; ++i) rate.Add(position += i % 5 == 0 ? 5'000'000 : 0, At(i));
  EXPECT_NEAR(*rate.BytesPerSecond(), 1e6, 1e5);
}

TEST(WalRate, FallsBackToTenMinutesThenToZero) {
  WalRate rate;
  std::int64_t position = 0;
  for (int i = 0; i < 300; ++i) rate.Add(position += 1'000'000, At(i));
  for (int i = 300; i < 400; ++i) rate.Add(position, At(i));
  EXPECT_GT(*rate.BytesPerSecond(), 3e5);
  for (int i = 400; i < 1000; ++i) rate.Add(position, At(i));
  EXPECT_EQ(*rate.BytesPerSecond(), 0);
}

TEST(WalRate, BeginsAnewWhenThePositionGoesBack) {
  WalRate rate;
  rate.Add(1'000'000'000, At(0));
  rate.Add(1'000'001'000, At(1));
  rate.Add(500, At(2));
  EXPECT_FALSE(rate.BytesPerSecond());
  rate.Add(1500, At(3));
  EXPECT_NEAR(*rate.BytesPerSecond(), 1000, 1);
}

class ForecastTest : public ::testing::Test {
 protected:
  ForecastTest() : fake_(15) {}
  Forecast At(double t) {
    const PulseStats pulse = fake_.Pulse(t);
    detector_.Step(pulse, fake_.settings(), fake_.server());
    return forecaster_.Step(pulse, fake_.settings(), fake_.server(), detector_.running());
  }
  Forecast Watch(double from, double to) {
    Forecast forecast;
    const int pulses = static_cast<int>(std::floor(to - from)) + 1;
    for (int i = 0; i < pulses; ++i) forecast = At(from + i);
    return forecast;
  }
  FakeCheckpointer fake_;
  StatsEventDetector detector_;
  Forecaster forecaster_;
};

TEST_F(ForecastTest, TellsWhenWalWillForceACheckpoint) {
  fake_.wal_rate = 2e6;
  const Forecast forecast = Watch(0, 60);
  const ForcedTrigger trigger{33, kSegment};
  const std::int64_t redo = fake_.Position(-100);
  EXPECT_EQ(forecast.redo_lsn, redo);
  EXPECT_FALSE(forecast.redo_is_observed);
  EXPECT_EQ(forecast.trigger_lsn, trigger.TriggerLsn(redo));
  EXPECT_EQ(forecast.wal_since_redo_bytes, fake_.Position(60) - redo);
  EXPECT_EQ(forecast.recovery_wal_bytes, forecast.wal_since_redo_bytes);
  EXPECT_EQ(*forecast.remaining_bytes, *forecast.trigger_lsn - fake_.Position(60));
  EXPECT_EQ(*forecast.forced_trigger_bytes,
            *forecast.wal_since_redo_bytes + *forecast.remaining_bytes);
  EXPECT_NEAR(*forecast.wal_bytes_per_second, 2e6, 1e4);
  const double due =
      static_cast<double>(trigger.TriggerLsn(redo) - fake_.Position(0)) / fake_.wal_rate;
  EXPECT_NEAR(*forecast.next_forced, fake_.ServerTime(due), 2);
}

TEST_F(ForecastTest, CountsFromTheNewRedoPointWhileACheckpointRuns) {
  fake_.wal_rate = 2e6;
  const ForcedTrigger trigger{33, kSegment};
  const std::int64_t old_redo = fake_.Position(-100);
  const double due =
      static_cast<double>(trigger.TriggerLsn(old_redo) - fake_.Position(0)) / fake_.wal_rate;
  fake_.runs = {{.start = due + 0.02, .write = 100, .sync = 1}};
  Forecast forecast = Watch(0, due + 50);
  EXPECT_TRUE(forecast.redo_is_observed);
  const std::int64_t new_redo = fake_.Position(fake_.runs[0].start);
  EXPECT_NEAR(static_cast<double>(*forecast.redo_lsn), static_cast<double>(new_redo), 1e5);
  EXPECT_EQ(forecast.trigger_lsn, trigger.TriggerLsn(new_redo));
  EXPECT_NEAR(static_cast<double>(*forecast.wal_since_redo_bytes), 50 * 2e6, 3e6);
  EXPECT_GT(*forecast.recovery_wal_bytes, *forecast.wal_since_redo_bytes);
  // The next timed one is counted from its start, which the control file does not show yet.
  EXPECT_NEAR(*forecast.next_timed, fake_.ServerTime(due + 300), 1);
  forecast = Watch(due + 51, due + 110);
  EXPECT_FALSE(forecast.redo_is_observed);
  EXPECT_EQ(forecast.redo_lsn, new_redo);
  EXPECT_NEAR(*forecast.next_timed, fake_.ServerTime(due + 300), 1.1);
}

TEST_F(ForecastTest, IsWithinASegmentUnderAnyRate) {
  std::mt19937 random(7);
  for (int i = 0; i < 50; ++i) {
    std::uniform_real_distribution<double> start(20, 100);
    fake_ = FakeCheckpointer(14);
    detector_ = StatsEventDetector();
    forecaster_ = Forecaster();
    fake_.wal_rate = 1e6 * (1 + i % 15);
    fake_.runs = {{.start = start(random), .write = 60, .sync = 1}};
    const Forecast forecast = Watch(0, 140);
    const ForcedTrigger trigger{33, kSegment};
    const std::int64_t truth = trigger.TriggerLsn(fake_.Position(fake_.runs[0].start));
    ASSERT_TRUE(forecast.trigger_lsn);
    EXPECT_LE(std::abs(*forecast.trigger_lsn - truth), kSegment);
  }
}

TEST_F(ForecastTest, SaysNothingOfVolumeWhenNothingIsWritten) {
  fake_.wal_rate = 0;
  const Forecast forecast = Watch(0, 100);
  EXPECT_EQ(forecast.wal_bytes_per_second, 0);
  EXPECT_FALSE(forecast.next_forced);
  EXPECT_TRUE(forecast.next_timed);
  fake_.wal_rate = 100;  // two months to go
  forecaster_ = Forecaster();
  EXPECT_FALSE(Watch(101, 200).next_forced);
}

TEST_F(ForecastTest, TheTimerGoesOnAfterASkip) {
  fake_.wal_rate = 0;
  fake_.runs = {{.start = 200.5, .timed = true, .skipped = true}};
  EXPECT_NEAR(*At(0).next_timed, fake_.ServerTime(200), 1.3);  // 300 s after -100
  EXPECT_NEAR(*Watch(1, 210).next_timed, fake_.ServerTime(500.5), 1);
  // With no skip seen it goes on in whole turns.
  forecaster_ = Forecaster();
  EXPECT_NEAR(*At(1250).next_timed, fake_.ServerTime(1400), 1.3);
  // A server counts from its own start.
  fake_.server().postmaster_start = fake_.ServerTime(1240);
  EXPECT_NEAR(*At(1251).next_timed, fake_.ServerTime(1540), 0.1);
}

TEST_F(ForecastTest, AStandbyCountsWhatItReplayed) {
  fake_.standby = true;
  fake_.wal_rate = 2e6;
  fake_.runs = {{.start = 80.5, .write = 30, .sync = 1, .timed = true}};
  Forecast forecast = Watch(0, 60);
  EXPECT_EQ(forecast.recovery_wal_bytes, fake_.Position(60) - fake_.Position(-100));
  EXPECT_TRUE(forecast.next_forced);
  EXPECT_FALSE(forecast.next_timed);  // no restartpoint was seen yet
  forecast = Watch(61, 100);
  EXPECT_FALSE(forecast.redo_is_observed);
  EXPECT_NEAR(*forecast.next_timed, fake_.ServerTime(380.5), 1);
  forecast = Watch(101, 150);
  EXPECT_EQ(forecast.redo_lsn, fake_.Position(20.5));
  EXPECT_NEAR(*forecast.next_timed, fake_.ServerTime(380.5), 1);
  EXPECT_FALSE(Watch(151, 400).next_timed);  // due: waits for the primary's next checkpoint
}

TEST_F(ForecastTest, IsEmptyWhereThereIsNothingToGoBy) {
  const Forecast forecast =
      forecaster_.Step(PulseStats{}, Settings{}, fake_.server(), std::nullopt);
  EXPECT_FALSE(forecast.redo_lsn || forecast.trigger_lsn || forecast.remaining_bytes ||
               forecast.wal_since_redo_bytes || forecast.recovery_wal_bytes ||
               forecast.next_forced || forecast.next_timed || forecast.wal_bytes_per_second);
}

}  // namespace
}  // namespace ckpt
