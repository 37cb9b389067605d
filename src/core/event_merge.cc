// SPDX-License-Identifier: Apache-2.0
#include "core/event_merge.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace ckpt {
namespace {

constexpr double kTolerance = 2.0;  // seconds
constexpr std::int64_t kKilobyte = 1024;
constexpr double kNoMatch = -1;

std::uint64_t Units(const CheckpointEvent& event) {
  return static_cast<std::uint64_t>(std::max(1, event.coalesced));
}

// The log cuts its distance to kB; a large one is as good as a name.
bool SameDistance(const CheckpointEvent& a, const CheckpointEvent& b) {
  if (!a.distance_bytes || !b.distance_bytes) return false;
  return *a.distance_bytes / kKilobyte == *b.distance_bytes / kKilobyte &&
         *a.distance_bytes >= kKilobyte * kKilobyte;
}

// The share of the shorter of two events that lies within the other.
double Overlap(const CheckpointEvent& a, const CheckpointEvent& b) {
  if (!a.start || !a.end || !b.start || !b.end) return 0;
  const double shorter = std::min(*a.end - *a.start, *b.end - *b.start);
  const double common = std::min(*a.end, *b.end) - std::max(*a.start, *b.start);
  return shorter > 0 ? common / shorter : 0;
}

// How far apart two accounts are, in seconds, if they can be of one checkpoint; else kNoMatch.
double Apart(const CheckpointEvent& a, const CheckpointEvent& b) {
  if (a.kind != b.kind || a.failed != b.failed) return kNoMatch;
  if (a.redo_lsn && b.redo_lsn) return *a.redo_lsn == *b.redo_lsn ? 0 : kNoMatch;
  const bool several = a.coalesced > 1 || b.coalesced > 1;
  if (several || a.failed) {
    if (!a.start || !a.end || !b.start || !b.end) return kNoMatch;
    const bool touch = *a.start <= *b.end + kTolerance && *b.start <= *a.end + kTolerance;
    // One with an own twin should have it: the crowd comes last.
    return touch ? (several ? 1000 : 1) : kNoMatch;
  }
  std::optional<double> apart;
  if (a.start && b.start) apart = std::abs(*a.start - *b.start);
  if (a.end && b.end) {
    const double ends = std::abs(*a.end - *b.end);
    apart = apart ? std::min(*apart, ends) : ends;
  }
  if (SameDistance(a, b)) return std::min(apart.value_or(kTolerance), kTolerance) / 10;
  if (apart && *apart <= kTolerance) return *apart;
  return Overlap(a, b) >= 0.5 ? kTolerance : kNoMatch;
}

template <class T>
void Fill(std::optional<T>* into, const std::optional<T>& from) {
  if (!*into) *into = from;
}

}  // namespace

CheckpointEvent MergeEvents(const CheckpointEvent& log, const CheckpointEvent& stats) {
  CheckpointEvent both = log;
  both.origin = EventOrigin::kBoth;
  // A line cut short tells no reason.
  if (both.flags == CheckpointFlags{}) both.reason = stats.reason;
  Fill(&both.start, stats.start);
  Fill(&both.end, stats.end);
  Fill(&both.write_seconds, stats.write_seconds);
  Fill(&both.sync_seconds, stats.sync_seconds);
  if (!both.total_seconds && stats.coalesced == 1) both.total_seconds = stats.total_seconds;
  Fill(&both.buffers_written, stats.buffers_written);
  Fill(&both.buffers_ratio, stats.buffers_ratio);
  Fill(&both.slru_buffers_written, stats.slru_buffers_written);
  Fill(&both.distance_bytes, stats.distance_bytes);
  Fill(&both.lsn, stats.lsn);
  Fill(&both.redo_lsn, stats.redo_lsn);
  if (both.start && both.end && *both.end < *both.start) both.start = both.end;
  return both;
}

EventMerger::Entry* EventMerger::FindTwin(std::deque<Entry>* entries,
                                          const CheckpointEvent& event) {
  Entry* best = nullptr;
  double least = 0;
  for (Entry& entry : *entries) {
    if (entry.open <= 0) continue;
    const double apart = Apart(entry.event, event);
    if (apart == kNoMatch || (best != nullptr && apart >= least)) continue;
    best = &entry;
    least = apart;
  }
  return best;
}

void EventMerger::Give(Entry* entry, std::vector<EventUpdate>* out) {
  entry->id = ++last_id_;
  out->push_back({entry->id, false, true, entry->event});
}

