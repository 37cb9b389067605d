// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "core/checkpoint_event.h"
#include "core/clock.h"

namespace ckpt {

// What the merger gives out.
struct EventUpdate {
  std::uint64_t id = 0;   // ascending; the same id again replaces what was given out under it
  bool replaces = false;  // an event of this id was given out before
  bool counts = true;     // false: its checkpoint is already in what was counted
  CheckpointEvent event;
};

// How the two sources agree, in checkpoints (not failures). The last three are settled: a
// checkpoint is in one of them once its twin came or can no longer come.
struct MergeCounts {
  std::uint64_t log_seen = 0;
  std::uint64_t stats_seen = 0;
  std::uint64_t both = 0;
  std::uint64_t log_only = 0;
  std::uint64_t stats_only = 0;

  friend bool operator==(const MergeCounts&, const MergeCounts&) = default;
};

// Makes one event of what the log and the statistics tell of the same checkpoint, in whatever order
// they come. Twins are known by kind and redo position or, where the log does not tell it (to 15),
// by their times: a server runs one checkpoint at a time, so two that start or end within 2 s of
// each other, or overlap by half, are one. The log's members win; those it lacks are taken from the
// statistics.
//
// A log event is given out at once; a stats event waits `wait` for its twin while a log is expected
// (the log knows the true reason and numbers, and totals cannot be taken back). A twin that comes
// later still replaces the event, within `remember`, and is not counted again. Of an event that
// stands for several checkpoints, each log event takes one away.
//
// Threading: one thread at a time. Memory: at most kMost events of each source.
class EventMerger {
 public:
  struct Options {
    std::chrono::seconds wait{10};
    std::chrono::seconds remember{600};
  };
  static constexpr std::size_t kMost = 128;

  EventMerger() = default;
  explicit EventMerger(Options options) : options_(options) {}

  // Whether a log is being read. Events that wait are given out by the next Step() once it is not.
  void ExpectLog(bool expected) { log_expected_ = expected; }

  std::vector<EventUpdate> AddStats(const CheckpointEvent& event, MonotonicTime now);
  std::vector<EventUpdate> AddLog(const CheckpointEvent& event, MonotonicTime now);
  // Gives out what has waited long enough and forgets what is old. Call it about every second.
  std::vector<EventUpdate> Step(MonotonicTime now);
  // Gives out everything that waits: another server took this one's place, or we stop.
  std::vector<EventUpdate> Flush();

  const MergeCounts& counts() const { return counts_; }

 private:
  struct Entry {
    CheckpointEvent event;
    MonotonicTime came{};
    std::uint64_t id = 0;  // 0: not given out
    int open = 1;          // checkpoints whose twin has not come
  };

  void Give(Entry* entry, std::vector<EventUpdate>* out);
  void Settle(const Entry& entry, std::uint64_t* only);
  void Bound(std::deque<Entry>* entries, std::uint64_t* only, std::vector<EventUpdate>* out);
  static Entry* FindTwin(std::deque<Entry>* entries, const CheckpointEvent& event);

  Options options_;
  bool log_expected_ = false;
  std::uint64_t last_id_ = 0;
  std::deque<Entry> stats_;  // in the order in which they came
  std::deque<Entry> log_;
  MergeCounts counts_;
};

// `log` with the members it lacks taken from `stats`; origin kBoth.
CheckpointEvent MergeEvents(const CheckpointEvent& log, const CheckpointEvent& stats);

}  // namespace ckpt
