// SPDX-License-Identifier: Apache-2.0
#include "core/predict.h"

#include <algorithm>
#include <cmath>

#include "core/pulse_times.h"

namespace ckpt {
namespace {

constexpr double kFurthest = 7.0 * 86400;  // seconds

OptionalInt Attempts(const PulseStats& pulse, ServerVersion version) {
  const bool own = InRecovery(pulse) && version.major() >= 17;
  const OptionalInt& timed = own ? pulse.restartpoints_timed : pulse.checkpoints_timed;
  const OptionalInt& requested = own ? pulse.restartpoints_requested : pulse.checkpoints_requested;
  if (!timed || !requested) return std::nullopt;
  return *timed + *requested;
}

}  // namespace

OptionalInt ObservedRedo(const RunningCheckpoint& running, std::int64_t control_redo_lsn) {
  if (!running.position_to) return std::nullopt;
  const std::int64_t to = *running.position_to;
  const std::int64_t from = std::min(to, running.position_from.value_or(to));
  // A forced one begins where the trigger was reached.
  if (running.trigger) {
    const std::int64_t trigger = running.trigger->TriggerLsn(control_redo_lsn);
    if (trigger >= from && trigger <= to) return trigger;
  }
  return std::max(control_redo_lsn, from + (to - from) / 2);
}

Forecast Forecaster::Step(const PulseStats& pulse, const Settings& settings,
                          const ServerIdentity& server,
                          const std::optional<RunningCheckpoint>& running) {
  const bool same_server = previous_ && server == server_ &&
                           InRecovery(*previous_) == InRecovery(pulse) &&
                           previous_->postmaster_start == pulse.postmaster_start;
  if (!same_server) {
    rate_.Reset();
    last_start_.reset();
  }
  const Activity activity = ReadActivity(pulse, server.version, Phase::kUnknown);
  server_ = server;
  TakeStart(pulse, activity, running, same_server);

  Forecast forecast;
  const OptionalInt position = WalPosition(pulse);
  if (position) {
    rate_.Add(*position, pulse.taken.monotonic);
    forecast.wal_bytes_per_second = rate_.BytesPerSecond();
  }
  if (position && pulse.redo_lsn) {
    forecast.recovery_wal_bytes = std::max<std::int64_t>(0, *position - *pulse.redo_lsn);
    forecast.redo_lsn = pulse.redo_lsn;
    // A restartpoint's redo point is that of a checkpoint record replayed before; no pulse sees it.
    if (running && running->kind == EventKind::kCheckpoint) {
      if (const OptionalInt observed = ObservedRedo(*running, *pulse.redo_lsn)) {
        forecast.redo_lsn = observed;
        forecast.redo_is_observed = true;
      }
    }
    forecast.wal_since_redo_bytes = std::max<std::int64_t>(0, *position - *forecast.redo_lsn);
  }
  const std::optional<ForcedTrigger> trigger = ReadForcedTrigger(settings, server.version);
  if (trigger && forecast.redo_lsn) {
    forecast.trigger_lsn = trigger->TriggerLsn(*forecast.redo_lsn);
    forecast.forced_trigger_bytes = *forecast.trigger_lsn - *forecast.redo_lsn;
    forecast.remaining_bytes = std::max<std::int64_t>(0, *forecast.trigger_lsn - *position);
    const double rate = forecast.wal_bytes_per_second.value_or(0);
    if (rate > 0) {
      const double seconds = static_cast<double>(*forecast.remaining_bytes) / rate;
      if (seconds <= kFurthest) forecast.next_forced = ServerTime(pulse) + seconds;
    }
  }
  forecast.next_timed = NextTimed(pulse, settings);
  previous_ = pulse;
  return forecast;
}

// The server counts checkpoint_timeout from the start of the last checkpoint, of a skipped one too,
// or from its own start.
void Forecaster::TakeStart(const PulseStats& pulse, const Activity& activity,
                           const std::optional<RunningCheckpoint>& running, bool same_server) {
  if (same_server) {
    if (const double step = ClockStep(*previous_, pulse); step != 0 && last_start_) {
      *last_start_ += step;
    }
  }
  const auto later = [this](UnixSeconds start) {
    last_start_ = std::max(last_start_.value_or(start), start);
  };
  if (running) {
    later(running->start.Middle());
    return;
  }
  if (InRecovery(pulse)) {
    // The control file's time is the primary's. One that no pulse saw at work is dated by its end.
    if (same_server && previous_->redo_lsn != pulse.redo_lsn && !activity.in_progress) {
      later(ServerTime(*previous_));
    }
    return;
  }
  if (pulse.checkpoint_time) later(*pulse.checkpoint_time);
  if (pulse.postmaster_start) later(*pulse.postmaster_start);
  if (!same_server || previous_->redo_lsn != pulse.redo_lsn) return;
  const OptionalInt before = Attempts(*previous_, server_.version);
  const OptionalInt now = Attempts(pulse, server_.version);
  // Counted, and neither at work nor completed: skipped just now.
  if (before && now && *now > *before && !activity.in_progress.value_or(true) &&
      !ReadActivity(*previous_, server_.version, Phase::kUnknown).in_progress.value_or(true)) {
    later(ServerTime(pulse));
  }
}

OptionalReal Forecaster::NextTimed(const PulseStats& pulse, const Settings& settings) const {
  const double timeout = settings.checkpoint_timeout.value_or(0);
  if (!last_start_ || !(timeout > 0)) return std::nullopt;
  const UnixSeconds now = ServerTime(pulse);
  UnixSeconds next = *last_start_ + timeout;
  if (next > now) return next;
  if (InRecovery(pulse)) return std::nullopt;
  // Skipped while idle, before we saw it: the timer went on in whole turns.
  return next + std::ceil((now - next) / timeout) * timeout;
}

}  // namespace ckpt
