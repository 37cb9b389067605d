// SPDX-License-Identifier: Apache-2.0
#include "sys/logging.h"

#include <spdlog/details/log_msg.h>
#include <spdlog/formatter.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <chrono>
#include <optional>
#include <utility>

namespace ckpt::sys {
namespace {

// The payload is a finished line: spdlog's own patterns do not escape, so JSON by pattern is not
// JSON.
class LineFormatter final : public spdlog::formatter {
 public:
  void format(const spdlog::details::log_msg& record, spdlog::memory_buf_t& out) override {
    out.append(record.payload.data(), record.payload.data() + record.payload.size());
    out.push_back('\n');
  }
  std::unique_ptr<spdlog::formatter> clone() const override {
    return std::make_unique<LineFormatter>();
  }
};

spdlog::level::level_enum SpdlogLevel(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug: return spdlog::level::debug;
    case LogLevel::kInfo: return spdlog::level::info;
    case LogLevel::kWarn: return spdlog::level::warn;
    case LogLevel::kError: return spdlog::level::err;
  }
  return spdlog::level::err;
}

std::string RepeatKey(LogLevel level, std::string_view message,
                      std::initializer_list<LogField> fields) {
  std::string key(LogLevelName(level));
  key.append("\n").append(message);
  for (const LogField& field : fields) {
    if (field.key == "target") key.append("\n").append(field.value);
  }
  return key;
}

}  // namespace

Logger::Logger(LogOutputFormat format, LogLevel least, const Clock& clock)
    : Logger(format, least, clock, std::make_shared<spdlog::sinks::stderr_sink_mt>()) {}

Logger::Logger(LogOutputFormat format, LogLevel least, const Clock& clock,
               std::shared_ptr<spdlog::sinks::sink> sink)
    : format_(format), least_(least), clock_(clock), sink_(std::move(sink)) {
  sink_->set_formatter(std::make_unique<LineFormatter>());
}

Logger::~Logger() = default;

void Logger::Log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields) {
  if (level < least_) return;
  try {
    std::uint64_t left_out = 0;
    if (!Admit(level, message, fields, left_out)) return;
    const std::string line = FormatRecord(format_, clock_.Wall(), level, message, fields,
                                          left_out > 0 ? std::optional(left_out) : std::nullopt);
    sink_->log(spdlog::details::log_msg(spdlog::string_view_t(), SpdlogLevel(level), line));
    sink_->flush();
  } catch (...) {
    // There is nowhere left to say it; the caller's work matters more than its record.
  }
}

bool Logger::Admit(LogLevel level, std::string_view message, std::initializer_list<LogField> fields,
                   std::uint64_t& left_out) {
  if (level == LogLevel::kDebug) return true;
  const MonotonicTime now = clock_.Monotonic();
  std::string key = RepeatKey(level, message, fields);
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = repeats_.find(key);
  if (found == repeats_.end()) {
    if (repeats_.size() >= kMostRemembered) ForgetOld(now);
    if (repeats_.size() < kMostRemembered) repeats_.emplace(std::move(key), Repeat{now});
    return true;
  }
  Repeat& repeat = found->second;
  if (std::chrono::duration<double>(now - repeat.written).count() < kRepeatSeconds) {
    ++repeat.left_out;
    return false;
  }
  left_out = std::exchange(repeat.left_out, 0);
  repeat.written = now;
  return true;
}

void Logger::ForgetOld(MonotonicTime now) {
  std::erase_if(repeats_, [now](const auto& entry) {
    return std::chrono::duration<double>(now - entry.second.written).count() >= kRepeatSeconds;
  });
}

}  // namespace ckpt::sys
