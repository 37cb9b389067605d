// SPDX-License-Identifier: Apache-2.0
// The end of a held event: its numbers, its reason, how many checkpoints it stands for.
#include <algorithm>

#include "core/pulse_times.h"
#include "core/stats_events.h"

namespace ckpt {
namespace {

template <class T>
std::optional<T> Rose(const std::optional<T>& before, const std::optional<T>& now) {
  if (!before || !now || *now < *before) return std::nullopt;
  return *now - *before;
}

int ToCount(std::int64_t count) {
  return static_cast<int>(std::clamp<std::int64_t>(count, 1, 1'000'000));
}

}  // namespace

void StatsEventDetector::Finish(const PulseStats& pulse, const Settings& settings,
                                std::vector<CheckpointEvent>* events) {
  const Tally tally = Count(pulse);
  SetNumbers(pulse, settings, tally);
  SetTimes(pulse);
  AddFailed(tally, settings, events);
  AddOthers(tally, settings, events);
  // The last one is taken as requested if any was: a request wins over the timer.
  held_->event.reason = InferReason(tally, tally.timed >= tally.count, settings);
  events->push_back(held_->event);
  AfterEvent(pulse, tally);
}

void StatsEventDetector::SetNumbers(const PulseStats& pulse, const Settings& settings,
                                    const Tally& tally) {
  if (tally.count != 1) return;
  CheckpointEvent& event = held_->event;
  if (*event.redo_lsn > held_->previous_redo) {
    event.distance_bytes = *event.redo_lsn - held_->previous_redo;
  }
  if (held_->counters_lost || held_->blurred || !Published(pulse)) return;
  event.write_seconds = Rose(mark_.write_seconds, pulse.write_seconds);
  event.sync_seconds = Rose(mark_.sync_seconds, pulse.sync_seconds);
  // Failed attempts wrote too, and the server adds their buffers to the one that succeeds.
  if (mark_.buffers_partial || tally.failed > 0) return;
  event.buffers_written = Rose(mark_.buffers, pulse.buffers_checkpointer);
  event.slru_buffers_written = Rose(mark_.slru, pulse.slru_written);
  if (event.buffers_written && settings.shared_buffers.value_or(0) > 0) {
    const double pages = *settings.shared_buffers / settings.block_size.value_or(8192);
    event.buffers_ratio = static_cast<double>(*event.buffers_written) / pages;
  }
}

void StatsEventDetector::SetTimes(const PulseStats& pulse) {
  CheckpointEvent& event = held_->event;
  std::optional<double> work;
  if (event.write_seconds) work = *event.write_seconds + event.sync_seconds.value_or(0);
  TimeRange end = held_->end;
  end.to = std::max(end.from, std::min(end.to, ServerTime(pulse)));
  const double inside = work.value_or(0);
  const TimeRange start = held_->start.value_or(TimeRange{end.from - inside, end.to - inside});
  const EventTimes times = SolveTimes(start, end, work);
  event.start = times.start;
  event.end = times.end;
  // With neither a start nor counters only the end is known.
  if (held_->start || work) event.total_seconds = times.total_seconds;
}

// Since when attempts that the server counted can belong to the held event: the server counts a
// checkpoint after it has begun. What was counted before was skipped.
UnixSeconds StatsEventDetector::Began(const PulseStats& pulse) const {
  return held_->start ? held_->start->from : held_->gap.from - WorkDone(pulse) - 1;
}

// What the server has added to its write and sync times since the last event, in seconds.
double StatsEventDetector::WorkDone(const PulseStats& pulse) const {
  return Rose(mark_.write_seconds, pulse.write_seconds).value_or(0) +
         Rose(mark_.sync_seconds, pulse.sync_seconds).value_or(0);
}

StatsEventDetector::Tally StatsEventDetector::Count(const PulseStats& pulse) const {
  const Held& held = *held_;
  Tally tally;
  std::int64_t timed = 0;
  std::int64_t requested = 0;
  bool earlier = false;  // counted in a pulse before the redo move
  // More work was published than fits between its start and its end: another one was completed
  // since the last event, and the control file shows only the last.
  const double work = WorkDone(pulse);
  const bool crowded = held.start && !held.counters_lost && !held.blurred &&
                       work > held.end.to - held.start->from + 0.1;
  UnixSeconds since = Began(pulse);
  if (crowded) since -= work + 1;
  if (held.seen) since = held.seen->start.from;
  for (const Rise& rise : rises_) {
    if (rise.at < since) continue;
    timed += rise.timed;
    requested += rise.requested;
    earlier = earlier || rise.at <= held.gap.from;
    tally.last_timed = rise.requested == 0;
  }
  // An event that could not wait for its counters was counted without them.
  const std::int64_t late_request = std::min(requested, owed_);
  requested -= late_request;
  timed -= std::min(timed, owed_ - late_request);
  tally.attempts = timed + requested;

  const bool visible = activity_.in_progress.has_value();
  // The next one has begun, and the server may have counted it already.
  const bool next = held.ended && (visible ? *activity_.in_progress : earlier);
  const bool restartpoint = held.event.kind == EventKind::kRestartpoint;
  const OptionalInt done = restartpoint ? Rose(mark_.restartpoints_done, pulse.restartpoints_done)
                                        : Rose(mark_.checkpoints_done, pulse.checkpoints_done);
  // It was at work well before the one that succeeded began.
  const bool failed = held.seen && held.start && held.seen->pulses >= 2 &&
                      held.start->from > held.seen->start.to + held.seen->ShortestFailure() + 0.5 &&
                      !crowded && !held.blurred && done.value_or(1) <= 1;
  if (held.counters_lost) {
    tally.count = 1;
  } else if (done) {
    tally.count = std::max<std::int64_t>(1, *done);
  } else if (!restartpoint && !failed) {
    tally.count = tally.attempts - (next ? 1 : 0);
  }
  tally.count = std::max<std::int64_t>(crowded ? 2 : 1, tally.count);
  if (failed) {
    tally.failed = std::max<std::int64_t>(1, tally.attempts - tally.count - (next ? 1 : 0));
  }
  const std::int64_t by_request = std::min(requested, tally.count);
  tally.timed = std::min(timed, tally.count - by_request);
  return tally;
}

Reason StatsEventDetector::InferReason(const Tally& tally, bool timed,
                                       const Settings& settings) const {
  const Held& held = *held_;
  const bool told = tally.attempts > 0;
  // A crash of one process: recovery inside the same postmaster, all statistics lost. Only a
  // shutdown or an end-of-recovery checkpoint has its record at its redo point.
  if (held.counters_lost && held.event.kind == EventKind::kCheckpoint &&
      held.event.lsn == held.event.redo_lsn) {
    return Reason::kRestart;
  }
  if (held.promotion) return Reason::kRequest;
  if (told && timed) return Reason::kTime;
  if (held.trigger) {
    if (tally.count == 1) {
      if (held.position >= held.trigger->TriggerLsn(held.previous_redo) &&
          *held.event.redo_lsn > held.previous_redo) {
        return Reason::kWal;
      }
    } else {
      // On average they came at least as far as the shortest way to the trigger.
      const std::int64_t shortest =
          std::max(held.trigger->segments - 1, std::int64_t{1}) * held.trigger->segment_bytes;
      if ((*held.event.redo_lsn - held.previous_redo) / tally.count >= shortest) {
        return Reason::kWal;
      }
    }
  }
  if (told) return Reason::kRequest;
  const bool due = last_start_ && settings.checkpoint_timeout &&
                   *held.event.start - *last_start_ >= *settings.checkpoint_timeout - 1;
  return due ? Reason::kTime : Reason::kRequest;
}

void StatsEventDetector::AddFailed(const Tally& tally, const Settings& settings,
                                   std::vector<CheckpointEvent>* events) const {
  if (tally.failed == 0) return;
  CheckpointEvent failed;
  failed.kind = held_->event.kind;
  failed.failed = true;
  failed.coalesced = ToCount(tally.failed);
  failed.reason = InferReason(tally, tally.timed >= tally.count, settings);
  failed.end = held_->event.start;
  failed.start = std::min(held_->seen->start.Middle(), *failed.end);
  failed.total_seconds = *failed.end - *failed.start;
  events->push_back(failed);
}

void StatsEventDetector::AddOthers(const Tally& tally, const Settings& settings,
                                   std::vector<CheckpointEvent>* events) const {
  const bool last_timed = tally.timed >= tally.count;
  for (const bool timed : {true, false}) {
    std::int64_t others = timed ? tally.timed : tally.count - tally.timed;
    if (timed == last_timed) --others;
    if (others <= 0) continue;
    CheckpointEvent rest;
    rest.kind = held_->event.kind;
    rest.coalesced = ToCount(others);
    rest.reason = InferReason(tally, timed, settings);
    rest.end = held_->event.start;
    // Since the pulse before, or (counted late) since the last event.
    rest.start = held_->gap.from <= *rest.end
                     ? held_->gap.from
                     : std::min(last_start_.value_or(*rest.end), *rest.end);
    events->push_back(rest);
  }
}

void StatsEventDetector::AfterEvent(const PulseStats& pulse, const Tally& tally) {
  const Held& held = *held_;
  last_start_ = held.event.start;
  if (held.promotion) promoted_ = false;

  // An attempt that is left over belongs to the one that runs now.
  const bool left = tally.attempts > tally.count + tally.failed;
  rises_.clear();
  if (left && activity_.in_progress.value_or(true)) {
    rises_.push_back({ServerTime(pulse), tally.last_timed ? 1 : 0, tally.last_timed ? 0 : 1});
  }

  const bool published = Published(pulse);
  owed_ =
      published || held.counters_lost ? 0 : std::max<std::int64_t>(0, tally.count - tally.attempts);
  Mark mark = MarkOf(pulse);
  if (!published && !held.counters_lost) {
    // Its own counts come later; they must not be taken for the next one's.
    const bool restartpoint = held.event.kind == EventKind::kRestartpoint;
    mark.checkpoints_done = mark_.checkpoints_done;
    mark.restartpoints_done = mark_.restartpoints_done;
    OptionalInt& done = restartpoint ? mark.restartpoints_done : mark.checkpoints_done;
    if (done) *done += tally.count;
  }
  mark_ = mark;

  const bool same_work = running_ && held.seen && running_->first_seen == held.seen->first_seen;
  if (held.ended && same_work) {
    // Still at work after its end: the next one has begun since.
    running_->kind = KindNow(pulse);
    running_->start = {std::min(held.end.from, ServerTime(pulse)), ServerTime(pulse)};
    running_->position_from = WalPosition(*previous_);
    running_->position_to = WalPosition(pulse);
    running_->trigger = trigger_;
    running_->first_seen = running_->last_seen = pulse.taken.monotonic;
    running_->pulses = 1;
    running_->clock_stepped = false;
    running_->follows = true;
  }
  if (!running_) clock_stepped_ = false;
  held_.reset();
}

}  // namespace ckpt
