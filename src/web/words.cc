// SPDX-License-Identifier: Apache-2.0
#include "web/words.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>

namespace ckpt::web {
namespace {

std::string Fixed(double value, int decimals) {
  // Holds every value below 1e40, beyond anything that is counted in bytes, seconds or buffers.
  std::array<char, 64> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value,
                                          std::chars_format::fixed, decimals);
  return error == std::errc() ? std::string(text.data(), end) : std::string("?");
}

std::string TwoDigits(std::int64_t value) {
  return (value < 10 ? "0" : "") + std::to_string(value);
}

}  // namespace

std::string LsnText(std::int64_t position) {
  const auto value = static_cast<std::uint64_t>(position);
  std::array<char, 17> text{};
  char* end = std::to_chars(text.data(), text.data() + 8, value >> 32U, 16).ptr;
  *end++ = '/';
  end = std::to_chars(end, end + 8, value & 0xFFFFFFFFU, 16).ptr;
  std::transform(text.data(), end, text.data(),
                 [](char c) { return c >= 'a' ? static_cast<char>(c - 'a' + 'A') : c; });
  return {text.data(), end};
}

std::string VersionText(ServerVersion version) {
  return std::to_string(version.major()) + "." + std::to_string(version.minor());
}

std::vector<std::string_view> FlagWords(CheckpointFlags flags) {
  std::vector<std::string_view> words;
  CheckpointFlags told;
  for (const FlagWord& word : kFlagWords) {
    if (!flags.Has(word.flag) || told.Has(word.flag)) continue;
    told.Add(word.flag);
    words.push_back(word.word);
  }
  return words;
}

std::string BytesText(double bytes) {
  constexpr std::array<std::string_view, 6> kUnits{"B", "kB", "MB", "GB", "TB", "PB"};
  std::size_t unit = 0;
  // 1023.6 would be printed as 1024.
  while (std::abs(bytes) >= 999.5 && unit + 1 < kUnits.size()) {
    bytes /= 1024;
    ++unit;
  }
  const double size = std::abs(bytes);
  const int decimals = unit == 0 || size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2;
  return Fixed(bytes, decimals) + " " + std::string(kUnits[unit]);
}

std::string SecondsText(double seconds) {
  seconds = std::max(seconds, 0.0);
  if (seconds < 0.1) return Fixed(seconds, 3) + " s";
  if (seconds < 9.95) return Fixed(seconds, 1) + " s";
  if (seconds < 59.5) return Fixed(seconds, 0) + " s";
  if (!(seconds < 1e15)) return "?";
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  const std::int64_t hours = whole / 3600;
  const std::string minutes =
      hours > 0 ? TwoDigits(whole / 60 % 60) : std::to_string(whole / 60 % 60);
  return (hours > 0 ? std::to_string(hours) + ":" : "") + minutes + ":" + TwoDigits(whole % 60);
}

std::string MillisecondsText(double seconds) {
  if (seconds >= 0.9995) return SecondsText(seconds);
  const double ms = std::max(seconds, 0.0) * 1000;
  return Fixed(ms, ms < 0.995 ? 2 : ms < 9.95 ? 1 : 0) + " ms";
}

std::string FactorText(double factor) { return Fixed(factor, factor < 9.95 ? 1 : 0); }

std::string AboutText(double seconds) {
  seconds = std::max(seconds, 0.0);
  if (seconds < 90) return Fixed(seconds, 0) + " s";
  if (seconds < 90 * 60) return Fixed(seconds / 60, 0) + " min";
  if (seconds < 48 * 3600.0) return Fixed(seconds / 3600, 0) + " h";
  return Fixed(seconds / 86400, 0) + " days";
}

std::string CountText(double count) {
  std::string text = Fixed(count, 0);
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  for (std::size_t at = text.size(); at > first + 3;) text.insert(at -= 3, ",");
  return text;
}

std::string PercentText(double ratio) {
  const double percent = ratio * 100;
  return Fixed(percent, percent > 0 && percent < 9.95 ? 1 : 0) + " %";
}

std::string TimestampText(double time) {
  // Years 0000 to 9999, which is all that the format has.
  if (!(time >= -62'167'219'200.0 && time < 253'402'300'800.0)) return "?";
  const std::chrono::sys_seconds seconds{
      std::chrono::seconds(static_cast<std::int64_t>(std::floor(time)))};
  const auto day = std::chrono::floor<std::chrono::days>(seconds);
  const std::chrono::year_month_day date(day);
  const std::int64_t of_day = (seconds - day).count();
  const std::string year = std::to_string(static_cast<int>(date.year()));
  std::string text(4 - year.size(), '0');
  text += year + "-" + TwoDigits(static_cast<unsigned>(date.month())) + "-" +
          TwoDigits(static_cast<unsigned>(date.day()));
  text += "T" + TwoDigits(of_day / 3600) + ":" + TwoDigits(of_day / 60 % 60) + ":" +
          TwoDigits(of_day % 60) + "Z";
  return text;
}

}  // namespace ckpt::web
