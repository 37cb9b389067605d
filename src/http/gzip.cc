// SPDX-License-Identifier: Apache-2.0
#include "http/gzip.h"

#include <limits>

namespace ckpt::http {

GzipCompressor::GzipCompressor() {
  constexpr int kLevel = 1;
  constexpr int kGzipWindow = 15 + 16;
  constexpr int kMemory = 8;
  ready_ =
      deflateInit2(&stream_, kLevel, Z_DEFLATED, kGzipWindow, kMemory, Z_DEFAULT_STRATEGY) == Z_OK;
}

GzipCompressor::~GzipCompressor() {
  if (ready_) deflateEnd(&stream_);
}

std::optional<std::string> GzipCompressor::Compress(std::string_view text) {
  if (!ready_ || text.size() > std::numeric_limits<uInt>::max()) return std::nullopt;
  if (deflateReset(&stream_) != Z_OK) return std::nullopt;
  std::string out;
  // An exposition shrinks to about a tenth; deflateBound() would reserve more than the text itself.
  out.resize(text.size() / 4 + 256);
  // zlib does not write through next_in; its type has no const for historical reasons.
  stream_.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(text.data()));
  stream_.avail_in = static_cast<uInt>(text.size());
  std::size_t used = 0;
  for (;;) {
    stream_.next_out = reinterpret_cast<Bytef*>(out.data()) + used;
    stream_.avail_out = static_cast<uInt>(out.size() - used);
    const int result = deflate(&stream_, Z_FINISH);
    used = out.size() - stream_.avail_out;
    if (result == Z_STREAM_END) break;
    if (result != Z_OK && result != Z_BUF_ERROR) return std::nullopt;
    out.resize(out.size() * 2);
  }
  out.resize(used);
  return out;
}

}  // namespace ckpt::http
