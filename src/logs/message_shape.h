// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ckpt::logs {

// A number in a message's text, whatever the language around it.
struct NumberToken {
  enum class Kind : std::uint8_t {
    kInteger,
    kDecimal,    // with '.' or ',' between
    kLsn,        // X/X, as a byte position
    kTimestamp,  // YYYY-MM-DD HH:MM:SS...
    kOther,      // digits of another form: 1.2.3, or more than 18 of them
  };
  Kind kind = Kind::kOther;
  std::int64_t integer = 0;  // kInteger, kLsn; kDecimal: without its separator (0.119 is 119)
  int fraction_digits = 0;   // kDecimal
  bool percent = false;      // followed by '%'
  std::size_t begin = 0;
  std::size_t end = 0;

  double Decimal() const;
};

// The numbers of a message in their order. A translation changes words and never this order, so it
// identifies a message in every language, even where a conversion to ASCII has turned all words
// into question marks.
struct MessageShape {
  static constexpr std::size_t kMaxTokens = 20;
  std::array<NumberToken, kMaxTokens> tokens{};
  std::size_t count = 0;
  bool overflow = false;  // there were more

  // Whether the numbers are exactly these: 'i' integer, '1' '2' '3' decimal of so many digits,
  // 'p' percentage with one decimal digit, 'l' LSN, 't' timestamp.
  bool Is(std::string_view pattern) const;
};

// Digits that belong to a word (i18n, PG15) or a path are no numbers.
MessageShape ShapeOf(std::string_view text);

}  // namespace ckpt::logs
