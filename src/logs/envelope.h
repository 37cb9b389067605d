// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/clock.h"
#include "logs/severity.h"
#include "logs/timestamp.h"

namespace ckpt::logs {

// One message of the server, out of whatever envelope it came in. The views point into the parsed
// line or the parser and are valid only while the sink is called. What a format does not tell is
// empty.
struct LogRecord {
  std::optional<UnixSeconds> time;
  std::optional<std::int64_t> pid;
  Severity severity = Severity::kUnknown;
  std::string_view severity_text;  // as printed, in the server's language
  std::string_view sqlstate;
  std::string_view backend_type;  // 13+: csvlog, jsonlog, %b
  std::string_view message;
  std::string_view detail;
  std::string_view hint;
  std::string_view function;  // log_error_verbosity=verbose: the server's C function
  bool is_session = false;    // it names a user or a database, so a client's session wrote it
};

class RecordSink {
 public:
  virtual ~RecordSink() = default;
  virtual void OnRecord(const LogRecord& record) = 0;
};

struct FormatOptions {
  // How to read zone abbreviations other than UTC and GMT; null: their times stay unknown.
  ZoneResolver zone;
  // The server's log_line_prefix, if known. Without it, prefixes are searched for what they hold.
  std::optional<std::string> log_line_prefix;
  // Bound of a record that spans lines.
  std::size_t max_record_bytes = std::size_t{1} << 20U;
};

// A line as it comes out of a transport.
struct TransportLine {
  std::string_view text;
  std::optional<UnixSeconds> received;  // by the container runtime or syslog
  std::optional<std::int64_t> pid;      // of the writer, where syslog tells it
};

enum class LineVerdict : std::uint8_t {
  kTaken,      // part of the format, whether or not it made a record
  kMalformed,  // not a line of this format, or a record that broke off
};

// Reads one log format, line by line. It passes on every record that may concern checkpoints or
// recovery, and few others: client sessions' records are dropped as early as the format allows.
// Threading: one thread at a time.
class FormatParser {
 public:
  virtual ~FormatParser() = default;
  virtual LineVerdict Line(const TransportLine& line, RecordSink& sink) = 0;
  // Forgets an unfinished record: the file was truncated or replaced.
  virtual void Reset() = 0;
};

struct LogFormat {
  std::string_view name;
  // Whether a line looks like the first of a record in this format.
  bool (*sniff)(std::string_view line);
  std::unique_ptr<FormatParser> (*make)(const FormatOptions& options);
};

bool IsCloudNativePgLine(std::string_view line);
std::unique_ptr<FormatParser> MakeCloudNativePgParser(const FormatOptions& options);
bool IsJsonLine(std::string_view line);
std::unique_ptr<FormatParser> MakeJsonParser(const FormatOptions& options);
bool IsCsvLine(std::string_view line);
std::unique_ptr<FormatParser> MakeCsvParser(const FormatOptions& options);
bool IsStderrLine(std::string_view line);
std::unique_ptr<FormatParser> MakeStderrParser(const FormatOptions& options);

// TABLE 4: log formats, the most particular first; stderr takes everything.
inline constexpr std::array<LogFormat, 4> kLogFormats{{
    {"cloudnativepg", &IsCloudNativePgLine, &MakeCloudNativePgParser},
    {"jsonlog", &IsJsonLine, &MakeJsonParser},
    {"csvlog", &IsCsvLine, &MakeCsvParser},
    {"stderr", &IsStderrLine, &MakeStderrParser},
}};

}  // namespace ckpt::logs
