// SPDX-License-Identifier: Apache-2.0
#include "core/timeline.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ckpt {
namespace {

constexpr std::size_t kChunk = 60;  // samples

constexpr bool SeriesInOrder() {
  for (std::size_t i = 0; i < kTimelineSeries.size(); ++i) {
    if (static_cast<std::size_t>(kTimelineSeries[i].series) != i) return false;
  }
  return true;
}
static_assert(SeriesInOrder(), "a series' value is its place in kTimelineSeries");

UnixSeconds TimeOf(const TimelineChunk& chunk, std::size_t i) {
  return chunk.base + static_cast<double>(chunk.offset[i]);
}

}  // namespace

void Timeline::Open::Add(UnixSeconds time, const TimelineSample& sample) {
  if (count == 0) start = time;
  ++count;
  for (std::size_t i = 0; i < kTimelineSeriesCount; ++i) {
    const auto value = static_cast<double>(sample.values[i]);
    if (std::isnan(value)) continue;
    if (counts[i] == 0) {
      values[i] = value;
    } else {
      switch (kTimelineSeries[i].combine) {
        case Combine::kMean: values[i] += value; break;
        case Combine::kMax: values[i] = std::max(values[i], value); break;
        case Combine::kLast: values[i] = value; break;
      }
    }
    ++counts[i];
  }
}

TimelineSample Timeline::Open::Result() const {
  TimelineSample sample;
  for (std::size_t i = 0; i < kTimelineSeriesCount; ++i) {
    if (counts[i] == 0) continue;
    const bool mean = kTimelineSeries[i].combine == Combine::kMean;
    sample.values[i] = static_cast<float>(mean ? values[i] / counts[i] : values[i]);
  }
  return sample;
}

// Replaces the last chunk instead of changing it: a snapshot may share it.
void Timeline::Append(Chunks* chunks, UnixSeconds time, const TimelineSample& sample) {
  auto chunk = std::make_shared<TimelineChunk>();
  const bool fits = !chunks->empty() && chunks->back()->offset.size() < kChunk;
  const TimelineChunk* last = fits ? chunks->back().get() : nullptr;
  const std::size_t held = last != nullptr ? last->offset.size() : 0;
  chunk->base = last != nullptr ? last->base : time;
  chunk->offset.reserve(held + 1);
  chunk->values.reserve((held + 1) * kTimelineSeriesCount);
  if (last != nullptr) {
    chunk->offset.insert(chunk->offset.end(), last->offset.begin(), last->offset.end());
    chunk->values.insert(chunk->values.end(), last->values.begin(), last->values.end());
  }
  chunk->offset.push_back(static_cast<float>(time - chunk->base));
  chunk->values.insert(chunk->values.end(), sample.values.begin(), sample.values.end());
  if (last != nullptr) {
    chunks->back() = std::move(chunk);
  } else {
    chunks->push_back(std::move(chunk));
  }
}

void Timeline::DropAfter(Tier* tier, UnixSeconds time) {
  if (tier->open.count > 0 && tier->open.start > time) tier->open = {};
  while (!tier->chunks.empty()) {
    const TimelineChunk& last = *tier->chunks.back();
    std::size_t keep = 0;
    while (keep < last.offset.size() && TimeOf(last, keep) <= time) ++keep;
    if (keep == last.offset.size()) return;
    if (keep == 0) {
      tier->chunks.pop_back();
      continue;
    }
    auto chunk = std::make_shared<TimelineChunk>();
    chunk->base = last.base;
    chunk->offset.assign(last.offset.begin(),
                         last.offset.begin() + static_cast<std::ptrdiff_t>(keep));
    chunk->values.assign(
        last.values.begin(),
        last.values.begin() + static_cast<std::ptrdiff_t>(keep * kTimelineSeriesCount));
    tier->chunks.back() = std::move(chunk);
    return;
  }
}

void Timeline::Add(UnixSeconds time, const TimelineSample& sample) {
  for (Tier& tier : tiers_) {
    if (time < last_) DropAfter(&tier, time);
    // Steps are whole ones of the clock, so that a jittering pulse does not skip one.
    if (tier.open.count > 0 &&
        std::floor(time / tier.step) != std::floor(tier.open.start / tier.step)) {
      Append(&tier.chunks, tier.open.start, tier.open.Result());
      tier.open = {};
    }
    tier.open.Add(time, sample);
    while (!tier.chunks.empty()) {
      const TimelineChunk& oldest = *tier.chunks.front();
      if (TimeOf(oldest, oldest.offset.size() - 1) >= time - tier.length) break;
      tier.chunks.erase(tier.chunks.begin());
    }
  }
  last_ = time;
}

TimelineSnapshot Timeline::Snapshot() const {
  TimelineSnapshot snapshot;
  snapshot.fine_ = tiers_[0].chunks;
  snapshot.coarse_ = tiers_[1].chunks;
  // Only the fine tier's open step is new to a reader; the coarse one's is told by fine samples.
  const Open& open = tiers_[0].open;
  if (open.count > 0) Append(&snapshot.fine_, open.start, open.Result());
  return snapshot;
}

std::size_t Timeline::Bytes() const {
  std::size_t bytes = sizeof(*this);
  for (const Tier& tier : tiers_) {
    bytes += tier.chunks.capacity() * sizeof(tier.chunks[0]);
    for (const auto& chunk : tier.chunks) {
      bytes += sizeof(TimelineChunk) + 2 * sizeof(void*) +
               (chunk->offset.capacity() + chunk->values.capacity()) * sizeof(float);
    }
  }
  return bytes;
}

TimelineColumns TimelineSnapshot::Query(UnixSeconds from, UnixSeconds to,
                                        std::size_t max_points) const {
  TimelineColumns columns;
  if (max_points == 0 || !(from <= to)) return columns;
  struct Point {
    UnixSeconds time;
    const float* values;
  };
  std::vector<Point> points;
  const UnixSeconds fine_from =
      fine_.empty() ? std::numeric_limits<double>::infinity() : TimeOf(*fine_.front(), 0);
  const auto collect = [&](const Chunks& chunks, UnixSeconds before) {
    for (const auto& chunk : chunks) {
      for (std::size_t i = 0; i < chunk->offset.size(); ++i) {
        const UnixSeconds time = TimeOf(*chunk, i);
        if (time < from || time > to || time >= before) continue;
        points.push_back({time, chunk->values.data() + i * kTimelineSeriesCount});
      }
    }
  };
  collect(coarse_, fine_from);
  collect(fine_, std::numeric_limits<double>::infinity());

  const bool combine = points.size() > max_points;
  const double width =
      combine ? (points.back().time - points.front().time) / static_cast<double>(max_points) : 0;
  const auto group_of = [&](const Point& point) {
    if (!(width > 0)) return 0.0;
    return std::min(std::floor((point.time - points.front().time) / width),
                    static_cast<double>(max_points - 1));
  };
  Timeline::Open open;
  const auto close = [&] {
    if (open.count == 0) return;
    const TimelineSample sample = open.Result();
    columns.time.push_back(open.start);
    for (std::size_t s = 0; s < kTimelineSeriesCount; ++s) {
      columns.values[s].push_back(sample.values[s]);
    }
    open = {};
  };
  double group = 0;
  for (const Point& point : points) {
    const double own = combine ? group_of(point) : group + 1;
    if (own != group) close();
    group = own;
    TimelineSample sample;
    std::copy(point.values, point.values + kTimelineSeriesCount, sample.values.begin());
    open.Add(point.time, sample);
  }
  close();
  return columns;
}

}  // namespace ckpt
