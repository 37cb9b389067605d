// SPDX-License-Identifier: Apache-2.0
#include "core/window.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ckpt {
namespace {

using std::chrono::seconds;
using C = WindowCounter;

constexpr seconds kFive{300};
constexpr seconds kHour{3600};

ServerIdentity Server() {
  ServerIdentity server;
  server.version = {150018};
  server.system_identifier = 7;
  server.postmaster_start = 1000.0;
  return server;
}

// A server of version 15 or, with `survey`, of 18, at `second`.
struct Polled {
  PulseStats pulse;
  SurveyStats survey;
};

Polled At(int second, std::int64_t value) {
  Polled polled;
  PulseStats& pulse = polled.pulse;
  pulse.taken.monotonic = MonotonicTime(seconds(10'000 + second));
  pulse.taken.wall = 1.8e9 + second;
  pulse.server_time = 1.8e9 + second;
  pulse.checkpoints_timed = value;
  pulse.checkpoints_requested = value;
  pulse.checkpoints_done = value;
  pulse.write_seconds = static_cast<double>(value);
  pulse.sync_seconds = static_cast<double>(value);
  pulse.buffers_checkpointer = value;
  pulse.checkpointer_stats_reset = 100.0;
  pulse.buffers_bgwriter = value;
  pulse.maxwritten_clean = value;
  pulse.buffers_allocated = value;
  pulse.bgwriter_stats_reset = 100.0;
  pulse.wal_records = value;
  pulse.wal_fpi = value;
  pulse.wal_bytes = value;
  pulse.wal_fpi_bytes = value;
  pulse.wal_buffers_full = value;
  pulse.wal_stats_reset = 100.0;
  pulse.insert_lsn = value;
  SurveyStats& survey = polled.survey;
  survey.commits = value;
  survey.archive_failures = value;
  survey.archiver_stats_reset = 100.0;
  survey.backend_writes = value;
  survey.backend_fsyncs = value;
  survey.io_stats_reset = 100.0;
  return polled;
}

constexpr C kAll[] = {
    C::kCheckpointsTimed, C::kCheckpointsRequested, C::kCheckpointsDone, C::kWriteSeconds,
    C::kSyncSeconds,      C::kBuffersCheckpointer,  C::kBuffersBgwriter, C::kMaxwrittenClean,
    C::kBuffersAllocated, C::kBackendFsyncs,        C::kWalRecords,      C::kWalFpi,
    C::kWalBytes,         C::kWalFpiBytes,          C::kWalBuffersFull,  C::kWalPosition,
    C::kMixCheckpointer,  C::kMixBgwriter,          C::kMixBackend,      C::kCommits,
    C::kArchiveFailures};
static_assert(std::size(kAll) == kWindowCounterCount);

TEST(Window, SaysNothingBeforeTwoSamples) {
  Window window;
  EXPECT_FALSE(window.Delta(C::kWalBytes, kFive));
  EXPECT_FALSE(window.Span(C::kWalBytes, kFive));
  EXPECT_FALSE(window.Total(C::kWalBytes));
  EXPECT_FALSE(window.SameReset(C::kWalBytes, C::kWalBytes));
  const Polled first = At(0, 10);
  window.Add(Server(), first.pulse, &first.survey);
  EXPECT_FALSE(window.Delta(C::kWalBytes, kFive));
  EXPECT_FALSE(window.Span(C::kWalBytes, kFive));
  EXPECT_EQ(window.Total(C::kWalBytes), 10);
}

TEST(Window, TellsTheRiseOfEveryCounter) {
  Window window;
  for (int second : {0, 10}) {
    const Polled polled = At(second, 100 + second);
    window.Add(Server(), polled.pulse, &polled.survey);
  }
  for (const C counter : kAll) {
    EXPECT_EQ(window.Delta(counter, kFive), 10) << static_cast<int>(counter);
    EXPECT_EQ(window.Span(counter, kFive), 10) << static_cast<int>(counter);
    EXPECT_EQ(window.Delta(counter, kHour), 10) << static_cast<int>(counter);
    EXPECT_EQ(window.Total(counter), 110) << static_cast<int>(counter);
  }
}

TEST(Window, ForgetsWhatIsOlderThanItsLength) {
  Window window;
  for (int second = 0; second <= 7200; ++second) {
    window.Add(Server(), At(second, second).pulse, nullptr);
  }
  EXPECT_EQ(window.Delta(C::kWalBytes, kFive), 300);
  EXPECT_EQ(window.Span(C::kWalBytes, kFive), 300);
  EXPECT_EQ(window.Delta(C::kWalBytes, kHour), 3600);
  EXPECT_EQ(window.Delta(C::kWalBytes, seconds(60)), 60);
  EXPECT_EQ(window.Total(C::kWalBytes), 7200);
}

TEST(Window, WhatIsNotReportedIsAbsent) {
  Window window;
  for (int second : {0, 10, 20}) {
    PulseStats pulse;
    pulse.taken.monotonic = MonotonicTime(seconds(second));
    window.Add(Server(), pulse, nullptr);
  }
  for (const C counter : kAll) {
    EXPECT_FALSE(window.Delta(counter, kFive));
    EXPECT_FALSE(window.Span(counter, kFive));
    EXPECT_FALSE(window.Total(counter));
  }
}

TEST(Window, AStandbysPositionIsItsReplay) {
  Window window;
  for (int second : {0, 10}) {
    PulseStats pulse = At(second, 0).pulse;
    pulse.insert_lsn.reset();
    pulse.replay_lsn = 500 + second;
    window.Add(Server(), pulse, nullptr);
  }
  EXPECT_EQ(window.Delta(C::kWalPosition, kFive), 10);
  // Promotion: the insert position goes on from the replayed one.
  window.Add(Server(), At(20, 600).pulse, nullptr);
  EXPECT_EQ(window.Delta(C::kWalPosition, kFive), 100);
}

// --- Breaks ------------------------------------------------------------------------------------

struct BreakCase {
  const char* name;
  void (*change)(ServerIdentity&, Polled&);
  std::vector<C> broken;
};

const std::vector<C> kCheckpointer{C::kCheckpointsTimed, C::kCheckpointsRequested,
                                   C::kCheckpointsDone,  C::kWriteSeconds,
                                   C::kSyncSeconds,      C::kBuffersCheckpointer};
const std::vector<C> kBgwriter{C::kBuffersBgwriter, C::kMaxwrittenClean, C::kBuffersAllocated};
const std::vector<C> kWal{C::kWalRecords, C::kWalFpi, C::kWalBytes, C::kWalFpiBytes,
                          C::kWalBuffersFull};
const std::vector<C> kMix{C::kMixCheckpointer, C::kMixBgwriter, C::kMixBackend};
const std::vector<C> kEvery(std::begin(kAll), std::end(kAll));

std::vector<C> operator+(std::vector<C> a, const std::vector<C>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

const BreakCase kBreaks[] = {
    {"restart", [](ServerIdentity& s, Polled&) { s.postmaster_start = 2000.0; }, kEvery},
    {"another server", [](ServerIdentity& s, Polled&) { s.system_identifier = 8; }, kEvery},
    {"upgrade", [](ServerIdentity& s, Polled&) { s.version.num = 160000; }, kEvery},
    {"clock set forward", [](ServerIdentity&, Polled& p) { *p.pulse.server_time += 6; }, kEvery},
    {"clock set back", [](ServerIdentity&, Polled& p) { *p.pulse.server_time -= 6; }, kEvery},
    {"checkpointer reset",
     [](ServerIdentity&, Polled& p) { p.pulse.checkpointer_stats_reset = 150.0; },
     kCheckpointer + kMix},
    {"bgwriter reset", [](ServerIdentity&, Polled& p) { p.pulse.bgwriter_stats_reset = 150.0; },
     kBgwriter + kMix},
    {"wal reset", [](ServerIdentity&, Polled& p) { p.pulse.wal_stats_reset = 150.0; }, kWal},
    {"io reset", [](ServerIdentity&, Polled& p) { p.survey.io_stats_reset = 150.0; },
     kMix + std::vector<C>{C::kBackendFsyncs}},
    {"archiver reset",
     [](ServerIdentity&, Polled& p) { p.survey.archiver_stats_reset = 150.0; },
     {C::kArchiveFailures}},
    {"first database reset",
     [](ServerIdentity&, Polled& p) { p.survey.database_stats_reset = 150.0; },
     {C::kCommits}},
    {"reset time gone", [](ServerIdentity&, Polled& p) { p.pulse.wal_stats_reset.reset(); }, kWal},
    {"a checkpoint counter fell", [](ServerIdentity&, Polled& p) { p.pulse.sync_seconds = 1; },
     kCheckpointer + kMix},
    {"a bgwriter counter fell", [](ServerIdentity&, Polled& p) { p.pulse.maxwritten_clean = 1; },
     kBgwriter + kMix},
    {"a wal counter fell", [](ServerIdentity&, Polled& p) { p.pulse.wal_fpi = 1; }, kWal},
    {"position fell",
     [](ServerIdentity&, Polled& p) { p.pulse.insert_lsn = 1; },
     {C::kWalPosition}},
    {"backend writes fell", [](ServerIdentity&, Polled& p) { p.survey.backend_writes = 1; }, kMix},
    {"commits fell", [](ServerIdentity&, Polled& p) { p.survey.commits = 1; }, {C::kCommits}},
    {"failures fell",
     [](ServerIdentity&, Polled& p) { p.survey.archive_failures = 1; },
     {C::kArchiveFailures}},
    {"a wal counter is told no more", [](ServerIdentity&, Polled& p) { p.pulse.wal_fpi.reset(); },
     kWal},
    {"backend writes are told no more",
     [](ServerIdentity&, Polled& p) { p.survey.backend_writes.reset(); }, kMix},
};

TEST(Window, EveryBreakEndsWhatItConcernsAndNothingElse) {
  for (const BreakCase& c : kBreaks) {
    SCOPED_TRACE(c.name);
    Window window;
    for (int second : {0, 10}) {
      const Polled polled = At(second, 100 + second);
      window.Add(Server(), polled.pulse, &polled.survey);
    }
    ServerIdentity server = Server();
    Polled broken = At(20, 120);
    c.change(server, broken);
    window.Add(server, broken.pulse, &broken.survey);
    for (const C counter : kAll) {
      const bool ended = std::find(c.broken.begin(), c.broken.end(), counter) != c.broken.end();
      for (const seconds length : {kFive, kHour}) {
        if (ended) {
          EXPECT_FALSE(window.Delta(counter, length)) << static_cast<int>(counter);
          EXPECT_FALSE(window.Span(counter, length)) << static_cast<int>(counter);
        } else {
          EXPECT_EQ(window.Delta(counter, length), 20) << static_cast<int>(counter);
        }
      }
    }
  }
}

TEST(Window, WhatHappensRightAfterABreakIsNotLost) {
  Window window;
  const auto add = [&](int second, std::int64_t value, double reset) {
    Polled polled = At(second, value);
    polled.pulse.checkpointer_stats_reset = reset;
    window.Add(Server(), polled.pulse, &polled.survey);
  };
  add(0, 10, 100);
  add(1, 10, 101);  // a reset, well before the next step of a tier
  add(2, 13, 101);
  EXPECT_EQ(window.Delta(C::kCheckpointsRequested, kFive), 3);
  EXPECT_EQ(window.Span(C::kCheckpointsRequested, kFive), 1);
  EXPECT_EQ(window.Delta(C::kCheckpointsRequested, kHour), 3);
  EXPECT_EQ(window.Delta(C::kWalBytes, kFive), 3);
}

TEST(Window, NoBreakIsSeenWhereThereIsNone) {
  struct Case {
    const char* name;
    void (*change)(ServerIdentity&, Polled&);
  };
  for (const auto& [name, change] : {
           Case{"drift", [](ServerIdentity&, Polled& p) { *p.pulse.server_time += 4; }},
           {"no clock", [](ServerIdentity&, Polled& p) { p.pulse.server_time.reset(); }},
           {"role", [](ServerIdentity&, Polled& p) { p.pulse.in_recovery = 1; }},
       }) {
    SCOPED_TRACE(name);
    Window window;
    Polled first = At(0, 100);
    window.Add(Server(), first.pulse, &first.survey);
    ServerIdentity server = Server();
    Polled second = At(10, 110);
    change(server, second);
    window.Add(server, second.pulse, &second.survey);
    for (const C counter : kAll) EXPECT_EQ(window.Delta(counter, kFive), 10);
  }
}

TEST(Window, AValueThatComesBackLowerIsNotCompared) {
  Window window;
  window.Add(Server(), At(0, 100).pulse, nullptr);
  PulseStats gap = At(10, 100).pulse;
  gap.wal_bytes.reset();
  window.Add(Server(), gap, nullptr);
  window.Add(Server(), At(20, 5).pulse, nullptr);
  EXPECT_FALSE(window.Delta(C::kWalBytes, kFive));
  window.Add(Server(), At(30, 7).pulse, nullptr);
  EXPECT_EQ(window.Delta(C::kWalBytes, kFive), 2);
}

// A reset between two surveys: what the first said is no beginning for the second.
TEST(Window, AfterABreakWhatSurveysTellWaitsForTheNext) {
  Window window;
  Polled polled = At(0, 10);
  window.Add(Server(), polled.pulse, &polled.survey);
  polled = At(15, 20);
  window.Add(Server(), polled.pulse, &polled.survey);
  EXPECT_EQ(window.Delta(C::kMixCheckpointer, kFive), 10);
  polled = At(16, 0);
  polled.pulse.checkpointer_stats_reset = 200.0;
  window.Add(Server(), polled.pulse, nullptr);
  EXPECT_FALSE(window.Total(C::kMixCheckpointer));
  EXPECT_EQ(window.Total(C::kCommits), 20) << "another view's";
  for (int second : {30, 45}) {
    polled = At(second, 1000 + second);
    polled.pulse.checkpointer_stats_reset = 200.0;
    window.Add(Server(), polled.pulse, &polled.survey);
  }
  EXPECT_EQ(window.Delta(C::kMixCheckpointer, kFive), 15) << "from second 30, not 1015";
}

TEST(Window, TheFirstSurveyIsNoBreak) {
  Window window;
  window.Add(Server(), At(0, 0).pulse, nullptr);
  const Polled polled = At(10, 10);
  window.Add(Server(), polled.pulse, &polled.survey);
  EXPECT_EQ(window.Delta(C::kBuffersBgwriter, kFive), 10);
  EXPECT_EQ(window.Total(C::kMixBackend), 10);
}

TEST(Window, BackendFsyncsObeyTheViewThatTellsThem) {
  Window to16;
  for (int second : {0, 10}) {
    PulseStats pulse = At(second, second).pulse;
    pulse.backend_fsyncs = second;
    pulse.bgwriter_stats_reset = 100.0 + second;
    to16.Add(Server(), pulse, nullptr);
  }
  EXPECT_FALSE(to16.Delta(C::kBackendFsyncs, kFive));
  Window from17;
  for (int second : {0, 10}) {
    Polled polled = At(second, second);
    polled.pulse.bgwriter_stats_reset = 100.0 + second;
    from17.Add(Server(), polled.pulse, &polled.survey);
  }
  EXPECT_EQ(from17.Delta(C::kBackendFsyncs, kFive), 10);
}

// After a break the coarse tier begins up to a minute late; the fine one knows better.
TEST(Window, TheHourReachesAsFarBackAsTheFiveMinutesAfterABreak) {
  Window window;
  for (int second = 0; second <= 400; ++second) {
    PulseStats pulse = At(second, second).pulse;
    pulse.wal_stats_reset = second < 185 ? 100.0 : 200.0;
    window.Add(Server(), pulse, nullptr);
  }
  EXPECT_EQ(window.Delta(C::kWalBytes, kFive), 215);
  EXPECT_EQ(window.Delta(C::kWalBytes, kHour), 215);
  EXPECT_EQ(window.Delta(C::kCheckpointsTimed, kHour), 400);
}

TEST(Window, SurvivesAGapInPolling) {
  Window window;
  window.Add(Server(), At(0, 10).pulse, nullptr);
  window.Add(Server(), At(5000, 20).pulse, nullptr);
  EXPECT_FALSE(window.Delta(C::kWalBytes, kHour)) << "the first sample is older than the window";
  window.Add(Server(), At(5001, 23).pulse, nullptr);
  EXPECT_EQ(window.Delta(C::kWalBytes, kHour), 3);
}

TEST(Window, SamplesOutOfOrderDoNoHarm) {
  Window window;
  window.Add(Server(), At(100, 10).pulse, nullptr);
  window.Add(Server(), At(50, 20).pulse, nullptr);
  window.Add(Server(), At(100, 30).pulse, nullptr);
  for (const C counter : kAll) {
    const auto delta = window.Delta(counter, kFive);
    EXPECT_TRUE(!delta || *delta >= 0);
  }
}

TEST(Window, SameResetWithinTwoSeconds) {
  for (const auto& [reset, same] :
       std::vector<std::pair<OptionalReal, bool>>{{100.0, true},
                                                  {102.0, true},
                                                  {98.0, true},
                                                  {102.5, false},
                                                  {0.0, false},
                                                  {std::nullopt, false}}) {
    Window window;
    PulseStats pulse = At(0, 0).pulse;
    pulse.checkpointer_stats_reset = reset;
    window.Add(Server(), pulse, nullptr);
    EXPECT_EQ(window.SameReset(C::kCheckpointsTimed, C::kBuffersBgwriter), same);
  }
}

}  // namespace
}  // namespace ckpt
