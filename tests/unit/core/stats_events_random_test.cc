// SPDX-License-Identifier: Apache-2.0
// Random scripts with fixed seeds: what must hold whatever a server does.
#include <gmock/gmock.h>

#include <random>

#include "core/event_ledger.h"
#include "core/event_merge.h"
#include "core/stats_events.h"
#include "fake_checkpointer.h"

namespace ckpt {
namespace {

using testing::FakeCheckpointer;
using testing::Pass;

std::vector<Pass> RandomPasses(std::mt19937* random, double until) {
  std::uniform_real_distribution<double> unit(0, 1);
  std::vector<Pass> passes;
  double t = 5;
  while (t < until) {
    Pass pass;
    t += unit(*random) < 0.3 ? 0.01 : 120 * unit(*random);
    pass.start = t;
    pass.immediate = unit(*random) < 0.4;
    pass.timed = unit(*random) < 0.5;
    pass.write = pass.immediate ? 0.5 * unit(*random) : 1 + 60 * unit(*random);
    pass.sync = 2 * unit(*random) * unit(*random);
    pass.removal = unit(*random) < 0.1 ? 3 * unit(*random) : 0;
    pass.skipped = unit(*random) < 0.1;
    pass.buffers = static_cast<std::int64_t>(1000 * unit(*random));
    passes.push_back(pass);
    t = pass.skipped ? t + 0.2 : pass.end();
  }
  return passes;
}

void CheckEvent(const CheckpointEvent& e) {
  ASSERT_GE(e.coalesced, 1);
  ASSERT_LE(e.coalesced, 1000);
  if (e.start && e.end) {
    ASSERT_GE(*e.end, *e.start);
  }
  for (const auto& seconds : {e.write_seconds, e.sync_seconds, e.total_seconds}) {
    ASSERT_GE(seconds.value_or(0), 0);
    ASSERT_LE(seconds.value_or(0), 1e5);
  }
  ASSERT_GE(e.buffers_written.value_or(0), 0);
  ASSERT_GT(e.distance_bytes.value_or(1), 0);
}

TEST(StatsEventsRandom, CountsEveryCheckpointOfAQuietWatchedServerOnce) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    std::mt19937 random(seed);
    FakeCheckpointer fake(10 + static_cast<int>(seed % 10));
    SCOPED_TRACE(::testing::Message() << "seed " << seed << " version " << fake.major());
    fake.wal_rate = 5e5;
    fake.runs = RandomPasses(&random, 1500);
    StatsEventDetector detector;
    int total = 0;
    for (const CheckpointEvent& event : testing::Watch(fake, &detector, 0.4, 1700)) {
      CheckEvent(event);
      ASSERT_FALSE(event.failed);
      total += event.coalesced;
    }
    int truth = 0;
    for (const Pass& pass : fake.runs) truth += pass.skipped ? 0 : 1;
    // To 17 a skip within a pulse or two of a checkpoint cannot be told from one.
    int doubt = fake.major() >= 18 ? 0 : fake.major() >= 15 ? 1 : 2;
    for (const Pass& skip : fake.runs) {
      if (!skip.skipped || fake.major() >= 18) continue;
      doubt += std::any_of(fake.runs.begin(), fake.runs.end(), [&skip](const Pass& p) {
        return !p.skipped && skip.start > p.start - 2 && skip.start < p.end() + 2;
      });
    }
    EXPECT_NEAR(total, truth, doubt);
  }
}

