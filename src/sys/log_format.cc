// SPDX-License-Identifier: Apache-2.0
#include "sys/log_format.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>

namespace ckpt::sys {
namespace {

using std::string_view;

constexpr std::size_t kLongestValue = 4096;
constexpr string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

// The length of the UTF-8 sequence at the front of `text`; 0 if it is not one. Surrogates and
// overlong forms are not UTF-8.
std::size_t SequenceLength(string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
  unsigned char low = 0x80;
  unsigned char high = 0xBF;
  if (lead == 0xE0) low = 0xA0;
  if (lead == 0xED) high = 0x9F;
  if (lead == 0xF0) low = 0x90;
  if (lead == 0xF4) high = 0x8F;
  if (byte(1) < low || byte(1) > high) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return 0;
  }
  return length;
}

void AppendEscaped(string_view text, std::string& out) {
  constexpr string_view kHex = "0123456789abcdef";
  while (!text.empty()) {
    const std::size_t length = SequenceLength(text);
    const char c = text.front();
    const auto byte = static_cast<unsigned char>(c);
    if (length == 0) {
      out += kReplacement;
    } else if (length > 1) {
      out += text.substr(0, length);
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\t') {
      out += "\\t";
    } else if (byte < 0x20 || byte == 0x7F) {
      out += "\\u00";
      out += kHex[byte >> 4U];
      out += kHex[byte & 15U];
    } else {
      out += c;
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
}

void AppendQuoted(string_view text, std::string& out) {
  out += '"';
  AppendEscaped(text.substr(0, kLongestValue), out);
  if (text.size() > kLongestValue) out += "...";
  out += '"';
}

bool NeedsQuotes(string_view text) {
  return text.empty() || text.size() > kLongestValue ||
         std::any_of(text.begin(), text.end(), [](char c) {
           return static_cast<unsigned char>(c) <= ' ' || static_cast<unsigned char>(c) >= 0x7F ||
                  c == '"' || c == '=' || c == '\\';
         });
}

// Writes key and value pairs in one of the two formats.
class RecordWriter {
 public:
  explicit RecordWriter(LogOutputFormat format) : json_(format == LogOutputFormat::kJson) {
    if (json_) line_ += '{';
  }
  void Text(string_view key, string_view value) {
    Key(key);
    if (json_ || NeedsQuotes(value)) {
      AppendQuoted(value, line_);
    } else {
      line_ += value;
    }
  }
  void Number(string_view key, std::uint64_t value) {
    Key(key);
    line_ += std::to_string(value);
  }
  std::string Finish() {
    if (json_) line_ += '}';
    return std::move(line_);
  }

 private:
  void Key(string_view key) {
    if (!first_) line_ += json_ ? ',' : ' ';
    first_ = false;
    if (json_) {
      AppendQuoted(key, line_);
      line_ += ':';
    } else {
      for (const char c : key) line_ += NeedsQuotes({&c, 1}) ? '_' : c;
      line_ += '=';
    }
  }

  bool json_;
  bool first_ = true;
  std::string line_;
};

}  // namespace

std::optional<LogOutputFormat> ParseLogOutputFormat(string_view word) {
  if (word == "logfmt") return LogOutputFormat::kLogfmt;
  if (word == "json") return LogOutputFormat::kJson;
  return std::nullopt;
}

std::optional<LogLevel> ParseLogLevel(string_view word) {
  for (const LogLevel level : kLogLevels) {
    if (LogLevelName(level) == word) return level;
  }
  return std::nullopt;
}

std::string FormatTimestamp(UnixSeconds wall) {
  using std::chrono::milliseconds;
  constexpr double kFirst = -62167219200.0;  // 0000-01-01
  constexpr double kLast = 253402300799.0;   // 9999-12-31T23:59:59
  const double bounded = std::isnan(wall) ? 0.0 : std::clamp(wall, kFirst, kLast);
  const std::chrono::sys_time<milliseconds> time{
      milliseconds(static_cast<std::int64_t>(std::floor(bounded * 1000.0)))};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss<milliseconds> clock(time - day);

  std::string text;
  const auto append = [&text](std::int64_t number, std::size_t width, const char* after) {
    char digits[20];
    const auto end = std::to_chars(std::begin(digits), std::end(digits), number).ptr;
    const auto length = static_cast<std::size_t>(end - digits);
    text.append(length < width ? width - length : 0, '0').append(digits, length).append(after);
  };
  append(static_cast<int>(date.year()), 4, "-");
  append(static_cast<unsigned>(date.month()), 2, "-");
  append(static_cast<unsigned>(date.day()), 2, "T");
  append(clock.hours().count(), 2, ":");
  append(clock.minutes().count(), 2, ":");
  append(clock.seconds().count(), 2, ".");
  append(clock.subseconds().count(), 3, "Z");
  return text;
}

std::string FormatRecord(LogOutputFormat format, UnixSeconds wall, LogLevel level,
                         string_view message, std::initializer_list<LogField> fields,
                         std::optional<std::uint64_t> repeated) {
  RecordWriter writer(format);
  writer.Text("ts", FormatTimestamp(wall));
  writer.Text("level", LogLevelName(level));
  writer.Text("msg", message);
  for (const LogField& field : fields) writer.Text(field.key, field.value);
  if (repeated) writer.Number("repeated", *repeated);
  return writer.Finish();
}

}  // namespace ckpt::sys
