// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "core/checkpoint_event.h"
#include "core/event_merge.h"
#include "core/event_ring.h"
#include "core/histogram.h"
#include "core/stats.h"

namespace ckpt {

// The parts of a checkpoint whose durations are kept; the value of the label `phase`.
enum class EventPart : std::uint8_t { kWrite, kSync, kTotal };
struct EventPartInfo {
  EventPart part;
  std::string_view label;
  std::optional<double> CheckpointEvent::*seconds;
};
// TABLE: one row a part.
inline constexpr std::array<EventPartInfo, 3> kEventParts{{
    {EventPart::kWrite, "write", &CheckpointEvent::write_seconds},
    {EventPart::kSync, "sync", &CheckpointEvent::sync_seconds},
    {EventPart::kTotal, "total", &CheckpointEvent::total_seconds},
}};

// 10 ms to 1 h.
inline constexpr std::array<double, 16> kEventSecondsBounds{
    0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 60, 120, 180, 270, 420, 900, 1800, 3600};
using EventSeconds = Histogram<kEventSecondsBounds>;

// What is known of one kind of event.
struct KindEvents {
  std::array<std::uint64_t, kReasons.size()> totals{};     // in the order of kReasons
  std::array<OptionalReal, kReasons.size()> last_start{};  // Unix seconds, server clock
  std::array<OptionalReal, kReasons.size()> last_end{};
  std::uint64_t failures = 0;
  std::uint64_t coalesced = 0;  // of the totals, those known only as a number
  std::array<EventSeconds, kEventParts.size()> seconds{};  // in the order of kEventParts
  // Of the last one that told.
  OptionalInt last_distance_bytes;
  OptionalInt last_estimate_bytes;
  OptionalReal last_longest_sync_seconds;
};

// Crash and archive recoveries that were watched.
struct RecoveryStats {
  std::uint64_t runs = 0;
  double bytes = 0;    // WAL replayed, over all runs
  double seconds = 0;  // over all runs
  OptionalReal last_bytes_per_second;
  OptionalReal last_seconds;
  OptionalReal last_end;  // Unix seconds

  // The speed of redo over all runs, bytes/s; empty before the first.
  OptionalReal BytesPerSecond() const {
    return seconds > 0 ? OptionalReal(bytes / seconds) : OptionalReal();
  }
};

// All that events have told of a target since it was configured. Immutable once published.
struct EventsState {
  std::array<KindEvents, std::size(kEventKinds)> kinds{};  // in the order of kEventKinds
  std::uint64_t too_frequent_warnings = 0;
  RecoveryStats recovery;
  MergeCounts sources;
  EventRing recent;

  const KindEvents& of(EventKind kind) const { return kinds[static_cast<std::size_t>(kind)]; }
};

// Keeps the count of events. Totals never decrease: an event that is replaced changes the ring and
// the last values, not what was counted.
// Threading: one thread at a time; a State() may be read by any.
class EventLedger {
 public:
  explicit EventLedger(std::size_t ring_capacity = 500);

  void Add(const EventUpdate& update);
  // "checkpoints are occurring too frequently" was logged.
  void AddTooFrequentWarning();
  // A recovery replayed `bytes` of WAL in `seconds` and ended at `end`. Nothing at all, or no time,
  // tells no speed and is passed over.
  void AddRecovery(std::int64_t bytes, double seconds, UnixSeconds end);
  void SetSources(const MergeCounts& counts);

  // The same pointer until something changes.
  std::shared_ptr<const EventsState> State();

 private:
  EventsState* Change();

  std::shared_ptr<EventsState> state_;
  bool shared_ = false;  // state_ was given out and must not be changed any more
  std::array<std::uint64_t, std::size(kEventKinds)> newest_{};  // id, by kind
};

}  // namespace ckpt
