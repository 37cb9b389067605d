// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace ckpt {

enum class LogLevel : std::uint8_t { kDebug, kInfo, kWarn, kError };
inline constexpr LogLevel kLogLevels[] = {LogLevel::kDebug, LogLevel::kInfo, LogLevel::kWarn,
                                          LogLevel::kError};

// The word of --log.level and of the field `level`.
constexpr std::string_view LogLevelName(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug: return "debug";
    case LogLevel::kInfo: return "info";
    case LogLevel::kWarn: return "warn";
    case LogLevel::kError: return "error";
  }
  return "error";
}

// One key and value of a log record. The key is a name of ours ([a-z_]+); the value is any bytes.
// Both are only read during the call that they are passed to.
struct LogField {
  std::string_view key;
  std::string_view value;
};

// Where every room says what an operator should know; the real one writes to standard error.
// `message` is a constant sentence of ours: what varies goes into fields, so that repeats can be
// told and counted. The field `target` names the target that a record is about.
// Thread-safe, never throws, never blocks for long. Callers pass no secrets: they redact first.
class LogSink {
 public:
  virtual ~LogSink() = default;
  virtual void Log(LogLevel level, std::string_view message,
                   std::initializer_list<LogField> fields) = 0;
  void Log(LogLevel level, std::string_view message) { Log(level, message, {}); }
};

}  // namespace ckpt
