// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/clock.h"
#include "core/log_sink.h"
#include "sys/log_format.h"

namespace spdlog::sinks {
class sink;
}

namespace ckpt::sys {

// The real LogSink: one line a record to standard error, for systemd or a container to collect.
//
// A record that repeats (same level, message and target) is written at most once a minute; the next
// one then carries repeated=N, the number of those left out, so that a server that is down for a
// day does not fill a disk and the first record still comes at once. Debug is never held back. At
// most kMostRemembered records are remembered; when they are all recent, new ones are simply
// written.
//
// Thread-safe; Log never throws, and loses a record rather than block on memory. The clock must
// outlive it.
class Logger final : public LogSink {
 public:
  static constexpr double kRepeatSeconds = 60.0;
  static constexpr std::size_t kMostRemembered = 4096;

  // To standard error.
  Logger(LogOutputFormat format, LogLevel least, const Clock& clock);
  // To a sink of spdlog's; for tests.
  Logger(LogOutputFormat format, LogLevel least, const Clock& clock,
         std::shared_ptr<spdlog::sinks::sink> sink);
  ~Logger() override;

  using LogSink::Log;
  void Log(LogLevel level, std::string_view message,
           std::initializer_list<LogField> fields) override;

 private:
  struct Repeat {
    MonotonicTime written;
    std::uint64_t left_out = 0;
  };

  // Whether to write now; `left_out` is how many before it were not.
  bool Admit(LogLevel level, std::string_view message, std::initializer_list<LogField> fields,
             std::uint64_t& left_out);
  void ForgetOld(MonotonicTime now);

  const LogOutputFormat format_;
  const LogLevel least_;
  const Clock& clock_;
  const std::shared_ptr<spdlog::sinks::sink> sink_;
  std::mutex mutex_;
  std::unordered_map<std::string, Repeat> repeats_;  // guarded by mutex_
};

}  // namespace ckpt::sys
