// SPDX-License-Identifier: Apache-2.0
#include "core/forced_trigger.h"

#include <algorithm>

namespace ckpt {

std::optional<ForcedTrigger> ReadForcedTrigger(const Settings& settings, ServerVersion version) {
  if (!settings.max_wal_size || !settings.wal_segment_size ||
      !settings.checkpoint_completion_target) {
    return std::nullopt;
  }
  constexpr double kMegabyte = 1024.0 * 1024.0;
  constexpr double kMost = 9e15;  // a double holds every integer up to here
  const double size = *settings.max_wal_size;
  const double segment = *settings.wal_segment_size;
  const double target = *settings.checkpoint_completion_target;
  if (!(size >= kMegabyte && size < kMost)) return std::nullopt;
  if (!(segment >= kMegabyte && segment < kMost)) return std::nullopt;
  if (!(target >= 0 && target <= 1)) return std::nullopt;

  const auto max_megabytes = static_cast<std::int64_t>(size / kMegabyte);
  const auto segment_megabytes = static_cast<std::int64_t>(segment / kMegabyte);
  const std::int64_t max_segments = max_megabytes / segment_megabytes;
  const double divisor = (version.major() <= 10 ? 2.0 : 1.0) + target;
  const auto segments = static_cast<std::int64_t>(static_cast<double>(max_segments) / divisor);
  return ForcedTrigger{std::max<std::int64_t>(1, segments), static_cast<std::int64_t>(segment)};
}

}  // namespace ckpt
