// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "core/log_news.h"
#include "core/log_sink.h"
#include "logs/checkpoint_tracker.h"
#include "logs/log_reader.h"

namespace ckpt::app {

// What reading a log must know of its server; learnt from the server by pulse and survey.
struct LogContext {
  std::optional<std::string> line_prefix;   // setting log_line_prefix
  std::optional<std::int32_t> zone_offset;  // of log_timezone now, seconds east of UTC
  std::optional<std::int64_t> checkpointer_pid;
  std::optional<bool> in_recovery;
  friend bool operator==(const LogContext&, const LogContext&) = default;
};

// Follows one server's log: source -> reader -> tracker. Owns all three. One thread at a time;
// memory is bounded by the parts'. Problems of the source are logged when they begin and end.
class LogFollower {
 public:
  // `format`: a name of logs::kLogFormats, or empty to find out. `line_prefix` overrides the
  // server's.
  LogFollower(std::string target, std::unique_ptr<LogSource> source, std::string format,
              std::optional<std::string> line_prefix, LogSink* log);

  void SetContext(const LogContext& context);

  // Reads a bounded amount and returns what it told.
  LogNews Step();
  // Whether the last step stopped at its bound and more is waiting.
  bool more() const { return more_; }

 private:
  void MakeReader();

  const std::string target_;
  const std::unique_ptr<LogSource> source_;
  const std::string format_;
  const std::optional<std::string> own_prefix_;
  LogSink* const log_;
  LogContext context_;
  std::unique_ptr<logs::LogReader> reader_;
  logs::LogReaderStats earlier_;  // of readers before the present one
  logs::CheckpointTracker tracker_;
  std::uint64_t warnings_told_ = 0;
  std::string file_;
  bool reading_ = false;
  bool more_ = false;
};

// Where the thread that reads logs and the thread that polls the target meet. Thread-safe; bounded:
// news that nobody takes are cut to the newest.
class LogMailbox {
 public:
  void Post(LogNews news);
  // What came since the last call; empty when nothing did.
  std::optional<LogNews> Take();
  void SetContext(const LogContext& context);
  LogContext context() const;

 private:
  static constexpr std::size_t kMostEvents = 2000;
  mutable std::mutex mutex_;
  std::optional<LogNews> news_;  // guarded by mutex_
  LogContext context_;           // guarded by mutex_
};

}  // namespace ckpt::app
