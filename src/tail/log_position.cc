// SPDX-License-Identifier: Apache-2.0
#include "tail/log_position.h"

namespace ckpt::tail {

void LogPosition::StartAtBeginning() {
  offset_ = 0;
  marker_.clear();
  starts_fresh_ = true;
  skips_nuls_ = false;
  skips_line_ = false;
}

void LogPosition::StartAt(std::uint64_t offset, std::string_view before) {
  StartAtBeginning();
  offset_ = offset;
  Remember(before);
  skips_line_ = offset > 0 && !before.ends_with('\n');
}

void LogPosition::StartAfterTruncation() {
  StartAtBeginning();
  skips_nuls_ = true;
}

void LogPosition::SkipHole(std::uint64_t offset) {
  offset_ = offset;
  marker_.clear();
}

void LogPosition::Remember(std::string_view bytes) {
  if (bytes.size() >= kMarkerBytes) {
    marker_.assign(bytes.substr(bytes.size() - kMarkerBytes));
    return;
  }
  const std::size_t total = marker_.size() + bytes.size();
  if (total > kMarkerBytes) marker_.erase(0, total - kMarkerBytes);
  marker_.append(bytes);
}

std::string_view LogPosition::Accept(std::string_view bytes) {
  offset_ += bytes.size();
  Remember(bytes);
  if (skips_nuls_) {
    const std::size_t first = bytes.find_first_not_of('\0');
    if (first == std::string_view::npos) return {};
    bytes.remove_prefix(first);
    skips_nuls_ = false;
  }
  if (skips_line_) {
    const std::size_t newline = bytes.find('\n');
    if (newline == std::string_view::npos) return {};
    bytes.remove_prefix(newline + 1);
    skips_line_ = false;
  }
  return bytes;
}

bool LogPosition::TakeStartsFresh() {
  const bool fresh = starts_fresh_;
  starts_fresh_ = false;
  return fresh;
}

}  // namespace ckpt::tail
