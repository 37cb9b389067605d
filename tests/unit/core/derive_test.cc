// SPDX-License-Identifier: Apache-2.0
#include "core/derive.h"

#include <gtest/gtest.h>

namespace ckpt {
namespace {

ServerIdentity Server() {
  ServerIdentity server;
  server.version = {180004};
  server.postmaster_start = 1.0;
  return server;
}

PulseStats PulseAt(int second) {
  PulseStats pulse;
  pulse.taken.monotonic = MonotonicTime(std::chrono::seconds(second));
  pulse.server_time = 1.8e9 + second;
  pulse.checkpointer_stats_reset = 100.0;
  pulse.bgwriter_stats_reset = 100.0;
  pulse.wal_stats_reset = 100.0;
  return pulse;
}

Settings Blocks() {
  Settings settings;
  settings.block_size = 8192.0;
  return settings;
}

// Two pulses a minute apart, as `first` and `second` fill them.
template <class First, class Second>
Derived OfTwo(First first, Second second, const Settings& settings = Blocks()) {
  Window window;
  PulseStats pulse = PulseAt(0);
  first(pulse);
  window.Add(Server(), pulse, nullptr);
  pulse = PulseAt(60);
  second(pulse);
  window.Add(Server(), pulse, nullptr);
  return Derive(window, settings);
}

constexpr WindowLength kFive = WindowLength::kFiveMinutes;
constexpr WindowLength kHour = WindowLength::kOneHour;
constexpr WindowLength kReset = WindowLength::kSinceReset;

TEST(Derive, SaysNothingOfNothing) {
  const Derived derived = Derive(Window(), Blocks());
  for (const WindowRatios& ratios : derived.windows) {
    EXPECT_FALSE(ratios.requested || ratios.wal_fpi || ratios.backend_write || ratios.span_seconds);
  }
}

TEST(Derive, RequestedIsAShareOfAllAttempts) {
  const Derived derived = OfTwo(
      [](PulseStats& p) {
        p.checkpoints_timed = 90;
        p.checkpoints_requested = 10;
      },
      [](PulseStats& p) {
        p.checkpoints_timed = 91;
        p.checkpoints_requested = 13;
      });
  for (const WindowLength length : {kFive, kHour}) {
    EXPECT_EQ(derived.Of(length).requested, 0.75);
    EXPECT_EQ(derived.Of(length).span_seconds, 60);
  }
  EXPECT_EQ(derived.Of(kReset).requested, 13.0 / 104);
  EXPECT_FALSE(derived.Of(kReset).span_seconds);
}

TEST(Derive, WithoutAttemptsThereIsNoShare) {
  const auto same = [](PulseStats& p) {
    p.checkpoints_timed = 9;
    p.checkpoints_requested = 1;
  };
  const Derived derived = OfTwo(same, same);
  EXPECT_FALSE(derived.Of(kFive).requested);
  EXPECT_EQ(derived.Of(kReset).requested, 0.1);
  const auto none = [](PulseStats& p) {
    p.checkpoints_timed = 0;
    p.checkpoints_requested = 0;
  };
  EXPECT_FALSE(OfTwo(none, none).Of(kReset).requested);
}

TEST(Derive, FullPageImagesAreExactWhereTheServerCountsTheirBytes) {
  const auto fill = [](std::int64_t times) {
    return [times](PulseStats& p) {
      p.wal_bytes = 1000 * times;
      p.wal_fpi = 900 * times;  // the estimate would be capped at 1
      p.wal_fpi_bytes = 250 * times;
    };
  };
  const Derived derived = OfTwo(fill(1), fill(2));
  EXPECT_EQ(derived.Of(kFive).wal_fpi, 0.25);
  EXPECT_EQ(derived.Of(kReset).wal_fpi, 0.25);
}

TEST(Derive, FullPageImagesAreEstimatedFrom14To18) {
  const auto fill = [](std::int64_t fpi, std::int64_t bytes) {
    return [=](PulseStats& p) {
      p.wal_fpi = fpi;
      p.wal_bytes = bytes;
    };
  };
  EXPECT_EQ(OfTwo(fill(0, 0), fill(1, 16384)).Of(kFive).wal_fpi, 0.5);
  EXPECT_EQ(OfTwo(fill(0, 0), fill(10, 16384)).Of(kFive).wal_fpi, 1.0) << "capped";
  EXPECT_EQ(OfTwo(fill(0, 0), fill(0, 16384)).Of(kFive).wal_fpi, 0.0);
  EXPECT_FALSE(OfTwo(fill(5, 100), fill(5, 100)).Of(kFive).wal_fpi) << "no WAL, no share";
  EXPECT_FALSE(OfTwo(fill(0, 0), fill(1, 16384), Settings{}).Of(kFive).wal_fpi)
      << "block size unknown";
}

TEST(Derive, FullPageImagesAreAbsentBelow14) {
  const auto nothing = [](PulseStats&) {};
  EXPECT_FALSE(OfTwo(nothing, nothing).Of(kFive).wal_fpi);
  EXPECT_FALSE(OfTwo(nothing, nothing).Of(kReset).wal_fpi);
}

TEST(Derive, BackendWritesTo15AreOfOneView) {
  const auto fill = [](std::int64_t times) {
    return [times](PulseStats& p) {
      p.buffers_checkpointer = 50 * times;
      p.buffers_bgwriter = 25 * times;
      p.buffers_backend = 25 * times;
    };
  };
  const Derived derived = OfTwo(fill(1), fill(2));
  EXPECT_EQ(derived.Of(kFive).backend_write, 0.25);
  EXPECT_EQ(derived.Of(kReset).backend_write, 0.25);
}

// From 16 three views, each with its own reset.
Derived From16(OptionalReal io_reset) {
  Window window;
  for (int i = 1; i <= 2; ++i) {
    PulseStats pulse = PulseAt(60 * i);
    pulse.buffers_checkpointer = 50 * i;
    pulse.buffers_bgwriter = 30 * i;
    SurveyStats survey;
    survey.backend_writes = 20 * i;
    survey.io_stats_reset = io_reset;
    window.Add(Server(), pulse, &survey);
    // Pulses between surveys must not shift the shares.
    pulse = PulseAt(60 * i + 10);
    pulse.buffers_checkpointer = 50 * i + 49;
    pulse.buffers_bgwriter = 30 * i;
    window.Add(Server(), pulse, nullptr);
  }
  return Derive(window, Blocks());
}

TEST(Derive, BackendWritesFrom16CompareTotalsOnlySinceTheSameReset) {
  EXPECT_EQ(From16(100.0).Of(kFive).backend_write, 0.2);
  EXPECT_EQ(From16(100.0).Of(kReset).backend_write, 0.2);
  EXPECT_EQ(From16(101.5).Of(kReset).backend_write, 0.2);
  EXPECT_EQ(From16(500.0).Of(kFive).backend_write, 0.2) << "windows need no common reset";
  EXPECT_FALSE(From16(500.0).Of(kReset).backend_write);
  EXPECT_FALSE(From16(std::nullopt).Of(kReset).backend_write);
}

TEST(Derive, AnyOfTheThreeResetsApartMakesTotalsIncomparable) {
  for (OptionalReal PulseStats::*reset :
       {&PulseStats::checkpointer_stats_reset, &PulseStats::bgwriter_stats_reset}) {
    Window window;
    PulseStats pulse = PulseAt(0);
    pulse.buffers_checkpointer = 50;
    pulse.buffers_bgwriter = 30;
    pulse.*reset = 500.0;
    SurveyStats survey;
    survey.backend_writes = 20;
    survey.io_stats_reset = 100.0;
    window.Add(Server(), pulse, &survey);
    EXPECT_FALSE(Derive(window, Blocks()).Of(kReset).backend_write);
  }
}

TEST(Derive, SharesStayBetweenZeroAndOne) {
  for (const auto& [checkpointer, backend] :
       std::vector<std::pair<int, int>>{{0, 5}, {5, 0}, {1, 1}, {0, 0}}) {
    // Named anew: clang 14 captures no structured binding.
    const auto end = [by_checkpointer = checkpointer, by_backend = backend](PulseStats& p) {
      p.buffers_checkpointer = by_checkpointer;
      p.buffers_bgwriter = 0;
      p.buffers_backend = by_backend;
    };
    const auto begin = [](PulseStats& p) {
      p.buffers_checkpointer = p.buffers_bgwriter = p.buffers_backend = 0;
    };
    const auto share = OfTwo(begin, end).Of(kFive).backend_write;
    EXPECT_EQ(share.has_value(), checkpointer + backend > 0);
    EXPECT_TRUE(share.value_or(0) >= 0 && share.value_or(0) <= 1);
  }
}

}  // namespace
}  // namespace ckpt
