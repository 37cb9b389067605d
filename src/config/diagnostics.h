// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace ckpt::config {

// A place in a file; lines and columns count from 1, columns in bytes. Line 0: the whole file.
struct Position {
  int line = 0;
  int column = 0;
  friend bool operator==(const Position&, const Position&) = default;
};

struct Diagnostic {
  std::string file;
  Position at;
  std::string message;

  // "file:line:column", as compilers write it, or only the file.
  std::string Place() const;
  // The place, a colon and the message.
  std::string ToString() const;
};

// All that is wrong with a configuration, so that an operator can mend it in one go. Messages say
// what is expected and never quote a value: any value may be a misplaced password.
// Owned and used by one thread. Bounded: the first kMost are kept, the rest is counted.
class Diagnostics {
 public:
  static constexpr std::size_t kMost = 100;

  void Add(std::string_view file, Position at, std::string message);
  bool ok() const { return count_ == 0; }
  const std::vector<Diagnostic>& list() const { return list_; }
  // One line each, in the order of files and positions. REQUIRES: !ok().
  Error ToError() const;

 private:
  std::vector<Diagnostic> list_;
  std::size_t count_ = 0;
};

// "; did you mean `x`?" for the candidate that is a slip of the pen away from `text`; else nothing.
std::string DidYouMean(std::string_view text, const std::vector<std::string_view>& candidates);

// A key as it may be quoted in a message: in backquotes when it looks like a name, else a
// description, because a value without its key ("password:x", no blank) is read as a key.
std::string QuoteKey(std::string_view key);

}  // namespace ckpt::config
