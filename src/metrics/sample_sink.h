// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>

#include "core/clock.h"

namespace ckpt::metrics {

// Where the rows of the catalogue put the samples of one family of one target. Label values go in
// the order of the family's label keys. Not kept after the call; not thread-safe.
class SampleSink {
 public:
  explicit SampleSink(MonotonicTime now) : now_(now) {}
  virtual ~SampleSink() = default;

  // The time of the scrape, which decides what is fresh.
  MonotonicTime now() const { return now_; }

  virtual void Add(double value, std::span<const std::string_view> label_values) = 0;

  // `upper_bounds` ascending without +Inf; `counts` per bucket, not cumulative, one more than
  // bounds; `sum` of the observations.
  virtual void AddHistogram(std::span<const double> upper_bounds,
                            std::span<const std::uint64_t> counts, double sum,
                            std::span<const std::string_view> label_values) = 0;

  void Add(double value, std::initializer_list<std::string_view> label_values = {}) {
    Add(value, std::span(label_values.begin(), label_values.size()));
  }
  // An empty value is no sample.
  template <class T>
  void AddIf(const std::optional<T>& value,
             std::initializer_list<std::string_view> label_values = {}) {
    if (value) Add(static_cast<double>(*value), label_values);
  }

 private:
  MonotonicTime now_;
};

}  // namespace ckpt::metrics
