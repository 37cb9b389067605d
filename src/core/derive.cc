// SPDX-License-Identifier: Apache-2.0
#include "core/derive.h"

#include <algorithm>

namespace ckpt {
namespace {

using C = WindowCounter;
using OptionalDouble = std::optional<double>;

OptionalDouble Share(const OptionalDouble& part, const OptionalDouble& rest) {
  if (!part || !rest || *part + *rest <= 0) return std::nullopt;
  return *part / (*part + *rest);
}

OptionalDouble Sum(const OptionalDouble& a, const OptionalDouble& b) {
  if (!a || !b) return std::nullopt;
  return *a + *b;
}

OptionalDouble FpiRatio(const OptionalDouble& fpi_bytes, const OptionalDouble& fpi,
                        const OptionalDouble& wal_bytes, const OptionalReal& block_size) {
  if (!wal_bytes || *wal_bytes <= 0) return std::nullopt;
  if (fpi_bytes) return std::min(1.0, *fpi_bytes / *wal_bytes);
  if (!fpi || !block_size) return std::nullopt;
  return std::min(1.0, *fpi * *block_size / *wal_bytes);
}

// `value` gives a counter's rise in the window.
template <class Value>
WindowRatios Ratios(Value value, const Settings& settings) {
  WindowRatios ratios;
  ratios.requested = Share(value(C::kCheckpointsRequested), value(C::kCheckpointsTimed));
  ratios.wal_fpi =
      FpiRatio(value(C::kWalFpiBytes), value(C::kWalFpi), value(C::kWalBytes), settings.block_size);
  ratios.backend_write =
      Share(value(C::kMixBackend), Sum(value(C::kMixCheckpointer), value(C::kMixBgwriter)));
  return ratios;
}

}  // namespace

Derived Derive(const Window& window, const Settings& settings) {
  constexpr std::array kLengths{std::chrono::seconds(300), std::chrono::seconds(3600)};
  Derived derived;
  for (std::size_t i = 0; i < kLengths.size(); ++i) {
    const auto length = kLengths[i];
    derived.windows[i] = Ratios([&](C counter) { return window.Delta(counter, length); }, settings);
    derived.windows[i].span_seconds = window.Span(C::kCheckpointsTimed, length);
  }
  WindowRatios& total = derived.windows[static_cast<std::size_t>(WindowLength::kSinceReset)];
  total = Ratios([&](C counter) { return window.Total(counter); }, settings);
  // Views that were reset at different moments have totals that cannot be compared.
  if (!window.SameReset(C::kMixBackend, C::kBuffersBgwriter) ||
      !window.SameReset(C::kMixBackend, C::kBuffersCheckpointer)) {
    total.backend_write = std::nullopt;
  }
  return derived;
}

}  // namespace ckpt
