// SPDX-License-Identifier: Apache-2.0
// Up to the first newline a log_line_prefix, then what a line printed.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "logs/line_prefix.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::size_t end = std::min(bytes.find('\n'), bytes.size());
  const std::string_view printed = bytes.substr(std::min(end + 1, bytes.size()));
  // A server cuts longer settings.
  ckpt::logs::LinePrefix(bytes.substr(0, std::min<std::size_t>(end, 256))).Match(printed, nullptr);
  ckpt::logs::SearchPrefix(printed, nullptr);
  return 0;
}
