// SPDX-License-Identifier: Apache-2.0
#include "logs/line_prefix.h"

#include <algorithm>
#include <array>

#include "logs/ascii.h"

namespace ckpt::logs {
namespace {

// How the text of an escape looks.
enum class FieldForm : std::uint8_t {
  kTime,
  kEpoch,
  kDigits,    // may be empty: %P outside a parallel worker
  kSqlState,  // five letters and digits
  kNoSpace,   // session and transaction ids
  kFree,      // whatever a user, host or application is called
};

struct Escape {
  char letter;
  FieldForm form;
};
// TABLE: log_line_prefix's escapes, but for %q and %%.
constexpr std::array<Escape, 19> kEscapes{{
    {'a', FieldForm::kFree},     {'u', FieldForm::kFree},    {'d', FieldForm::kFree},
    {'r', FieldForm::kFree},     {'h', FieldForm::kFree},    {'L', FieldForm::kFree},
    {'b', FieldForm::kFree},     {'i', FieldForm::kFree},    {'p', FieldForm::kDigits},
    {'P', FieldForm::kDigits},   {'l', FieldForm::kDigits},  {'x', FieldForm::kDigits},
    {'Q', FieldForm::kNoSpace},  {'c', FieldForm::kNoSpace}, {'v', FieldForm::kNoSpace},
    {'e', FieldForm::kSqlState}, {'t', FieldForm::kTime},    {'m', FieldForm::kTime},
    {'n', FieldForm::kEpoch},
}};
// %s is a time too, but the process's start and not the line's.
constexpr char kProcessStart = 's';

std::optional<FieldForm> FormOf(char letter) {
  if (letter == kProcessStart) return FieldForm::kTime;
  for (const Escape& row : kEscapes) {
    if (row.letter == letter) return row.form;
  }
  return std::nullopt;
}

// Bounds the search for where free texts end, so that no line can make it expensive.
constexpr int kMaxSteps = 4000;

std::string_view TrimSpaces(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// A letter between % and its escape is padding: an optional '-' and digits.
std::size_t ParseWidth(std::string_view prefix, std::size_t at, int* width) {
  const bool right = at < prefix.size() && prefix[at] == '-';
  if (right) ++at;
  int value = 0;
  while (at < prefix.size() && IsDigit(prefix[at])) {
    value = std::min(value * 10 + (prefix[at] - '0'), 1000);
    ++at;
  }
  *width = right ? -value : value;
  return at;
}

}  // namespace

struct LinePrefix::Attempt {
  std::string_view prefix;
  const ZoneResolver& zone;
  PrefixFields fields;
  int steps = 0;
};

LinePrefix::LinePrefix(std::string_view log_line_prefix) {
  std::string literal;
  const auto add_literal = [&] {
    if (!literal.empty()) elements_.push_back({'\0', 0, literal});
    literal.clear();
  };
  for (std::size_t at = 0; at < log_line_prefix.size(); ++at) {
    if (log_line_prefix[at] != '%') {
      literal += log_line_prefix[at];
      continue;
    }
    int width = 0;
    at = ParseWidth(log_line_prefix, at + 1, &width);
    if (at >= log_line_prefix.size()) break;
    const char letter = log_line_prefix[at];
    if (letter == '%') {
      literal += '%';
    } else if (letter == 'q' || FormOf(letter)) {
      add_literal();
      elements_.push_back({letter, width, {}});
    }
    // The server prints nothing for an escape that it does not know.
  }
  add_literal();
}

std::optional<PrefixFields> LinePrefix::Match(std::string_view prefix,
                                              const ZoneResolver& zone) const {
  Attempt attempt{prefix, zone, {}};
  if (!MatchFrom(attempt, 0, 0)) return std::nullopt;
  return attempt.fields;
}

// Recursion goes one level deeper per element, so its depth is that of the configured prefix.
bool LinePrefix::MatchFrom(Attempt& attempt,  // NOLINT(misc-no-recursion)
                           std::size_t element, std::size_t at) const {
  if (++attempt.steps > kMaxSteps) return false;
  const std::string_view rest = attempt.prefix.substr(at);
  if (element == elements_.size()) return rest.empty();
  const Element& wanted = elements_[element];

  if (wanted.escape == '\0') {
    return rest.starts_with(wanted.literal) &&
           MatchFrom(attempt, element + 1, at + wanted.literal.size());
  }
  if (wanted.escape == 'q') {
    if (rest.empty()) return true;  // a background process
    const PrefixFields before = attempt.fields;
    attempt.fields.is_session = true;
    if (MatchFrom(attempt, element + 1, at)) return true;
    attempt.fields = before;
    return false;
  }

  // The value, spaces of left padding skipped.
  std::size_t begin = at;
  if (wanted.width > 0) {
    while (begin < attempt.prefix.size() && attempt.prefix[begin] == ' ') ++begin;
  }
  const std::string_view text = attempt.prefix.substr(begin);
  const auto after = [&](std::size_t length) {
    std::size_t end = begin + length;
    const std::size_t padded = at + static_cast<std::size_t>(std::max(-wanted.width, 0));
    while (end < padded && end < attempt.prefix.size() && attempt.prefix[end] == ' ') ++end;
    return end;
  };
  const PrefixFields before = attempt.fields;
  const auto go_on = [&](std::size_t length) {
    if (MatchFrom(attempt, element + 1, after(length))) return true;
    attempt.fields = before;
    return false;
  };

  switch (*FormOf(wanted.escape)) {
    case FieldForm::kTime: {
      const auto time = ParseTimestamp(text, attempt.zone);
      if (!time) return false;
      // Of several times the finest is the best.
      if (wanted.escape != kProcessStart &&
          (!attempt.fields.time || !attempt.fields.time->has_fraction)) {
        attempt.fields.time = time;
      }
      return go_on(time->length);
    }
    case FieldForm::kEpoch: {
      const auto time = ParseEpoch(text);
      if (!time) return false;
      if (!attempt.fields.time || !attempt.fields.time->has_fraction ||
          !attempt.fields.time->time) {
        attempt.fields.time = time;
      }
      return go_on(time->length);
    }
    case FieldForm::kDigits: {
      std::size_t length = 0;
      while (length < text.size() && IsDigit(text[length])) ++length;
      if (wanted.escape == 'p') {
        attempt.fields.pid = ParseDecimal(text.substr(0, length));
        if (!attempt.fields.pid) return false;
      }
      return go_on(length);
    }
    case FieldForm::kSqlState: {
      if (text.size() < 5) return false;
      attempt.fields.sqlstate = text.substr(0, 5);
      return go_on(5);
    }
    case FieldForm::kNoSpace:
    case FieldForm::kFree: break;
  }
  const bool free = *FormOf(wanted.escape) == FieldForm::kFree;
  for (std::size_t length = 0; length <= text.size(); ++length) {
    if (!free && length > 0 && text[length - 1] == ' ') return false;
    const std::string_view value = TrimSpaces(text.substr(0, length));
    if (wanted.escape == 'b') attempt.fields.backend_type = value;
    if ((wanted.escape == 'u' || wanted.escape == 'd') && !value.empty()) {
      attempt.fields.is_session = true;
    }
    if (go_on(length)) return true;
    if (attempt.steps > kMaxSteps) return false;
  }
  return false;
}

namespace {

// TABLE: how prefixes announce a user or a database.
constexpr std::array<std::string_view, 4> kSessionLabels{"user=", "db=", "database=", "app="};

bool IsEmptyField(char c) { return c == ' ' || c == ',' || c == ':' || c == '|' || c == '@'; }

bool NamesSession(std::string_view prefix) {
  for (const std::string_view label : kSessionLabels) {
    const std::size_t at = prefix.find(label);
    if (at == std::string_view::npos) continue;
    const std::size_t value = at + label.size();
    if (value < prefix.size() && !IsEmptyField(prefix[value])) return true;
  }
  // user@database
  const std::size_t at = prefix.find('@');
  return at != std::string_view::npos && at > 0 && at + 1 < prefix.size() &&
         !IsEmptyField(prefix[at - 1]) && !IsEmptyField(prefix[at + 1]);
}

}  // namespace

PrefixFields SearchPrefix(std::string_view prefix, const ZoneResolver& zone) {
  PrefixFields fields;
  for (std::size_t at = 0; at < prefix.size() && !fields.time; ++at) {
    if (!IsDigit(prefix[at]) || (at > 0 && IsDigit(prefix[at - 1]))) continue;
    fields.time = ParseTimestamp(prefix.substr(at), zone);
    if (!fields.time) fields.time = ParseEpoch(prefix.substr(at));
  }
  for (std::size_t open = prefix.find('['); open != std::string_view::npos;
       open = prefix.find('[', open + 1)) {
    const std::size_t close = prefix.find(']', open);
    if (close == std::string_view::npos) break;
    fields.pid = ParseDecimal(prefix.substr(open + 1, close - open - 1));
    if (fields.pid) break;
  }
  fields.is_session = NamesSession(prefix);
  return fields;
}

}  // namespace ckpt::logs
