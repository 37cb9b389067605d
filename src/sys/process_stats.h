// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/clock.h"

namespace ckpt::sys {

// What Prometheus client libraries call the process metrics. A member that /proc does not tell
// (ProtectProc=, another system) is empty. Sizes in bytes, times in seconds.
struct ProcessStats {
  std::optional<double> cpu_seconds_total;  // user and system; /proc/self/stat 14 and 15
  std::optional<std::int64_t> resident_memory_bytes;
  std::optional<std::int64_t> virtual_memory_bytes;
  std::optional<std::int64_t> virtual_memory_max_bytes;  // RLIMIT_AS; empty when unlimited
  std::optional<std::int64_t> open_fds;
  std::optional<std::int64_t> max_fds;  // RLIMIT_NOFILE
  std::optional<std::int64_t> threads;
  UnixSeconds start_time_seconds = 0;
};

// Reads them. The start time is the clock's at construction: /proc/stat, which would date the
// kernel's own, is hidden under ProcSubset=pid. Thread-safe; the files are opened at each call.
class ProcessStatsReader {
 public:
  // `proc` is the folder of the process, for tests.
  explicit ProcessStatsReader(const Clock& clock, std::string proc = "/proc/self");
  ProcessStats Read() const;

 private:
  std::string proc_;
  UnixSeconds start_time_;
};

}  // namespace ckpt::sys
