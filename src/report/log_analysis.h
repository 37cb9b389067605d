// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/advice.h"
#include "logs/checkpoint_tracker.h"
#include "logs/log_reader.h"

namespace ckpt::report {

// One line of `pgbench -P`: seconds since the start, transactions per second, latency in seconds.
struct BenchSample {
  double at = 0;
  double tps = 0;
  double latency_seconds = 0;
};

// What finished logs of one server tell. Immutable once finished.
struct LogAnalysis {
  std::vector<CheckpointEvent> checkpoints;  // in the order of the log; failed ones too
  std::vector<RecoveryEvent> recoveries;
  std::uint64_t too_frequent_warnings = 0;
  std::vector<std::string> formats;  // of each file
  logs::LogReaderStats stats;
  std::optional<UnixSeconds> first, last;  // of the checkpoints' starts and ends

  // Completed ones of this kind.
  std::vector<CheckpointEvent> Completed(EventKind kind) const;
  // What the operator says the server's settings were; a log does not tell them.
  Settings settings;
  // What advice can look at. Rules whose settings are not known keep silent.
  AdviceInput Input() const;
};

// Reads logs of one server, file after file, in the order of time. Pure: the caller reads files.
// Memory: one event a checkpoint. Threading: one thread at a time.
class LogAnalyzer {
 public:
  // `zone_offset`: of times whose zone abbreviation is not UTC, seconds east.
  explicit LogAnalyzer(std::optional<std::int32_t> zone_offset);

  void NextFile();
  void Feed(std::string_view bytes);
  LogAnalysis Finish();

 private:
  void Take(const std::vector<logs::LogEvent>& events);

  logs::LogReader reader_;
  logs::CheckpointTracker tracker_;
  LogAnalysis result_;
  bool in_file_ = false;
};

// Reads the output of `pgbench -P`; other lines are passed over.
std::vector<BenchSample> ReadBench(std::string_view text);

}  // namespace ckpt::report
