// SPDX-License-Identifier: Apache-2.0
#include "core/amounts.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string_view>

namespace ckpt {
namespace {

constexpr double kKilo = 1024.0;

std::string Whole(double value) {
  std::array<char, 32> buffer{};
  const auto result =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), static_cast<std::int64_t>(value));
  return {buffer.data(), result.ptr};
}

// At most three significant digits, never an exponent.
std::string ThreeDigits(double value) {
  if (value >= 99.95) return NumberText(value);
  return NumberText(value, value >= 9.995 ? 1 : 2);
}

bool Sane(double value) { return std::isfinite(value) && value >= 0 && value < 9e18; }

}  // namespace

std::string NumberText(double value, int decimals) {
  if (!std::isfinite(value) || std::abs(value) >= 9e18) return "?";
  std::array<char, 64> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                    std::chars_format::fixed, decimals);
  std::string text(buffer.data(), result.ptr);
  if (decimals > 0) {
    while (text.back() == '0') text.pop_back();
    if (text.back() == '.') text.pop_back();
  }
  return text;
}

std::string BytesText(double bytes) {
  if (!Sane(bytes)) return "?";
  constexpr std::array<std::string_view, 6> kUnits{"B", "kB", "MB", "GB", "TB", "PB"};
  std::size_t unit = 0;
  while (bytes >= 999.5 && unit + 1 < kUnits.size()) {
    bytes /= kKilo;
    ++unit;
  }
  return ThreeDigits(bytes) + " " + std::string(kUnits[unit]);
}

std::string DurationText(double seconds) {
  if (!Sane(seconds)) return "?";
  if (seconds < 1) return NumberText(seconds * 1000, seconds < 0.01 ? 1 : 0) + " ms";
  if (seconds < 120) return ThreeDigits(seconds) + " s";
  if (seconds < 7200) return NumberText(seconds / 60, 1) + " min";
  if (seconds < 2 * 86400) return NumberText(seconds / 3600, 1) + " h";
  return NumberText(seconds / 86400, 1) + " days";
}

std::string PercentText(double ratio) {
  return NumberText(ratio * 100, std::abs(ratio) < 0.0995 ? 1 : 0) + " %";
}

std::string SizeSetting(double bytes) {
  if (!Sane(bytes)) return "?";
  const double kilobytes = std::floor(bytes / kKilo);
  if (kilobytes >= 1 && std::fmod(kilobytes, kKilo * kKilo) == 0) {
    return Whole(kilobytes / kKilo / kKilo) + "GB";
  }
  if (kilobytes >= 1 && std::fmod(kilobytes, kKilo) == 0) return Whole(kilobytes / kKilo) + "MB";
  return Whole(kilobytes) + "kB";
}

std::string TimeSetting(double seconds) {
  if (!Sane(seconds)) return "?";
  if (seconds >= 60 && std::fmod(seconds, 60) == 0) return Whole(seconds / 60) + "min";
  if (std::fmod(seconds, 1) == 0) return Whole(seconds) + "s";
  return Whole(std::round(seconds * 1000)) + "ms";
}

}  // namespace ckpt
