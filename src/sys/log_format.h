// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "core/clock.h"
#include "core/log_sink.h"

namespace ckpt::sys {

// The two spellings of --log.format.
enum class LogOutputFormat : std::uint8_t { kLogfmt, kJson };
std::optional<LogOutputFormat> ParseLogOutputFormat(std::string_view word);

// The words of --log.level.
std::optional<LogLevel> ParseLogLevel(std::string_view word);

// RFC 3339 in UTC with milliseconds: 2026-11-30T22:28:00.123Z. Years 0 to 9999; others are cut off
// to these.
std::string FormatTimestamp(UnixSeconds wall);

// One record as one line without its line end. Bytes that are not UTF-8 become U+FFFD, control
// characters are escaped, so that a record is always one line and always parses:
// logfmt: ts=... level=info msg="..." key=value   (quoted where it must be, escapes as in JSON)
// JSON:   {"ts":"...","level":"info","msg":"...","key":"value"}
// Values over 4 kB are cut. Of two equal keys both are written.
std::string FormatRecord(LogOutputFormat format, UnixSeconds wall, LogLevel level,
                         std::string_view message, std::initializer_list<LogField> fields,
                         std::optional<std::uint64_t> repeated = std::nullopt);

}  // namespace ckpt::sys
