// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ckpt::tail {

// Where reading of one file stands, and what of the bytes read next is to be handed on. Keeps the
// last bytes before the offset: a file that no longer has them there was truncated and written
// anew, or is another file under a reused inode, however long it is.
// PURE. One thread at a time.
class LogPosition {
 public:
  static constexpr std::size_t kMarkerBytes = 256;

  // From the first byte of a file.
  void StartAtBeginning();
  // From `offset` on. `before` are the bytes that precede it, at most kMarkerBytes, at least one
  // when offset > 0. Unless they end a line, everything to the next newline is left out.
  void StartAt(std::uint64_t offset, std::string_view before);
  // The file was truncated: from its first byte that is not NUL. A writer without O_APPEND goes on
  // at its old offset and leaves a hole.
  void StartAfterTruncation();
  // Skips a hole. REQUIRES: skips_nuls(), offset >= this->offset().
  void SkipHole(std::uint64_t offset);

  // Takes the bytes found at offset(); answers the part to be handed on, which may be empty.
  std::string_view Accept(std::string_view bytes);
  // Whether what Accept() just gave does not continue what it gave before. Asking resets it.
  bool TakeStartsFresh();

  std::uint64_t offset() const { return offset_; }  // NOLINT(readability-identifier-naming)
  // The bytes just before offset(); empty when none are known.
  std::string_view marker() const { return marker_; }  // NOLINT(readability-identifier-naming)
  bool skips_nuls() const { return skips_nuls_; }      // NOLINT(readability-identifier-naming)

 private:
  void Remember(std::string_view bytes);

  std::uint64_t offset_ = 0;
  std::string marker_;
  bool starts_fresh_ = true;
  bool skips_nuls_ = false;
  bool skips_line_ = false;
};

}  // namespace ckpt::tail