std::vector<EventUpdate> EventMerger::AddLog(const CheckpointEvent& event, MonotonicTime now) {
  std::vector<EventUpdate> out;
  if (!event.failed) counts_.log_seen += Units(event);
  Entry entry{event, now, 0, event.coalesced};
  entry.event.origin = EventOrigin::kLog;
  Entry* twin = FindTwin(&stats_, event);
  if (twin == nullptr) {
    Give(&entry, &out);
    log_.push_back(entry);
    Bound(&log_, &counts_.log_only, &out);
    return out;
  }
  const bool one = twin->event.coalesced == 1 && !twin->event.failed;
  const int taken = std::min(twin->open, std::max(1, event.coalesced));
  twin->open -= taken;
  if (!event.failed) counts_.both += static_cast<std::uint64_t>(taken);
  entry.event = one ? MergeEvents(event, twin->event) : event;
  entry.event.origin = EventOrigin::kBoth;
  if (twin->id == 0) {
    Give(&entry, &out);
    if (twin->event.failed) twin->open = 0;  // the log tells failures one by one
    twin->event.coalesced = std::max(1, twin->open);
  } else if (one) {
    out.push_back({twin->id, true, false, entry.event});
  } else {
    // Counted when the statistics told how many there were; only its details are new.
    out.push_back({++last_id_, false, false, entry.event});
  }
  std::erase_if(stats_, [](const Entry& each) { return each.open <= 0; });
  return out;
}

std::vector<EventUpdate> EventMerger::AddStats(const CheckpointEvent& event, MonotonicTime now) {
  std::vector<EventUpdate> out;
  if (!event.failed) counts_.stats_seen += Units(event);
  Entry entry{event, now, 0, std::max(1, event.coalesced)};
  entry.event.origin = EventOrigin::kStats;
  while (entry.open > 0) {
    Entry* twin = FindTwin(&log_, event);
    if (twin == nullptr) break;
    const int taken = event.failed ? twin->open : std::min(twin->open, entry.open);
    twin->open -= taken;
    entry.open -= taken;
    if (!event.failed) counts_.both += static_cast<std::uint64_t>(taken);
    CheckpointEvent both = twin->event;
    both.origin = EventOrigin::kBoth;
    if (event.coalesced == 1 && !event.failed) both = MergeEvents(twin->event, event);
    out.push_back({twin->id, true, false, both});
    // Failures are the log's to count, once it has told any.
    if (event.failed) entry.open = 0;
    if (event.failed) continue;
  }
  std::erase_if(log_, [](const Entry& each) { return each.open <= 0; });
  if (entry.open <= 0) return out;
  entry.event.coalesced = entry.open;
  if (!log_expected_) Give(&entry, &out);
  stats_.push_back(entry);
  Bound(&stats_, &counts_.stats_only, &out);
  return out;
}

// Counts an entry whose twin can no longer come.
void EventMerger::Settle(const Entry& entry, std::uint64_t* only) {
  if (!entry.event.failed) *only += static_cast<std::uint64_t>(std::max(0, entry.open));
}

void EventMerger::Bound(std::deque<Entry>* entries, std::uint64_t* only,
                        std::vector<EventUpdate>* out) {
  while (entries->size() > kMost) {
    if (entries->front().id == 0) Give(&entries->front(), out);
    Settle(entries->front(), only);
    entries->pop_front();
  }
}

std::vector<EventUpdate> EventMerger::Step(MonotonicTime now) {
  std::vector<EventUpdate> out;
  for (Entry& entry : stats_) {
    if (entry.id != 0) continue;
    if (!log_expected_ || now - entry.came >= options_.wait) Give(&entry, &out);
  }
  while (!stats_.empty() && now - stats_.front().came >= options_.remember) {
    Settle(stats_.front(), &counts_.stats_only);
    stats_.pop_front();
  }
  while (!log_.empty() && now - log_.front().came >= options_.remember) {
    Settle(log_.front(), &counts_.log_only);
    log_.pop_front();
  }
  return out;
}

std::vector<EventUpdate> EventMerger::Flush() {
  std::vector<EventUpdate> out;
  for (Entry& entry : stats_) {
    if (entry.id == 0) Give(&entry, &out);
    Settle(entry, &counts_.stats_only);
  }
  for (const Entry& entry : log_) Settle(entry, &counts_.log_only);
  stats_.clear();
  log_.clear();
  return out;
}

}  // namespace ckpt
