// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace ckpt {

// A histogram as any exposition needs it; points into the Histogram it was made from.
struct HistogramView {
  std::span<const double> bounds;         // upper bounds, inclusive, ascending
  std::span<const std::uint64_t> counts;  // one a bucket, not cumulative; the last is +Inf
  double sum = 0;
  std::uint64_t count = 0;
};

// Counts observations in the buckets of kBounds, a constexpr std::array<double, N> in ascending
// order. A plain value: no thread safety of its own.
template <const auto& kBounds>
class Histogram {
 public:
  // NaN is not an observation.
  void Observe(double value) { Observe(value, 1); }
  void Observe(double value, std::uint64_t times) {
    if (!(value == value)) return;
    const auto bucket = std::lower_bound(kBounds.begin(), kBounds.end(), value) - kBounds.begin();
    counts_[static_cast<std::size_t>(bucket)] += times;
    sum_ += value * static_cast<double>(times);
    count_ += times;
  }

  HistogramView View() const { return {kBounds, counts_, sum_, count_}; }
  std::uint64_t count() const { return count_; }

 private:
  std::array<std::uint64_t, kBounds.size() + 1> counts_{};
  double sum_ = 0;
  std::uint64_t count_ = 0;
};

}  // namespace ckpt
