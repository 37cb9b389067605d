// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace ckpt::logs {

// Character classes without a locale. A log's bytes may be in any character set; these only ever
// say yes to ASCII.
constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }
constexpr bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool IsUpperHex(char c) { return IsDigit(c) || (c >= 'A' && c <= 'F'); }
constexpr bool IsAscii(char c) { return static_cast<unsigned char>(c) < 0x80; }

// The whole of text as a non-negative decimal number of at most 18 digits.
constexpr std::optional<std::int64_t> ParseDecimal(std::string_view text) {
  if (text.empty() || text.size() > 18) return std::nullopt;
  std::int64_t value = 0;
  for (const char c : text) {
    if (!IsDigit(c)) return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value;
}

}  // namespace ckpt::logs
