// SPDX-License-Identifier: Apache-2.0
#include "core/latency.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ckpt {
namespace {

constexpr double kPerDecade = 24;
constexpr double kSmallest = 1e-5;  // seconds

}  // namespace

std::size_t LatencySplit::BucketOf(double seconds) {
  if (!(seconds > kSmallest)) return 0;
  const double place = std::floor(std::log10(seconds / kSmallest) * kPerDecade) + 1;
  return static_cast<std::size_t>(std::min(place, static_cast<double>(kBuckets - 1)));
}

// The value at a place among the buckets, the fraction telling how far into the bucket.
double LatencySplit::ValueAt(double bucket) {
  return kSmallest * std::pow(10.0, (bucket - 1) / kPerDecade);
}

std::int64_t LatencySplit::SlotNumber(MonotonicTime now) {
  return now.time_since_epoch() / std::chrono::duration_cast<MonotonicTime::duration>(kSlot);
}

void LatencySplit::Add(Probe probe, double seconds, std::optional<bool> checkpoint,
                       MonotonicTime now) {
  if (!checkpoint || !(seconds >= 0) || std::isinf(seconds)) return;
  Track& track = tracks_[static_cast<std::size_t>(probe)];
  const std::size_t side = *checkpoint ? 1 : 0;
  track.seconds[side].Observe(seconds);
  if (track.slots.empty()) track.slots.resize(kSlots);
  const std::int64_t number = SlotNumber(now);
  Slot& slot = track.slots[static_cast<std::size_t>(number) % kSlots];
  if (slot.number != number) slot = Slot{number, {}};
  std::uint16_t& count = slot.counts[side][BucketOf(seconds)];
  if (count < std::numeric_limits<std::uint16_t>::max()) ++count;
  changed_ = true;
}

std::optional<double> LatencySplit::Quantile(const std::array<std::uint64_t, kBuckets>& counts,
                                             std::uint64_t total, double quantile) {
  if (total < kFewest) return std::nullopt;
  const double rank = quantile * static_cast<double>(total);
  double below = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto here = static_cast<double>(counts[i]);
    if (here > 0 && below + here >= rank) {
      return ValueAt(static_cast<double>(i) + (rank - below) / here);
    }
    below += here;
  }
  return ValueAt(static_cast<double>(counts.size()));
}

ProbeLatency LatencySplit::Summarise(const Track& track, std::int64_t slot) {
  ProbeLatency latency;
  latency.seconds = track.seconds;
  for (std::size_t side = 0; side < 2; ++side) {
    std::array<std::uint64_t, kBuckets> counts{};
    for (const Slot& each : track.slots) {
      if (each.number < 0 || each.number <= slot - static_cast<std::int64_t>(kSlots)) continue;
      for (std::size_t i = 0; i < kBuckets; ++i) counts[i] += each.counts[side][i];
    }
    for (const std::uint64_t count : counts) latency.recent[side] += count;
    latency.median[side] = Quantile(counts, latency.recent[side], 0.5);
    latency.p95[side] = Quantile(counts, latency.recent[side], 0.95);
  }
  if (latency.p95[0] && latency.p95[1]) {
    latency.impact_ratio = *latency.p95[1] / *latency.p95[0];
    latency.median_ratio = *latency.median[1] / *latency.median[0];
  }
  return latency;
}

std::shared_ptr<const LatencyState> LatencySplit::State(MonotonicTime now) {
  const std::int64_t slot = SlotNumber(now);
  if (changed_ || slot != state_slot_) {
    auto state = std::make_shared<LatencyState>();
    for (std::size_t i = 0; i < tracks_.size(); ++i) {
      state->probes[i] = Summarise(tracks_[i], slot);
    }
    state_ = std::move(state);
    changed_ = false;
    state_slot_ = slot;
  }
  return state_;
}

std::size_t LatencySplit::Bytes() const {
  std::size_t bytes = sizeof(*this) + sizeof(LatencyState);
  for (const Track& track : tracks_) bytes += track.slots.capacity() * sizeof(Slot);
  return bytes;
}

}  // namespace ckpt
