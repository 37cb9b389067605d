// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "logs/timestamp.h"

namespace ckpt::logs {

// What a stderr line's prefix told.
struct PrefixFields {
  std::optional<Timestamp> time;
  std::optional<std::int64_t> pid;
  std::string_view backend_type;
  std::string_view sqlstate;
  bool is_session = false;  // names a user or a database, or goes on after %q
};

// A log_line_prefix, made ready to read the lines it has printed: every escape of PostgreSQL 10 to
// 19, with padding, and the short form that background processes print where it has %q.
// Immutable.
class LinePrefix {
 public:
  explicit LinePrefix(std::string_view log_line_prefix);

  // Reads prefix, which is all of a line that stands before its severity. Empty if it was not
  // printed by this log_line_prefix (it changed, or another program wrote the line).
  std::optional<PrefixFields> Match(std::string_view prefix, const ZoneResolver& zone) const;

 private:
  struct Element {
    char escape = '\0';  // '\0': a literal
    int width = 0;       // padding: > 0 on the left, < 0 on the right
    std::string literal;
  };
  struct Attempt;
  bool MatchFrom(Attempt& attempt, std::size_t element, std::size_t at) const;

  std::vector<Element> elements_;
};

// Reads a prefix without knowing the log_line_prefix: its first timestamp (or epoch), a pid in
// brackets, and whether it names a user or database as the usual prefixes do.
PrefixFields SearchPrefix(std::string_view prefix, const ZoneResolver& zone);

}  // namespace ckpt::logs
