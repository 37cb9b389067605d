// SPDX-License-Identifier: Apache-2.0
#include "core/wal_sizing.h"

#include <algorithm>
#include <cmath>

namespace ckpt {
namespace {

constexpr double kMegabyte = 1024.0 * 1024.0;
constexpr double kGigabyte = 1024.0 * kMegabyte;

// Beside max_wal_size a disk has to bear what comes while a checkpoint runs late, wal_keep_size and
// slots; timescaledb-tune began with 80 % and had to go down to 60 %.
constexpr double kDiskShare = 0.6;
constexpr double kFewestSegments = 4;
constexpr double kLargest = 1024.0 * 1024.0 * kGigabyte;

double Divisor(const WalSizingInput& input) {
  return (input.major_version <= 10 ? 2.0 : 1.0) + input.completion_target;
}

// The least max_wal_size with which `distance` bytes of WAL surely fit before the trigger: the
// trigger counts whole segments and the redo point may lie anywhere in its own.
double SizeForDistance(double distance, const WalSizingInput& input) {
  const double segments = std::ceil(distance / input.segment_bytes) + 1;
  return std::ceil(segments * Divisor(input)) * input.segment_bytes;
}

double RoundUp(double bytes, double step) { return std::ceil(bytes / step) * step; }
double RoundDown(double bytes, double step) { return std::floor(bytes / step) * step; }

}  // namespace

double WalSizeStep(double bytes, double segment_bytes) {
  double step = 64 * kMegabyte;
  if (bytes > 512 * kMegabyte) step = 256 * kMegabyte;
  if (bytes > 2 * kGigabyte) step = 512 * kMegabyte;
  if (bytes > 4 * kGigabyte) step = kGigabyte;
  if (bytes > 16 * kGigabyte) step = 4 * kGigabyte;
  if (bytes > 64 * kGigabyte) step = 16 * kGigabyte;
  return std::max(step, segment_bytes);
}

double FpiSaved(double now, double then) {
  if (!(now > 0) || !(then > now)) return 0;
  return 1 - std::sqrt(now / then);
}

double WorstReplayBytes(double max_wal_size, const WalSizingInput& input) {
  return std::min(max_wal_size, input.wal_bytes_per_second * input.checkpoint_timeout *
                                    (1 + input.completion_target));
}

WalSizing SizeWal(const WalSizingInput& input) {
  WalSizing sizing;
  const double fpi = std::clamp(input.fpi_ratio.value_or(0), 0.0, 1.0);
  const double interval = input.mean_interval.value_or(input.checkpoint_timeout);
  const double saved = fpi * FpiSaved(interval, input.checkpoint_timeout);
  const double rate = input.wal_bytes_per_second * (1 - saved);

  sizing.need_bytes =
      std::min(SizeForDistance(rate * input.checkpoint_timeout, input), RoundDown(kLargest, 1));
  const double wanted = std::max(sizing.need_bytes, input.at_least.value_or(0));
  double size = RoundUp(wanted, WalSizeStep(wanted, input.segment_bytes));

  const auto limit = [&](double bytes, WalSizeLimit by) {
    if (size <= bytes) return;
    const double fewest = std::min(size, kFewestSegments * input.segment_bytes);
    double held = RoundDown(bytes, WalSizeStep(bytes, input.segment_bytes));
    // A step may be larger than a small limit: then whole segments have to do.
    if (held <= fewest) held = RoundDown(bytes, input.segment_bytes);
    size = std::max(fewest, held);
    sizing.limited_by = by;
  };
  if (input.limits.wal_disk_bytes) {
    limit(*input.limits.wal_disk_bytes * kDiskShare, WalSizeLimit::kDisk);
  }
  sizing.redo_observed = input.redo_bytes_per_second.value_or(0) > 0;
  const double redo = sizing.redo_observed ? *input.redo_bytes_per_second : rate;
  if (input.limits.recovery_time_objective && redo > 0) {
    limit(*input.limits.recovery_time_objective * redo, WalSizeLimit::kRecovery);
  }

  sizing.recommended_bytes = size;
  sizing.forced_interval = rate > 0 ? size / Divisor(input) / rate : 0;
  sizing.replay_bytes = size;
  sizing.replay_seconds = redo > 0 ? size / redo : 0;
  const double then = std::min(input.checkpoint_timeout, sizing.forced_interval);
  sizing.wal_saved_ratio = fpi * FpiSaved(interval, then);
  sizing.wal_saved_most = then > interval ? fpi * (1 - interval / then) : 0;
  return sizing;
}

}  // namespace ckpt
