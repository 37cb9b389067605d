// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "core/clock.h"
#include "core/histogram.h"
#include "core/stats.h"

namespace ckpt {

// What is timed; the value of the label `probe`.
enum class Probe : std::uint8_t {
  kQuery,   // the round trip of a pulse: the server answers, reads nothing from disk
  kCommit,  // a real commit (opt-in)
};
struct ProbeInfo {
  Probe probe;
  std::string_view label;
};
// TABLE: one row a probe.
inline constexpr std::array<ProbeInfo, 2> kProbes{{
    {Probe::kQuery, "query"},
    {Probe::kCommit, "commit"},
}};

// 0.1 ms to 30 s.
inline constexpr std::array<double, 18> kLatencyBounds{0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005,
                                                       0.01,   0.02,   0.05,   0.1,   0.2,   0.5,
                                                       1,      2,      5,      10,    20,    30};
using LatencySeconds = Histogram<kLatencyBounds>;

// What one probe measured. [0]: no checkpoint ran; [1]: one ran.
struct ProbeLatency {
  std::array<LatencySeconds, 2> seconds{};  // since the target was configured
  // Over the last hour, in seconds. Empty below kFewest samples.
  std::array<std::optional<double>, 2> median{};
  std::array<std::optional<double>, 2> p95{};
  // While a checkpoint runs against while none runs: 1 is no difference. The ratio of the 95th
  // percentiles, since a stall that one query in twenty meets is what users feel and a median
  // hides; the ratio of the medians says whether everything was slower. Empty unless both sides
  // have kFewest samples in the last hour.
  std::optional<double> impact_ratio;
  std::optional<double> median_ratio;
  // Samples of the last hour.
  std::array<std::uint64_t, 2> recent{};

  const LatencySeconds& running() const { return seconds[1]; }
  const LatencySeconds& idle() const { return seconds[0]; }
};

struct LatencyState {
  std::array<ProbeLatency, kProbes.size()> probes{};  // in the order of kProbes

  const ProbeLatency& of(Probe probe) const { return probes[static_cast<std::size_t>(probe)]; }
};

// Splits latency by whether a checkpoint ran. Quantiles of the last hour come from fine logarithmic
// buckets in twelve slots of five minutes: 24 buckets a decade, so within 5 % of the sample.
// Memory: about 9 kB a probe that is used, whatever is added.
// Threading: one thread at a time; a State() may be read by any.
class LatencySplit {
 public:
  static constexpr std::uint64_t kFewest = 20;
  static constexpr std::chrono::seconds kSlot{300};
  static constexpr std::size_t kSlots = 12;

  // `checkpoint`: whether one ran, Activity::in_progress; a sample with none is passed over, since
  // it belongs to neither side. `seconds` that are negative or not a number are, too.
  void Add(Probe probe, double seconds, std::optional<bool> checkpoint, MonotonicTime now);

  // As of `now`. The same pointer until a sample was added or a slot ended.
  std::shared_ptr<const LatencyState> State(MonotonicTime now);

  // Memory held, by counting.
  std::size_t Bytes() const;

 private:
  static constexpr std::size_t kBuckets = 24 * 7 + 2;  // 10 us to 100 s, and beyond on both sides
  using Fine = std::array<std::uint16_t, kBuckets>;
  struct Slot {
    std::int64_t number = -1;  // of the slot since the clock's epoch
    std::array<Fine, 2> counts{};
  };
  struct Track {
    std::array<LatencySeconds, 2> seconds{};
    std::vector<Slot> slots;  // kSlots once used
  };

  static std::size_t BucketOf(double seconds);
  static double ValueAt(double bucket);
  static std::int64_t SlotNumber(MonotonicTime now);
  static std::optional<double> Quantile(const std::array<std::uint64_t, kBuckets>& counts,
                                        std::uint64_t total, double quantile);
  static ProbeLatency Summarise(const Track& track, std::int64_t slot);

  std::array<Track, kProbes.size()> tracks_;
  std::shared_ptr<const LatencyState> state_ = std::make_shared<LatencyState>();
  bool changed_ = false;
  std::int64_t state_slot_ = 0;
};

}  // namespace ckpt
