// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string_view>
#include <vector>

#include "core/clock.h"

namespace ckpt {

// How the samples of a longer step become one.
enum class Combine : std::uint8_t { kMean, kMax, kLast };

enum class TimelineSeries : std::uint8_t {
  kLatencyMax,
  kLatencyMedian,
  kWalRate,
  kWalSinceRedo,
  kForcedTrigger,
  kInProgress,
  kPhase,
  kCheckpointerWrites,
  kBgwriterWrites,
  kBackendWrites,
  kCommits,
};
struct TimelineSeriesInfo {
  TimelineSeries series;
  std::string_view name;
  std::string_view unit;
  Combine combine;
};
// TABLE: one row a series; the API's columns and the page's charts derive from it.
inline constexpr std::array<TimelineSeriesInfo, 11> kTimelineSeries{{
    {TimelineSeries::kLatencyMax, "latency_max", "seconds", Combine::kMax},
    {TimelineSeries::kLatencyMedian, "latency_median", "seconds", Combine::kMean},
    {TimelineSeries::kWalRate, "wal_rate", "bytes_per_second", Combine::kMean},
    {TimelineSeries::kWalSinceRedo, "wal_since_redo", "bytes", Combine::kLast},
    {TimelineSeries::kForcedTrigger, "forced_trigger", "bytes", Combine::kLast},
    // 0 or 1; over a longer step the share of the time.
    {TimelineSeries::kInProgress, "in_progress", "ratio", Combine::kMean},
    // The number of a Phase, in the order of kPhases.
    {TimelineSeries::kPhase, "phase", "", Combine::kLast},
    {TimelineSeries::kCheckpointerWrites, "checkpointer_writes", "buffers_per_second",
     Combine::kMean},
    {TimelineSeries::kBgwriterWrites, "bgwriter_writes", "buffers_per_second", Combine::kMean},
    {TimelineSeries::kBackendWrites, "backend_writes", "buffers_per_second", Combine::kMean},
    {TimelineSeries::kCommits, "commits", "transactions_per_second", Combine::kMean},
}};
inline constexpr std::size_t kTimelineSeriesCount = kTimelineSeries.size();

// One value a series, in the order of kTimelineSeries. NaN: not known.
struct TimelineSample {
  std::array<float, kTimelineSeriesCount> values{};

  TimelineSample() { values.fill(std::numeric_limits<float>::quiet_NaN()); }
  void Set(TimelineSeries series, double value) {
    values[static_cast<std::size_t>(series)] = static_cast<float>(value);
  }
  float Get(TimelineSeries series) const { return values[static_cast<std::size_t>(series)]; }
};

// Columns of equal length.
struct TimelineColumns {
  std::vector<UnixSeconds> time;                                // ascending
  std::array<std::vector<float>, kTimelineSeriesCount> values;  // NaN: not known
};

// A piece of consecutive samples. Never changed once shared.
struct TimelineChunk {
  UnixSeconds base = 0;
  std::vector<float> offset;  // seconds after base, one a sample
  std::vector<float> values;  // kTimelineSeriesCount a sample
};

// What a Timeline held at one moment. Cheap to copy; may be read in any thread.
class TimelineSnapshot {
 public:
  // Samples from `from` to `to` (Unix seconds, both included): fine ones where there are any,
  // coarse ones before. More than `max_points` are combined in groups of equal time, each with the
  // time of its first sample. max_points of 0 gives nothing.
  TimelineColumns Query(UnixSeconds from, UnixSeconds to, std::size_t max_points) const;

 private:
  friend class Timeline;
  using Chunks = std::vector<std::shared_ptr<const TimelineChunk>>;
  Chunks fine_;
  Chunks coarse_;
};

// The recent past of the sampled series in two tiers: every kFineStep for ten minutes, every
// kCoarseStep for six hours; about 100 kB a target in all.
// Threading: one thread at a time adds; snapshots are for all.
class Timeline {
 public:
  static constexpr std::chrono::seconds kFineStep{1};
  static constexpr std::chrono::seconds kFineLength{600};
  static constexpr std::chrono::seconds kCoarseStep{15};
  static constexpr std::chrono::seconds kCoarseLength{6 * 3600};

  // `time`: Unix seconds by the clock that events have, the server's. Samples that come faster than
  // kFineStep are combined. When the clock is set back, what lies after it is dropped.
  void Add(UnixSeconds time, const TimelineSample& sample);

  // Everything added so far, the steps that are still open included.
  TimelineSnapshot Snapshot() const;

  // Memory of the samples, by counting.
  std::size_t Bytes() const;

 private:
  using Chunks = TimelineSnapshot::Chunks;
  // Samples of one step on their way to become one.
  struct Open {
    UnixSeconds start = 0;
    std::uint32_t count = 0;
    std::array<double, kTimelineSeriesCount> values{};
    std::array<std::uint32_t, kTimelineSeriesCount> counts{};

    void Add(UnixSeconds time, const TimelineSample& sample);
    TimelineSample Result() const;
  };
  struct Tier {
    double step;
    double length;
    Chunks chunks;
    Open open;
  };
  friend class TimelineSnapshot;

  static void Append(Chunks* chunks, UnixSeconds time, const TimelineSample& sample);
  static void DropAfter(Tier* tier, UnixSeconds time);

  std::array<Tier, 2> tiers_{
      {{static_cast<double>(kFineStep.count()), static_cast<double>(kFineLength.count()), {}, {}},
       {static_cast<double>(kCoarseStep.count()),
        static_cast<double>(kCoarseLength.count()),
        {},
        {}}}};
  UnixSeconds last_ = 0;
};

}  // namespace ckpt
