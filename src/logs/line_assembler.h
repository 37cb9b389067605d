// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ckpt::logs {

// Turns bytes that arrive in any chunks into complete lines, without their line end ("\n" or
// "\r\n") and without the NULs that copytruncate leaves at a line's beginning. Other bytes pass
// through as they are: a log need not be valid UTF-8.
//
// A line longer than `max_line_bytes` is cut to that length and counted, and the rest of it is
// skipped, so memory is bounded by the cap whatever comes.
//
// Threading: one thread at a time. Ownership: lines are views, valid only during the callback.
class LineAssembler {
 public:
  static constexpr std::size_t kDefaultMaxLineBytes = std::size_t{1} << 20U;

  explicit LineAssembler(std::size_t max_line_bytes = kDefaultMaxLineBytes);

  // Calls on_line(std::string_view) for every line that `chunk` completes.
  template <class OnLine>
  void Feed(std::string_view chunk, OnLine&& on_line) {
    while (!chunk.empty()) {
      const std::size_t newline = chunk.find('\n');
      if (newline == std::string_view::npos) {
        Keep(chunk);
        return;
      }
      const std::string_view piece = chunk.substr(0, newline);
      chunk.remove_prefix(newline + 1);
      if (InLine()) {
        Keep(piece);
        on_line(Trim(partial_));
        DropPartial();
      } else {
        // The usual case: the line lies whole in the chunk and is never copied.
        on_line(Trim(Cut(StripLeadingNuls(piece))));
      }
    }
  }

  // Gives up waiting for the end of the last line and passes on what there is: the end of a file
  // that is not going to grow.
  template <class OnLine>
  void Flush(OnLine&& on_line) {
    if (!InLine()) return;
    on_line(Trim(partial_));
    DropPartial();
  }

  // Drops the half line: the file was truncated or replaced, so its rest will never come.
  void Reset() { DropPartial(); }

  // Lines that were longer than the cap.
  std::uint64_t lines_too_long() const { return lines_too_long_; }
  // Bytes held for the unfinished line.
  std::size_t held_bytes() const { return partial_.size(); }

 private:
  static std::string_view StripLeadingNuls(std::string_view piece);
  static std::string_view Trim(std::string_view line);
  std::string_view Cut(std::string_view line);
  bool InLine() const { return !partial_.empty(); }
  void Keep(std::string_view piece);
  void DropPartial();

  std::size_t max_line_bytes_;
  std::string partial_;
  bool cutting_ = false;  // the unfinished line is over the cap already
  std::uint64_t lines_too_long_ = 0;
};

}  // namespace ckpt::logs
