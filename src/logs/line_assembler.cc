// SPDX-License-Identifier: Apache-2.0
#include "logs/line_assembler.h"

#include <algorithm>

namespace ckpt::logs {
namespace {

// A buffer that one giant line blew up is given back rather than kept for ever.
constexpr std::size_t kKeptCapacity = std::size_t{64} * 1024;

}  // namespace

LineAssembler::LineAssembler(std::size_t max_line_bytes)
    : max_line_bytes_(std::max<std::size_t>(max_line_bytes, 1)) {}

std::string_view LineAssembler::StripLeadingNuls(std::string_view piece) {
  if (piece.empty() || piece.front() != '\0') return piece;
  const std::size_t text = piece.find_first_not_of('\0');
  return text == std::string_view::npos ? std::string_view() : piece.substr(text);
}

std::string_view LineAssembler::Trim(std::string_view line) {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

std::string_view LineAssembler::Cut(std::string_view line) {
  if (line.size() <= max_line_bytes_) return line;
  ++lines_too_long_;
  return line.substr(0, max_line_bytes_);
}

void LineAssembler::Keep(std::string_view piece) {
  // NULs before any text are never stored: after copytruncate they can be gigabytes.
  if (partial_.empty()) piece = StripLeadingNuls(piece);
  const std::size_t room = max_line_bytes_ - partial_.size();
  if (piece.size() > room) {
    if (!cutting_) ++lines_too_long_;
    cutting_ = true;
    piece = piece.substr(0, room);
  }
  partial_.append(piece);
}

void LineAssembler::DropPartial() {
  partial_.clear();
  cutting_ = false;
  if (partial_.capacity() > kKeptCapacity) partial_.shrink_to_fit();
}

}  // namespace ckpt::logs
