// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "core/clock.h"

namespace ckpt::logs {

// Seconds east of UTC that a time zone abbreviation stood for at a local time (seconds since the
// epoch as if the wall clock showed UTC); empty if it does not know. stderr and csvlog print times
// in log_timezone with an abbreviation such as CET, which alone names no offset.
using ZoneResolver = std::function<std::optional<std::int32_t>(std::string_view abbreviation,
                                                               std::int64_t local_seconds)>;

// A resolver that gives every abbreviation the same offset: for a log_timezone without summer time.
ZoneResolver FixedZone(std::int32_t seconds_east);

struct Timestamp {
  // Empty where the zone is an abbreviation that nobody can resolve: unknown rather than wrong.
  std::optional<UnixSeconds> time;
  bool has_fraction = false;  // false: known to the second only (%t)
  std::size_t length = 0;     // bytes it took, zone included
};

// Whether text begins with "YYYY-MM-DD HH:MM:SS" ('T' between date and time is good too).
bool LooksLikeTimestamp(std::string_view text);

// Parses the timestamp at the beginning of text: log_line_prefix's %m, %t and %s, csvlog's and
// jsonlog's times, and RFC 3339 as containers write it. The zone is UTC, GMT, Z, a number (+03,
// -0330, +05:30) or an abbreviation for `resolve` (which may be null). Empty if text begins with
// none, or with an impossible date.
std::optional<Timestamp> ParseTimestamp(std::string_view text, const ZoneResolver& resolve);

// Parses log_line_prefix's %n, "1796074039.468", at the beginning of text.
std::optional<Timestamp> ParseEpoch(std::string_view text);

// The better of a record's own time and the time at which a container runtime or syslog received
// it: the record's, unless that is known to the second only and the other falls into that second
// or the next.
std::optional<UnixSeconds> BetterTime(const std::optional<Timestamp>& own,
                                      std::optional<UnixSeconds> received);

}  // namespace ckpt::logs
