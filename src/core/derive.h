// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>

#include "core/settings.h"
#include "core/window.h"

namespace ckpt {

// What one window says. Ratios are 0..1; empty where their inputs are, or the denominator is 0.
struct WindowRatios {
  // Requested checkpoints of all attempts. Requested is not forced by WAL: see checkpoints_total.
  std::optional<double> requested;
  // Full page images in the WAL: exact from 19; 14 to 18 an estimate, wal_fpi x block_size /
  // wal_bytes capped at 1, too high where pages have holes or WAL is compressed. Empty below 14.
  std::optional<double> wal_fpi;
  // Buffers written by backends of all written. From 16 relation writes only, extends apart.
  std::optional<double> backend_write;
  // The time that the window covers, in seconds: its length, or less since a break. Empty for
  // since_reset.
  std::optional<double> span_seconds;
};

struct Derived {
  std::array<WindowRatios, 3> windows;  // in the order of kWindowLengths
  const WindowRatios& Of(WindowLength length) const {
    return windows[static_cast<std::size_t>(length)];
  }
};

// REQUIRES: the window holds the pulse of which the answer is published.
Derived Derive(const Window& window, const Settings& settings);

}  // namespace ckpt
