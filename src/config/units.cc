// SPDX-License-Identifier: Apache-2.0
#include "config/units.h"

#include <array>
#include <charconv>
#include <system_error>

namespace ckpt::config {
namespace {

using std::string_view;

struct Unit {
  string_view name;
  std::int64_t factor;
};
// TABLES: the largest unit first.
constexpr std::array<Unit, 5> kDurationUnits{
    {{"d", 86'400'000}, {"h", 3'600'000}, {"m", 60'000}, {"s", 1000}, {"ms", 1}}};
constexpr std::array<Unit, 5> kSizeUnits{{{"TB", std::int64_t{1} << 40U},
                                          {"GB", std::int64_t{1} << 30U},
                                          {"MB", std::int64_t{1} << 20U},
                                          {"kB", std::int64_t{1} << 10U},
                                          {"B", 1}}};

// A number followed by a unit, taken off the front of `text`.
struct Term {
  std::int64_t number = 0;
  std::size_t unit = 0;
};
std::optional<Term> TakeTerm(string_view& text, const std::array<Unit, 5>& units) {
  if (text.empty() || text.front() < '0' || text.front() > '9') return std::nullopt;
  Term term;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), term.number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  const std::size_t letters = std::min(text.find_first_of("0123456789"), text.size());
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (units[i].name != text.substr(0, letters)) continue;
    term.unit = i;
    text.remove_prefix(letters);
    return term;
  }
  return std::nullopt;
}

bool AddTerm(std::int64_t& sum, const Term& term, const std::array<Unit, 5>& units) {
  std::int64_t product = 0;
  return !__builtin_mul_overflow(term.number, units[term.unit].factor, &product) &&
         !__builtin_add_overflow(sum, product, &sum);
}

}  // namespace

std::optional<std::chrono::milliseconds> ParseDuration(string_view text) {
  if (text == "0") return std::chrono::milliseconds(0);
  std::int64_t sum = 0;
  std::size_t next_unit = 0;
  do {
    const std::optional<Term> term = TakeTerm(text, kDurationUnits);
    if (!term || term->unit < next_unit || !AddTerm(sum, *term, kDurationUnits)) {
      return std::nullopt;
    }
    next_unit = term->unit + 1;
  } while (!text.empty());
  return std::chrono::milliseconds(sum);
}

std::optional<std::int64_t> ParseSize(string_view text) {
  if (text == "0") return 0;
  std::int64_t sum = 0;
  const std::optional<Term> term = TakeTerm(text, kSizeUnits);
  if (!term || !text.empty() || !AddTerm(sum, *term, kSizeUnits)) return std::nullopt;
  return sum;
}

std::optional<bool> ParseBool(string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  return std::nullopt;
}

std::optional<std::int64_t> ParseInteger(string_view text) {
  const string_view digits = text.substr(text.empty() || text.front() != '-' ? 0 : 1);
  if (digits.size() > 1 && digits.front() == '0') return std::nullopt;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string FormatDuration(std::chrono::milliseconds duration) {
  std::int64_t rest = duration.count();
  if (rest == 0) return "0";
  std::string text;
  for (const Unit& unit : kDurationUnits) {
    if (rest < unit.factor) continue;
    text.append(std::to_string(rest / unit.factor)).append(unit.name);
    rest %= unit.factor;
  }
  return text;
}

std::string FormatSize(std::int64_t bytes) {
  if (bytes == 0) return "0";
  for (const Unit& unit : kSizeUnits) {
    if (bytes % unit.factor == 0) {
      return std::to_string(bytes / unit.factor).append(unit.name);
    }
  }
  return std::to_string(bytes).append("B");
}

}  // namespace ckpt::config
