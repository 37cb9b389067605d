// SPDX-License-Identifier: Apache-2.0
#include "core/stats_events.h"

#include <algorithm>
#include <chrono>

#include "core/pulse_times.h"

namespace ckpt {
namespace {

// By which two readings of one clock may be apart.
constexpr double kClockSlack = 2.0;

bool Working(const Activity& activity) { return activity.in_progress.value_or(false); }
bool Idle(const Activity& activity) { return !activity.in_progress.value_or(true); }

template <class T>
bool Fell(const std::optional<T>& before, const std::optional<T>& now) {
  return before && now && *now < *before;
}

bool StatisticsLost(const PulseStats& before, const PulseStats& now) {
  return before.checkpointer_stats_reset != now.checkpointer_stats_reset ||
         Fell(before.checkpoints_timed, now.checkpoints_timed) ||
         Fell(before.checkpoints_requested, now.checkpoints_requested) ||
         Fell(before.write_seconds, now.write_seconds) ||
         Fell(before.sync_seconds, now.sync_seconds) ||
         Fell(before.buffers_checkpointer, now.buffers_checkpointer);
}

}  // namespace

std::vector<CheckpointEvent> StatsEventDetector::Step(const PulseStats& pulse,
                                                      const Settings& settings,
                                                      const ServerIdentity& server) {
  std::vector<CheckpointEvent> events;
  if (!SameServer(pulse, server)) {
    if (held_) Finish(*previous_, settings, &events);
    server_ = server;
    trigger_ = ReadForcedTrigger(settings, server.version);
    Begin(pulse);
    return events;
  }
  server_ = server;
  const PulseStats& before = *previous_;
  const bool restarted = before.postmaster_start != pulse.postmaster_start;
  const bool lost = restarted || StatisticsLost(before, pulse);
  const bool moved = *before.redo_lsn != *pulse.redo_lsn;
  // Counters that did not come in time cannot be told from those of the next one.
  const bool blurred = held_ && moved && !lost;
  if (held_ && (moved || lost)) Finish(before, settings, &events);
  if (restarted) {
    if (moved) TakeRestart(pulse, settings, &events);
    trigger_ = ReadForcedTrigger(settings, server.version);
    const std::optional<UnixSeconds> last_start = last_start_;
    Begin(pulse);
    last_start_ = last_start;
    return events;
  }

  if (const double step = ClockStep(before, pulse); step != 0) ShiftClock(step);
  if (InRecovery(before) && !InRecovery(pulse)) promoted_ = true;
  TakeRises(pulse, lost);
  WatchWork(pulse, moved, &events);
  if (moved) {
    held_ = Hold(pulse, settings, lost);
    held_->blurred = blurred;
    if (!Working(activity_)) running_.reset();
  }
  if (held_ && HoldIsOver(pulse, moved)) Finish(pulse, settings, &events);
  if (!held_ && (lost || idle_pulses_ >= 2)) {
    mark_ = MarkOf(pulse);
    owed_ = 0;
    if (lost) mark_.buffers_partial = !Idle(activity_);
  }
  trigger_ = ReadForcedTrigger(settings, server.version);
  previous_ = pulse;
  return events;
}

// Whether `pulse` may be compared with the one before.
bool StatsEventDetector::SameServer(const PulseStats& pulse, const ServerIdentity& server) const {
  if (!previous_ || !previous_->redo_lsn || !pulse.redo_lsn) return false;
  if (server.system_identifier != server_.system_identifier) return false;
  if (server.version.major() != server_.version.major()) return false;
  // Another node of the same system: one that lags behind, or one whose postmaster was already
  // there when the other one answered.
  if (*pulse.redo_lsn < *previous_->redo_lsn) return false;
  return !(pulse.postmaster_start && previous_->postmaster_start &&
           *pulse.postmaster_start != *previous_->postmaster_start &&
           *pulse.postmaster_start < ServerTime(*previous_) - kClockSlack);
}

void StatsEventDetector::Begin(const PulseStats& pulse) {
  activity_ = ReadActivity(pulse, server_.version, Phase::kUnknown);
  rises_.clear();
  owed_ = 0;
  running_.reset();
  unfinished_.reset();
  held_.reset();
  last_start_.reset();
  promoted_ = false;
  clock_stepped_ = false;
  idle_pulses_ = Idle(activity_) ? 1 : 0;
  mark_ = MarkOf(pulse);
  // Without sight of the checkpointer one may well be at work.
  mark_.buffers_partial = !Idle(activity_);
  previous_ = pulse;
  if (Working(activity_)) {
    // It began at some time before, at most since the last one that completed.
    StartWork(pulse,
              std::min(ServerTime(pulse), pulse.checkpoint_time.value_or(ServerTime(pulse))));
  }
}

// Everything remembered by the server's old clock is put on its new one.
void StatsEventDetector::ShiftClock(double seconds) {
  clock_stepped_ = true;
  if (running_) {
    running_->start = {running_->start.from + seconds, running_->start.to + seconds};
    running_->clock_stepped = true;
  }
  if (held_) {
    for (TimeRange* range : {&held_->end, &held_->gap}) {
      *range = {range->from + seconds, range->to + seconds};
    }
    held_->start.reset();
  }
  for (Rise& rise : rises_) rise.at += seconds;
  if (last_start_) *last_start_ += seconds;
  if (previous_->server_time) *previous_->server_time += seconds;
}

void StatsEventDetector::TakeRises(const PulseStats& pulse, bool lost) {
  constexpr std::size_t kMaxRises = 16;
  if (lost) {
    rises_.clear();
    return;
  }
  // From 17 restartpoints have counters of their own.
  const bool own = InRecovery(pulse) && server_.version.major() >= 17;
  const auto timed = own ? &PulseStats::restartpoints_timed : &PulseStats::checkpoints_timed;
  const auto requested =
      own ? &PulseStats::restartpoints_requested : &PulseStats::checkpoints_requested;
  const PulseStats& before = *previous_;
  Rise rise{ServerTime(pulse), 0, 0};
  if (before.*timed && pulse.*timed) rise.timed = *(pulse.*timed) - *(before.*timed);
  if (before.*requested && pulse.*requested) {
    rise.requested = *(pulse.*requested) - *(before.*requested);
  }
  if (rise.timed > 0 || rise.requested > 0) rises_.push_back(rise);
  if (rises_.size() > kMaxRises) rises_.pop_front();
}

void StatsEventDetector::StartWork(const PulseStats& pulse, UnixSeconds not_before) {
  RunningCheckpoint work;
  work.kind = KindNow(pulse);
  work.start = {std::min(not_before, ServerTime(pulse)), ServerTime(pulse)};
  work.position_from = WalPosition(*previous_);
  work.position_to = WalPosition(pulse);
  work.trigger = trigger_;
  work.first_seen = work.last_seen = pulse.taken.monotonic;
  work.pulses = 1;
  running_ = work;
}

void StatsEventDetector::WatchWork(const PulseStats& pulse, bool moved,
                                   std::vector<CheckpointEvent>* events) {
  activity_ = ReadActivity(pulse, server_.version, activity_.phase);
  const bool same_role = InRecovery(*previous_) == InRecovery(pulse);
  if (!activity_.in_progress || !same_role) {
    // A restartpoint that promotion cut short has not failed.
    unfinished_.reset();
    if (!same_role || !Working(activity_)) running_.reset();
  }
  // Only now: in the very pulse that saw it idle, the control file may have been read first.
  if (!moved) JudgeUnfinished(events);
  if (moved && unfinished_) running_ = unfinished_;
  unfinished_.reset();

  if (Working(activity_)) {
    idle_pulses_ = 0;
    if (running_) {
      running_->last_seen = pulse.taken.monotonic;
      ++running_->pulses;
    } else {
      StartWork(pulse, ServerTime(*previous_));
    }
    return;
  }
  if (!Idle(activity_)) {
    idle_pulses_ = 0;
    return;
  }
  ++idle_pulses_;
  clock_stepped_ = clock_stepped_ && moved;
  if (running_ && !moved) {
    if (!held_) unfinished_ = running_;
    running_.reset();
  }
  // What was counted before the last idle pulse and completed nothing was skipped.
  if (!moved && !held_) {
    const UnixSeconds settled = ServerTime(*previous_);
    while (!rises_.empty() && rises_.front().at <= settled) rises_.pop_front();
  }
}

void StatsEventDetector::JudgeUnfinished(std::vector<CheckpointEvent>* events) {
  if (!unfinished_ || unfinished_->pulses < 2 ||
      Seconds(unfinished_->last_seen - unfinished_->first_seen) < unfinished_->ShortestFailure()) {
    return;
  }
  CheckpointEvent event;
  event.kind = unfinished_->kind;
  event.failed = true;
  std::int64_t timed = 0;
  std::int64_t requested = 0;
  for (const Rise& rise : rises_) {
    timed += rise.timed;
    requested += rise.requested;
  }
  event.reason = timed > 0 && requested == 0 ? Reason::kTime : Reason::kRequest;
  const double seen = Seconds(unfinished_->last_seen - unfinished_->first_seen);
  const EventTimes times = SolveTimes(
      unfinished_->start, {unfinished_->start.to + seen, ServerTime(*previous_)}, std::nullopt);
  event.start = times.start;
  event.end = times.end;
  event.total_seconds = times.total_seconds;
  events->push_back(event);
  rises_.clear();
}

StatsEventDetector::Held StatsEventDetector::Hold(const PulseStats& pulse, const Settings& settings,
                                                  bool lost) const {
  const PulseStats& before = *previous_;
  Held held;
  held.gap = {std::min(ServerTime(before), ServerTime(pulse)), ServerTime(pulse)};
  held.counters_lost = lost;
  held.seen = running_;
  held.previous_redo = *before.redo_lsn;
  held.trigger = running_ ? running_->trigger : trigger_;
  if (!held.trigger) held.trigger = ReadForcedTrigger(settings, server_.version);

  CheckpointEvent& event = held.event;
  event.lsn = pulse.checkpoint_lsn;
  event.redo_lsn = pulse.redo_lsn;
  event.kind = KindNow(pulse);
  if (InRecovery(before) && !InRecovery(pulse) && before.timeline_id == pulse.timeline_id) {
    event.kind = EventKind::kRestartpoint;  // completed just before the promotion
  }
  held.promotion = promoted_ && event.kind == EventKind::kCheckpoint;
  if (event.kind == EventKind::kCheckpoint) {
    held.position = *pulse.redo_lsn;
  } else {
    // Its redo point is the primary's; what forced it is how far replay had come.
    held.position = (running_ ? running_->position_to : WalPosition(pulse)).value_or(0);
  }

  held.end = held.gap;
  if (running_) {
    held.start = running_->start;
  } else if (Idle(activity_) && idle_pulses_ >= 2) {
    held.start = held.gap;  // idle before and after
  }
  if (event.kind == EventKind::kRestartpoint) return held;

  // The control file's own times, to the second, where they make sense.
  if (pulse.control_last_modified && *pulse.control_last_modified >= held.gap.from - 1 &&
      *pulse.control_last_modified <= held.gap.to + 1) {
    const UnixSeconds modified = *pulse.control_last_modified;
    held.end = Intersect(held.gap, {modified, modified + 1}).value_or(held.gap);
  }
  const bool stepped = clock_stepped_ || (running_ && running_->clock_stepped);
  if (pulse.checkpoint_time && !stepped && *pulse.checkpoint_time <= held.gap.to + 1) {
    const TimeRange told{
        *pulse.checkpoint_time,
        std::max(*pulse.checkpoint_time, std::min(*pulse.checkpoint_time + 1, held.gap.to))};
    held.start = held.start ? Intersect(told, *held.start).value_or(told) : told;
  }
  return held;
}

// Redo moved between two postmasters.
void StatsEventDetector::TakeRestart(const PulseStats& pulse, const Settings& settings,
                                     std::vector<CheckpointEvent>* events) {
  const PulseStats& before = *previous_;
  const UnixSeconds started = pulse.postmaster_start.value_or(ServerTime(pulse));
  CheckpointEvent event;
  event.kind = KindNow(before);
  event.reason = Reason::kRestart;
  const TimeRange silence{std::min(ServerTime(before), ServerTime(pulse)), ServerTime(pulse)};
  const bool is_record = pulse.redo_lsn == pulse.checkpoint_lsn ||
                         event.kind == EventKind::kRestartpoint || InRecovery(pulse);
  TimeRange start = silence;
  TimeRange end = silence;
  if (event.kind == EventKind::kCheckpoint && is_record && pulse.checkpoint_time &&
      *pulse.checkpoint_time >= silence.from - 1 && *pulse.checkpoint_time <= silence.to + 1) {
    start = {*pulse.checkpoint_time, *pulse.checkpoint_time + 1};
    // Begun by the old postmaster it is the shutdown checkpoint, else the end of crash recovery.
    const bool shutdown = *pulse.checkpoint_time + 1 <= started;
    const UnixSeconds latest =
        shutdown ? started : pulse.control_last_modified.value_or(started) + 1;
    end = {start.from, std::max(start.from, std::min(latest, silence.to))};
  } else {
    end.to = std::clamp(started, end.from, end.to);
    start.to = end.to;
  }
  const EventTimes times = SolveTimes(start, end, std::nullopt);
  event.start = times.start;
  // Nothing tells when a shutdown checkpoint ended before a server that stayed down.
  const double doubt = end.to - end.from;
  if (doubt <= 5) event.end = times.end;
  if (doubt <= kClockSlack) event.total_seconds = times.total_seconds;
  if (is_record) {
    event.lsn = pulse.checkpoint_lsn;
    event.redo_lsn = pulse.redo_lsn;
    event.distance_bytes = *pulse.redo_lsn - *before.redo_lsn;
    events->push_back(event);
    last_start_ = times.start;
    return;
  }
  events->push_back(event);
  // The control file shows a later one, made by the new postmaster.
  last_start_ = started;
  running_.reset();
  clock_stepped_ = false;
  rises_.clear();
  activity_ = {};
  Held held = Hold(pulse, settings, true);
  held.previous_redo = *pulse.redo_lsn;  // the restart's own is not known: no distance
  held.ended = true;
  held_ = held;
  Finish(pulse, settings, events);
}

bool StatsEventDetector::HoldIsOver(const PulseStats& pulse, bool moved) {
  Held& held = *held_;
  if (!moved) ++held.pulses;
  const bool published = !held.counters_lost && Published(pulse);
  if (!held.ended) {
    if (published || Idle(activity_)) {
      held.ended = true;
      if (!moved && held.end.from >= held.gap.to) held.end.to = ServerTime(pulse);
    } else if (Working(activity_) || (!activity_.in_progress && server_.version.major() >= 15)) {
      // Still removing WAL files. (To 14 the statistics are merely late.)
      held.end = {ServerTime(pulse), ServerTime(pulse)};
    }
  }
  if (published || held.pulses >= kMaxHold) return true;
  const bool tail = Working(activity_) && !held.ended;
  return held.pulses >= 2 && !tail;
}

bool StatsEventDetector::Published(const PulseStats& pulse) const {
  const auto rose = [](const OptionalReal& before, const OptionalReal& now) {
    return before && now && *now > *before;
  };
  return rose(mark_.write_seconds, pulse.write_seconds) ||
         rose(mark_.sync_seconds, pulse.sync_seconds);
}

StatsEventDetector::Mark StatsEventDetector::MarkOf(const PulseStats& pulse) const {
  Mark mark;
  mark.write_seconds = pulse.write_seconds;
  mark.sync_seconds = pulse.sync_seconds;
  mark.buffers = pulse.buffers_checkpointer;
  mark.slru = pulse.slru_written;
  mark.checkpoints_done = pulse.checkpoints_done;
  mark.restartpoints_done = pulse.restartpoints_done;
  mark.buffers_partial = Working(activity_);
  return mark;
}

}  // namespace ckpt
