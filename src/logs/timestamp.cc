// SPDX-License-Identifier: Apache-2.0
#include "logs/timestamp.h"

#include <chrono>

#include "logs/ascii.h"

namespace ckpt::logs {
namespace {

constexpr std::size_t kDateTimeLength = 19;  // YYYY-MM-DD HH:MM:SS

// The number in text[begin, begin + digits); REQUIRES: they are digits.
int Number(std::string_view text, std::size_t begin, std::size_t digits) {
  int value = 0;
  for (const char c : text.substr(begin, digits)) value = value * 10 + (c - '0');
  return value;
}

bool AreDigits(std::string_view text, std::size_t begin, std::size_t count) {
  if (text.size() < begin + count) return false;
  for (const char c : text.substr(begin, count)) {
    if (!IsDigit(c)) return false;
  }
  return true;
}

struct Zone {
  std::optional<std::int32_t> seconds_east;
  std::size_t length = 0;
};

// A numeric zone: +03, -0330, +05:30. REQUIRES: text begins with a sign.
std::optional<Zone> ParseNumericZone(std::string_view text) {
  if (!AreDigits(text, 1, 2)) return std::nullopt;
  int seconds = Number(text, 1, 2) * 3600;
  std::size_t length = 3;
  const std::size_t minutes = text.size() > 3 && text[3] == ':' ? 4 : 3;
  if (AreDigits(text, minutes, 2)) {
    seconds += Number(text, minutes, 2) * 60;
    length = minutes + 2;
  }
  return Zone{text[0] == '-' ? -seconds : seconds, length};
}

Zone ParseZone(std::string_view text, std::int64_t local_seconds, const ZoneResolver& resolve) {
  if (text.empty()) return {};
  if (text[0] == '+' || text[0] == '-') return ParseNumericZone(text).value_or(Zone{});
  std::size_t length = 0;
  while (length < text.size() && IsLetter(text[length])) ++length;
  const std::string_view name = text.substr(0, length);
  if (name == "UTC" || name == "GMT" || name == "Z") return {0, length};
  if (length == 0 || !resolve) return {std::nullopt, length};
  return {resolve(name, local_seconds), length};
}

}  // namespace

ZoneResolver FixedZone(std::int32_t seconds_east) {
  return [seconds_east](std::string_view, std::int64_t) { return seconds_east; };
}

bool LooksLikeTimestamp(std::string_view text) {
  return text.size() >= kDateTimeLength && text[4] == '-' && text[7] == '-' && text[13] == ':' &&
         text[16] == ':' && (text[10] == ' ' || text[10] == 'T') && AreDigits(text, 0, 4) &&
         AreDigits(text, 5, 2) && AreDigits(text, 8, 2) && AreDigits(text, 11, 2) &&
         AreDigits(text, 14, 2) && AreDigits(text, 17, 2);
}

std::optional<Timestamp> ParseTimestamp(std::string_view text, const ZoneResolver& resolve) {
  if (!LooksLikeTimestamp(text)) return std::nullopt;
  const std::chrono::year_month_day date{
      std::chrono::year{Number(text, 0, 4)},
      std::chrono::month{static_cast<unsigned>(Number(text, 5, 2))},
      std::chrono::day{static_cast<unsigned>(Number(text, 8, 2))}};
  const int hour = Number(text, 11, 2);
  const int minute = Number(text, 14, 2);
  const int second = Number(text, 17, 2);
  if (!date.ok() || hour > 23 || minute > 59 || second > 60) return std::nullopt;
  const std::int64_t days = std::chrono::sys_days{date}.time_since_epoch().count();
  const std::int64_t local =
      days * 86400 + std::int64_t{hour} * 3600 + std::int64_t{minute} * 60 + second;

  Timestamp result;
  result.length = kDateTimeLength;
  double fraction = 0;
  if (text.size() > result.length + 1 && text[result.length] == '.' &&
      IsDigit(text[result.length + 1])) {
    result.has_fraction = true;
    ++result.length;
    double unit = 0.1;
    for (; result.length < text.size() && IsDigit(text[result.length]); ++result.length) {
      fraction += unit * (text[result.length] - '0');
      unit /= 10;
    }
  }
  // One space stands before the zone, but RFC 3339 has none.
  const bool spaced = text.size() > result.length && text[result.length] == ' ';
  const std::size_t zone_begin = result.length + (spaced ? 1 : 0);
  const Zone zone = ParseZone(text.substr(zone_begin), local, resolve);
  if (zone.length != 0) result.length = zone_begin + zone.length;
  if (zone.seconds_east) {
    result.time = static_cast<double>(local - *zone.seconds_east) + fraction;
  }
  return result;
}

std::optional<Timestamp> ParseEpoch(std::string_view text) {
  constexpr std::size_t kSecondsDigits = 10;  // 2001 to 2286
  constexpr std::size_t kLength = kSecondsDigits + 4;
  if (!AreDigits(text, 0, kSecondsDigits) || text.size() < kLength || text[kSecondsDigits] != '.' ||
      !AreDigits(text, kSecondsDigits + 1, 3)) {
    return std::nullopt;
  }
  if (text.size() > kLength && IsDigit(text[kLength])) return std::nullopt;
  std::int64_t milliseconds = 0;
  for (const char c : text.substr(0, kLength)) {
    if (c != '.') milliseconds = milliseconds * 10 + (c - '0');
  }
  return Timestamp{static_cast<double>(milliseconds) / 1000, true, kLength};
}

std::optional<UnixSeconds> BetterTime(const std::optional<Timestamp>& own,
                                      std::optional<UnixSeconds> received) {
  if (!own || !own->time) return received;
  if (own->has_fraction || !received) return own->time;
  return *received >= *own->time && *received < *own->time + 2 ? received : own->time;
}

}  // namespace ckpt::logs
