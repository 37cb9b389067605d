// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/clock.h"

namespace ckpt::metrics {

// What the exporter says of itself. A plain value; each scrape takes a new one.
struct ProcessState {
  std::string_view version;
  std::string_view revision;
  std::string_view compiler;

  std::optional<bool> config_reload_successful;
  std::optional<UnixSeconds> config_reload_time;  // of the last successful one

  std::optional<double> cpu_seconds;
  std::optional<std::int64_t> resident_bytes;
  std::optional<std::int64_t> virtual_bytes;
  std::optional<std::int64_t> open_fds;
  std::optional<std::int64_t> max_fds;
  std::optional<std::int64_t> threads;
  std::optional<UnixSeconds> start_time;
};

}  // namespace ckpt::metrics
