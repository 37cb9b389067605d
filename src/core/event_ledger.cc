// SPDX-License-Identifier: Apache-2.0
#include "core/event_ledger.h"

#include <algorithm>

namespace ckpt {
namespace {

constexpr bool ReasonsInOrder() {
  for (std::size_t i = 0; i < kReasons.size(); ++i) {
    if (static_cast<std::size_t>(kReasons[i].reason) != i) return false;
  }
  return true;
}
static_assert(ReasonsInOrder(), "a reason's value is its place in kReasons");

}  // namespace

EventLedger::EventLedger(std::size_t ring_capacity) : state_(std::make_shared<EventsState>()) {
  state_->recent = EventRing(ring_capacity);
}

EventsState* EventLedger::Change() {
  if (shared_) {
    state_ = std::make_shared<EventsState>(*state_);
    shared_ = false;
  }
  return state_.get();
}

std::shared_ptr<const EventsState> EventLedger::State() {
  shared_ = true;
  return state_;
}

void EventLedger::Add(const EventUpdate& update) {
  EventsState* state = Change();
  const CheckpointEvent& event = update.event;
  const auto kind = static_cast<std::size_t>(event.kind);
  const auto reason = static_cast<std::size_t>(event.reason);
  KindEvents& events = state->kinds[kind];
  if (update.replaces) {
    state->recent.Replace({update.id, event});
  } else {
    state->recent.Append({update.id, event});
  }
  const auto units = static_cast<std::uint64_t>(std::max(1, event.coalesced));
  if (event.failed) {
    if (update.counts) events.failures += units;
    return;
  }
  if (update.counts) {
    events.totals[reason] += units;
    if (units > 1) {
      events.coalesced += units;
    } else {
      for (std::size_t i = 0; i < kEventParts.size(); ++i) {
        if (const auto& seconds = event.*kEventParts[i].seconds)
          events.seconds[i].Observe(*seconds);
      }
    }
  }
  // An older event that is told anew is not the last one.
  if (update.id < newest_[kind]) return;
  newest_[kind] = update.id;
  if (event.start) events.last_start[reason] = event.start;
  if (event.end) events.last_end[reason] = event.end;
  if (event.distance_bytes) events.last_distance_bytes = event.distance_bytes;
  if (event.estimate_bytes) events.last_estimate_bytes = event.estimate_bytes;
  if (event.longest_sync_seconds) events.last_longest_sync_seconds = event.longest_sync_seconds;
}

void EventLedger::AddTooFrequentWarning() { ++Change()->too_frequent_warnings; }

void EventLedger::AddRecovery(std::int64_t bytes, double seconds, UnixSeconds end) {
  if (bytes <= 0 || !(seconds > 0)) return;
  RecoveryStats& recovery = Change()->recovery;
  ++recovery.runs;
  recovery.bytes += static_cast<double>(bytes);
  recovery.seconds += seconds;
  recovery.last_bytes_per_second = static_cast<double>(bytes) / seconds;
  recovery.last_seconds = seconds;
  recovery.last_end = end;
}

void EventLedger::SetSources(const MergeCounts& counts) {
  if (state_->sources == counts) return;
  Change()->sources = counts;
}

}  // namespace ckpt
