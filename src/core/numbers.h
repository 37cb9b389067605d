// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>

// Numbers from the text that a server sends. Independent of the locale; the whole text must be the
// number, else the answer is empty.
namespace ckpt {

inline std::optional<std::int64_t> ParseInt(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Infinity and NaN, which PostgreSQL can print, are no values either.
inline std::optional<double> ParseReal(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

// A pg_lsn ("16/B374D848", from 19 "0/0000001A") as a byte position.
inline std::optional<std::int64_t> ParseLsn(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto parse_half = [](std::string_view half) -> std::optional<std::uint32_t> {
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(half.data(), half.data() + half.size(), value, 16);
    if (error != std::errc() || end != half.data() + half.size()) return std::nullopt;
    return value;
  };
  const auto high = parse_half(text.substr(0, slash));
  const auto low = parse_half(text.substr(slash + 1));
  if (!high || !low) return std::nullopt;
  const std::uint64_t position = (static_cast<std::uint64_t>(*high) << 32U) | *low;
  if (position > static_cast<std::uint64_t>(INT64_MAX)) return std::nullopt;
  return static_cast<std::int64_t>(position);
}

}  // namespace ckpt
