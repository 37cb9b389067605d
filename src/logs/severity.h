// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ckpt::logs {

// A message's level. kUnknown: a word in a language, or a mangled spelling, that we do not know.
enum class Severity : std::uint8_t {
  kUnknown,
  kDebug,
  kInfo,
  kNotice,
  kWarning,
  kError,
  kLog,
  kFatal,
  kPanic,
};

constexpr bool IsFailure(Severity severity) {
  return severity == Severity::kError || severity == Severity::kFatal ||
         severity == Severity::kPanic;
}

// What stands between a stderr line's prefix and its text: a severity, or the label of one of the
// lines that follow a message.
enum class MarkerKind : std::uint8_t { kSeverity, kHint, kOtherLabel };

struct Marker {
  MarkerKind kind = MarkerKind::kSeverity;
  Severity severity = Severity::kUnknown;
  std::size_t begin = 0;  // of the word, which is where the prefix ends
  std::size_t end = 0;    // of the word
  std::size_t text = 0;   // where the message begins
};

// The severity of a word, as csvlog prints it: any language of PostgreSQL's.
Severity SeverityOf(std::string_view word);

// The leftmost "WORD:  " of a stderr line. Leftmost, because what a user wrote comes to the right
// of it. Empty if there is none.
std::optional<Marker> FindMarker(std::string_view line);

}  // namespace ckpt::logs