TEST(StatsEventsRandom, DatesEventsWithinASecond) {
  int events = 0;
  int ends_off = 0;
  int numbers_off = 0;
  for (unsigned seed = 100; seed < 160; ++seed) {
    std::mt19937 random(seed);
    FakeCheckpointer fake(10 + static_cast<int>(seed % 10));
    SCOPED_TRACE(::testing::Message() << "seed " << seed << " version " << fake.major());
    fake.wal_rate = 5e5;
    fake.runs = RandomPasses(&random, 1500);
    StatsEventDetector detector;
    for (const CheckpointEvent& event : testing::Watch(fake, &detector, 0.4, 1700)) {
      if (!event.redo_lsn) continue;
      const auto pass = std::find_if(fake.runs.begin(), fake.runs.end(), [&](const Pass& p) {
        return fake.Position(p.start) == *event.redo_lsn;
      });
      ASSERT_NE(pass, fake.runs.end());
      ASSERT_TRUE(event.start && event.end);
      ++events;
      EXPECT_NEAR(*event.start, fake.ServerTime(pass->start), 1.0);
      // The removal of WAL files may still go on when the statistics of the one just before it
      // come in: then the end is that of the control file.
      EXPECT_NEAR(*event.end, fake.ServerTime(pass->end()), 1.0 + pass->removal);
      if (std::abs(*event.end - fake.ServerTime(pass->end())) > 1) ++ends_off;
      if (event.write_seconds && std::abs(*event.write_seconds - pass->write) > 0.0011) {
        EXPECT_NEAR(*event.write_seconds, pass->write, 1);
        ++numbers_off;
      }
    }
  }
  EXPECT_GT(events, 900);
  EXPECT_LT(ends_off, events / 100);
  EXPECT_LT(numbers_off, events / 50);
}

// Everything at once: lost pulses, resets, restarts, failovers, clock steps, roles without rights,
// and a log that tells some of it early, late or not at all.
TEST(StatsEventsRandom, NeverBreaksWhateverHappens) {
  for (unsigned seed = 1000; seed < 1080; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> unit(0, 1);
    FakeCheckpointer fake(10 + static_cast<int>(seed % 10));
    fake.wal_rate = std::pow(10, 3 + 5 * unit(random));
    fake.runs = RandomPasses(&random, 1200);
    fake.visible = unit(random) < 0.7;
    fake.standby = unit(random) < 0.3;
    StatsEventDetector detector;
    EventMerger merger;
    EventLedger ledger(50);
    merger.ExpectLog(unit(random) < 0.5);
    double offset = 0;
    std::uint64_t before = 0;
    const auto take = [&](const std::vector<EventUpdate>& updates) {
      for (const EventUpdate& update : updates) {
        CheckEvent(update.event);
        ledger.Add(update);
      }
    };
    double t = 0;
    while (t < 1300) {
      t += unit(random) < 0.03 ? 200 * unit(random) : 1;
      if (unit(random) < 0.01) offset += 4000 * (unit(random) - 0.5);
      fake.clock = [offset](double) { return offset; };
      if (unit(random) < 0.005) fake.reset_at = t;
      if (unit(random) < 0.005) fake.server().postmaster_start = fake.ServerTime(t - 2);
      if (unit(random) < 0.003) fake.server().system_identifier = static_cast<int>(t);
      if (unit(random) < 0.01) fake.visible = !fake.visible;
      if (unit(random) < 0.003) fake.standby = !fake.standby;
      const PulseStats pulse = fake.Pulse(t);
      for (const CheckpointEvent& event : detector.Step(pulse, fake.settings(), fake.server())) {
        CheckEvent(event);
        take(merger.AddStats(event, pulse.taken.monotonic));
        // The log tells each checkpoint by itself.
        if (event.coalesced == 1 && unit(random) < 0.5) {
          CheckpointEvent logged = event;
          if (unit(random) < 0.5) logged.redo_lsn.reset();
          take(merger.AddLog(logged, pulse.taken.monotonic));
        }
      }
      take(merger.Step(pulse.taken.monotonic));
      ledger.SetSources(merger.counts());
      std::uint64_t total = 0;
      for (const KindEvents& kind : ledger.State()->kinds) {
        for (const std::uint64_t each : kind.totals) total += each;
      }
      ASSERT_GE(total, before);
      before = total;
      ASSERT_LE(ledger.State()->recent.Recent(1000).size(), 50U);
    }
    take(merger.Flush());
    std::uint64_t total = 0;
    for (const KindEvents& kind : ledger.State()->kinds) {
      for (const std::uint64_t each : kind.totals) total += each;
    }
    const MergeCounts& counts = merger.counts();
    EXPECT_EQ(counts.both + counts.stats_only, counts.stats_seen);
    EXPECT_EQ(counts.both + counts.log_only, counts.log_seen);
    EXPECT_EQ(counts.both + counts.stats_only + counts.log_only, total);
  }
}

}  // namespace
}  // namespace ckpt
