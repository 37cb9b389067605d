// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <optional>
#include <vector>

#include "core/checkpoint_event.h"
#include "core/settings.h"
#include "core/stats.h"
#include "core/stats_events.h"

namespace ckpt::testing {

// One pass of a checkpointer. Times are true seconds since the script began.
struct Pass {
  double start = 0;
  double write = 0.05;
  double sync = 0.02;
  double removal = 0;  // after the control file, before the counters
  bool timed = false;
  bool immediate = false;  // no sleeps, so everything is published at the end
  bool skipped = false;    // counted, nothing done
  bool fails = false;      // counted with the next success, nothing completed
  std::int64_t buffers = 100;

  double control() const { return start + write + sync; }
  double end() const { return control() + removal; }
};

// A server whose checkpoints are a script: answers a pulse at any moment as that version would,
// with the delays at which each version publishes its counters.
class FakeCheckpointer {
 public:
  static constexpr UnixSeconds kEpoch = 1'800'000'000.25;

  explicit FakeCheckpointer(int major)
      : server_{{major * 10000 + 3}, 7, kEpoch - 5000, "postgresql"} {
    settings_.max_wal_size = 1024.0 * kMega;
    settings_.wal_segment_size = 16.0 * kMega;
    settings_.checkpoint_completion_target = 0.9;
    settings_.checkpoint_timeout = 300;
    settings_.shared_buffers = 128.0 * kMega;
    settings_.block_size = 8192;
  }

  std::vector<Pass> runs;
  bool visible = true;
  bool standby = false;
  double wal_rate = 1e6;                                             // bytes/s
  std::function<double(double)> clock = [](double) { return 0.0; };  // server clock - true time
  std::optional<double> reset_at;                                    // pg_stat_reset_shared

  const ServerIdentity& server() const { return server_; }
  ServerIdentity& server() { return server_; }
  Settings& settings() { return settings_; }
  int major() const { return server_.version.major(); }

  UnixSeconds ServerTime(double t) const { return kEpoch + t + clock(t); }
  std::int64_t Position(double t) const {
    return (std::int64_t{1} << 40) + static_cast<std::int64_t>(t * wal_rate);
  }

  PulseStats Pulse(double t) const {
    PulseStats pulse;
    pulse.taken.wall = kEpoch + t + 77;  // our clock is another one
    pulse.taken.monotonic =
        MonotonicTime(std::chrono::hours(1)) +
        std::chrono::duration_cast<MonotonicTime::duration>(std::chrono::duration<double>(t));
    pulse.round_trip_seconds = 0.001;
    pulse.server_time = ServerTime(t);
    pulse.in_recovery = standby ? 1 : 0;
    pulse.postmaster_start = server_.postmaster_start;
    pulse.checkpointer_stats_reset = kEpoch - 5000;
    pulse.timeline_id = 1;
    (standby ? pulse.replay_lsn : pulse.write_lsn) = Position(t);
    FillControl(t, &pulse);
    FillCounters(t, &pulse);
    FillWait(t, &pulse);
    return pulse;
  }

 private:
  static constexpr double kMega = 1024.0 * 1024.0;

  void FillControl(double t, PulseStats* pulse) const {
    pulse->redo_lsn = Position(-100);
    pulse->checkpoint_lsn = *pulse->redo_lsn + 56;
    pulse->checkpoint_time = std::floor(ServerTime(-100));
    pulse->control_last_modified = std::floor(ServerTime(-99));
    for (const Pass& run : runs) {
      if (run.skipped || run.fails || run.control() > t) continue;
      // A standby takes over the point where its primary began, a minute ago.
      const double began = standby ? run.start - 60 : run.start;
      pulse->redo_lsn = Position(began);
      pulse->checkpoint_lsn = *pulse->redo_lsn + 56;
      pulse->checkpoint_time = std::floor(ServerTime(began));
      pulse->control_last_modified = std::floor(ServerTime(run.control()));
    }
  }

