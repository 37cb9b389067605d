// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/advice.h"

// States of servers that tests of advice begin with.
namespace ckpt {

inline constexpr double kMegabyte = 1024.0 * 1024.0;
inline constexpr double kGigabyte = 1024.0 * kMegabyte;

inline void SetCount(AdviceInput& input, Reason reason, int count) {
  input.checkpoints.by_reason[static_cast<std::size_t>(reason)] = count;
}

// A primary under steady load with nothing to say about it.
inline AdviceInput WellTuned() {
  AdviceInput input;
  input.server.version = {180004};
  Settings& settings = input.settings;
  settings.max_wal_size = 8 * kGigabyte;
  settings.wal_segment_size = 16 * kMegabyte;
  settings.checkpoint_timeout = 900;
  settings.checkpoint_completion_target = 0.9;
  settings.checkpoint_flush_after = 262144;
  settings.bgwriter_delay = 0.2;
  settings.bgwriter_lru_maxpages = 100;
  settings.bgwriter_lru_multiplier = 2;
  settings.shared_buffers = 4 * kGigabyte;
  settings.fsync = settings.full_page_writes = settings.log_checkpoints = 1;
  settings.track_io_timing = settings.track_wal_io_timing = 0;
  settings.wal_compression = "lz4";
  CheckpointFacts& facts = input.checkpoints;
  facts.span_seconds = 7200;
  facts.mean_interval = 900;
  facts.wal_rate_mean = 3 * kMegabyte;
  facts.wal_rate_p95 = 4 * kMegabyte;
  facts.mean_buffers_written = 100000;
  facts.mean_sync_seconds = 0.5;
  facts.longest_sync_seconds = 0.4;
  SetCount(input, Reason::kTime, 8);
  WriterFacts& writers = input.writers;
  writers.span_seconds = 3600;
  writers.checkpointer = 400000;
  writers.bgwriter = 100000;
  writers.backend = 50000;
  writers.maxwritten_clean = 10;
  writers.backend_fsyncs = 0;
  writers.recent_backend_share = 0.1;
  writers.recent_maxwritten_clean = 1;
  writers.normal_share = 1;
  input.fpi_ratio = 0.3;
  input.wal_bytes = 10 * kGigabyte;
  input.recovery_wal_bytes = 1 * kGigabyte;
  input.wal_directory_bytes = 8 * kGigabyte;
  return input;
}

inline AdviceInput Forced() {
  AdviceInput input = WellTuned();
  input.settings.max_wal_size = 1 * kGigabyte;
  input.settings.checkpoint_timeout = 300;
  SetCount(input, Reason::kTime, 2);
  SetCount(input, Reason::kWal, 20);
  input.checkpoints.span_seconds = 3600;
  input.checkpoints.since_forced = 30;
  input.checkpoints.mean_interval = 50;
  input.checkpoints.wal_rate_p95 = 10 * kMegabyte;
  return input;
}

inline AdviceInput SlowSync() {
  AdviceInput input = WellTuned();
  input.checkpoints.slow_syncs = 2;
  input.checkpoints.longest_sync_phase = 14;
  return input;
}

inline AdviceInput BackendsWriting() {
  AdviceInput input = WellTuned();
  input.writers.backend = 500000;
  input.writers.recent_backend_share = 0.5;
  return input;
}

}  // namespace ckpt
