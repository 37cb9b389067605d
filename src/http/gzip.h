// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <zlib.h>

namespace ckpt::http {

// Compresses whole texts to the gzip format, fast rather than small (level 1). It keeps zlib's
// 256 kB of working memory for the next text. For one thread at a time.
class GzipCompressor {
 public:
  GzipCompressor();
  ~GzipCompressor();
  GzipCompressor(const GzipCompressor&) = delete;
  GzipCompressor& operator=(const GzipCompressor&) = delete;

  // Empty when zlib has no memory or the text is over 4 GB; send it uncompressed then.
  std::optional<std::string> Compress(std::string_view text);

 private:
  z_stream stream_{};
  bool ready_ = false;
};

}  // namespace ckpt::http