  void FillCounters(double t, PulseStats* pulse) const {
    // The collector of 14 and before writes its files every half second.
    const double seen = major() <= 14 ? std::floor(t * 2) / 2 : t;
    std::int64_t timed = 10;
    std::int64_t requested = 20;
    std::int64_t done = 25;
    double write = 100;
    double sync = 10;
    std::int64_t buffers = 5000;
    const bool was_reset = reset_at && *reset_at <= seen;
    if (was_reset) {
      timed = requested = done = buffers = 0;
      write = sync = 0;
      pulse->checkpointer_stats_reset = ServerTime(*reset_at);
    }
    std::int64_t unpublished_timed = 0;
    std::int64_t unpublished_requested = 0;
    for (const Pass& run : runs) {
      const double counted = run.skipped ? run.start : run.immediate ? run.end() : run.start + 0.1;
      const auto happened = [&](double when) {
        return when <= seen && !(was_reset && when < *reset_at);
      };
      if (run.fails) {  // appears with the next success
        (run.timed ? unpublished_timed : unpublished_requested) += 1;
        continue;
      }
      if (happened(counted)) {
        timed += (run.timed ? 1 : 0) + unpublished_timed;
        requested += (run.timed ? 0 : 1) + unpublished_requested;
        unpublished_timed = unpublished_requested = 0;
      }
      if (run.skipped) continue;
      if (happened(run.end())) {
        ++done;
        // Whole milliseconds, rounded up.
        write += std::ceil(run.write * 1000) / 1000;
        sync += std::ceil(run.sync * 1000) / 1000;
        buffers += run.buffers;
      } else if (!run.immediate && run.start < seen && !was_reset) {
        const double part = std::min(1.0, (seen - run.start) / std::max(run.write, 1e-9));
        buffers += static_cast<std::int64_t>(static_cast<double>(run.buffers) * part);
      }
    }
    const bool own = standby && major() >= 17;
    (own ? pulse->restartpoints_timed : pulse->checkpoints_timed) = timed;
    (own ? pulse->restartpoints_requested : pulse->checkpoints_requested) = requested;
    if (major() >= 17) {
      // The other kind's counters stand still.
      (own ? pulse->checkpoints_timed : pulse->restartpoints_timed) = 10;
      (own ? pulse->checkpoints_requested : pulse->restartpoints_requested) = 20;
      pulse->restartpoints_done = own ? done : 25;
    }
    if (major() >= 18) pulse->checkpoints_done = own ? 25 : done;
    pulse->write_seconds = write;
    pulse->sync_seconds = sync;
    pulse->buffers_checkpointer = buffers;
  }

  void FillWait(double t, PulseStats* pulse) const {
    if (!visible) return;
    pulse->checkpointer_pid = 100;
    pulse->checkpointer_wait_event_type = "Activity";
    pulse->checkpointer_wait_event = "CheckpointerMain";
    for (const Pass& run : runs) {
      // After an error it sleeps for a second, with no wait event.
      const double until = run.fails ? run.start + 1 : run.end();
      if (run.skipped || t < run.start || t >= until) continue;
      pulse->checkpointer_wait_event_type.reset();
      pulse->checkpointer_wait_event.reset();
      if (t < run.start + run.write) {
        if (major() >= 14 && !run.immediate)
          pulse->checkpointer_wait_event = "CheckpointWriteDelay";
      } else if (t < run.control()) {
        pulse->checkpointer_wait_event = "DataFileSync";
      }
    }
  }

  ServerIdentity server_;
  Settings settings_;
};

// All events of pulses from `from` to `to`, one each `step` seconds.
inline std::vector<CheckpointEvent> Watch(const FakeCheckpointer& fake,
                                          StatsEventDetector* detector, double from, double to,
                                          double step = 1.0) {
  FakeCheckpointer copy = fake;
  std::vector<CheckpointEvent> events;
  const auto pulses = static_cast<int>(std::floor((to - from) / step)) + 1;
  for (int i = 0; i < pulses; ++i) {
    const double t = from + i * step;
    const auto more = detector->Step(copy.Pulse(t), copy.settings(), copy.server());
    events.insert(events.end(), more.begin(), more.end());
  }
  return events;
}

}  // namespace ckpt::testing
