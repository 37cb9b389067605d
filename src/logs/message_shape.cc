// SPDX-License-Identifier: Apache-2.0
#include "logs/message_shape.h"

#include "logs/ascii.h"
#include "logs/timestamp.h"

namespace ckpt::logs {
namespace {

constexpr std::size_t kMaxHexDigits = 8;

bool IsPathByte(char c) { return IsLetter(c) || IsDigit(c) || c == '/' || c == '_' || c == '.'; }

std::uint64_t ParseHex(std::string_view text) {
  std::uint64_t value = 0;
  for (const char c : text) {
    value = value * 16 + static_cast<std::uint64_t>(IsDigit(c) ? c - '0' : c - 'A' + 10);
  }
  return value;
}

// The LSN whose '/' is at `slash`; kOther if there is none.
NumberToken LsnAround(std::string_view text, std::size_t slash) {
  NumberToken token;
  std::size_t begin = slash;
  while (begin > 0 && IsUpperHex(text[begin - 1])) --begin;
  std::size_t end = slash + 1;
  while (end < text.size() && IsUpperHex(text[end])) ++end;
  const std::size_t high = slash - begin;
  const std::size_t low = end - slash - 1;
  if (high == 0 || high > kMaxHexDigits || low == 0 || low > kMaxHexDigits) return token;
  if (begin > 0 && IsPathByte(text[begin - 1])) return token;
  // A full stop may end the sentence, but not go on as a file name does.
  if (end < text.size() && IsPathByte(text[end]) &&
      (text[end] != '.' || (end + 1 < text.size() && text[end + 1] != ' '))) {
    return token;
  }
  token.kind = NumberToken::Kind::kLsn;
  token.integer = static_cast<std::int64_t>((ParseHex(text.substr(begin, high)) << 32U) |
                                            ParseHex(text.substr(slash + 1, low)));
  token.begin = begin;
  token.end = end;
  return token;
}

std::size_t DigitsEnd(std::string_view text, std::size_t at) {
  while (at < text.size() && IsDigit(text[at])) ++at;
  return at;
}

bool IsFraction(std::string_view text, std::size_t at) {
  return at + 1 < text.size() && (text[at] == '.' || text[at] == ',') && IsDigit(text[at + 1]);
}

// The number whose first digit is at `begin`.
NumberToken NumberAt(std::string_view text, std::size_t begin) {
  NumberToken token;
  token.begin = begin;
  const std::size_t whole_end = DigitsEnd(text, begin);
  token.end = whole_end;
  if (!IsFraction(text, whole_end)) {
    if (const auto value = ParseDecimal(text.substr(begin, whole_end - begin))) {
      token.kind = NumberToken::Kind::kInteger;
      token.integer = *value;
    }
  } else {
    const std::size_t fraction = whole_end + 1;
    token.end = DigitsEnd(text, fraction);
    const auto high = ParseDecimal(text.substr(begin, whole_end - begin));
    const auto low = ParseDecimal(text.substr(fraction, token.end - fraction));
    if (IsFraction(text, token.end)) {
      while (IsFraction(text, token.end)) token.end = DigitsEnd(text, token.end + 1);
    } else if (high && low && token.end - begin <= 16) {
      token.kind = NumberToken::Kind::kDecimal;
      token.fraction_digits = static_cast<int>(token.end - fraction);
      token.integer = *high;
      for (int digit = 0; digit < token.fraction_digits; ++digit) token.integer *= 10;
      token.integer += *low;
    }
  }
  token.percent = token.end < text.size() && text[token.end] == '%';
  return token;
}

bool Matches(const NumberToken& token, char wanted) {
  using Kind = NumberToken::Kind;
  switch (wanted) {
    case 'i': return token.kind == Kind::kInteger && !token.percent;
    case 'p': return token.kind == Kind::kDecimal && token.fraction_digits == 1 && token.percent;
    case 'l': return token.kind == Kind::kLsn;
    case 't': return token.kind == Kind::kTimestamp;
    default:
      return token.kind == Kind::kDecimal && token.fraction_digits == wanted - '0' &&
             !token.percent;
  }
}

}  // namespace

double NumberToken::Decimal() const {
  double scale = 1;
  for (int digit = 0; digit < fraction_digits; ++digit) scale *= 10;
  return static_cast<double>(integer) / scale;
}

bool MessageShape::Is(std::string_view pattern) const {
  if (overflow || count != pattern.size()) return false;
  for (std::size_t i = 0; i < count; ++i) {
    if (!Matches(tokens[i], pattern[i])) return false;
  }
  return true;
}

MessageShape ShapeOf(std::string_view text) {
  MessageShape shape;
  std::size_t at = 0;
  while (at < text.size()) {
    const char c = text[at];
    NumberToken token;
    if (c == '/') {
      token = LsnAround(text, at);
      if (token.kind != NumberToken::Kind::kLsn) {
        ++at;
        continue;
      }
      // Its first half may have passed for an integer.
      while (shape.count > 0 && shape.tokens[shape.count - 1].end > token.begin) --shape.count;
    } else if (IsDigit(c)) {
      if (at > 0 && (IsLetter(text[at - 1]) || text[at - 1] == '_')) {
        at = DigitsEnd(text, at);
        continue;
      }
      if (LooksLikeTimestamp(text.substr(at))) {
        const auto stamp = ParseTimestamp(text.substr(at), nullptr);
        token.kind = NumberToken::Kind::kTimestamp;
        token.begin = at;
        token.end = at + (stamp ? stamp->length : 19);
      } else {
        token = NumberAt(text, at);
      }
    } else {
      ++at;
      continue;
    }
    at = token.end;
    if (shape.count == MessageShape::kMaxTokens) {
      shape.overflow = true;
      return shape;
    }
    shape.tokens[shape.count++] = token;
  }
  return shape;
}

}  // namespace ckpt::logs
