// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace ckpt::web {

// A file of the live page, embedded at build time from src/web/page and src/web/third_party.
struct Asset {
  std::string_view name;  // "live.js"
  std::string_view path;  // "assets/live-0123456789abcdef.js", relative to the page
  std::string_view content_type;
  std::string_view etag;  // quoted
  const unsigned char* bytes;
  std::size_t size;

  std::string Content() const { return {bytes, bytes + size}; }
};

// All of them. A path changes with the content, so an answer may be kept for ever.
std::span<const Asset> Assets();

// The path of the asset of this name, which must be one of the page's.
std::string_view AssetPath(std::string_view name);

}  // namespace ckpt::web
