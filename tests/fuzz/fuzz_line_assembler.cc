// SPDX-License-Identifier: Apache-2.0
// Lines are the same however the bytes are cut into chunks, and memory stays under the cap.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "logs/line_assembler.h"

namespace {

constexpr std::size_t kCap = 64;

std::vector<std::string> Lines(std::string_view bytes, std::size_t chunk, std::uint64_t* too_long) {
  ckpt::logs::LineAssembler assembler(kCap);
  std::vector<std::string> lines;
  const auto take = [&](std::string_view line) { lines.emplace_back(line); };
  for (std::size_t at = 0; at < bytes.size(); at += chunk) {
    assembler.Feed(bytes.substr(at, chunk), take);
    if (assembler.held_bytes() > kCap) std::abort();
  }
  assembler.Flush(take);
  *too_long = assembler.lines_too_long();
  return lines;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  std::uint64_t whole_long = 0;
  std::uint64_t parts_long = 0;
  const auto whole = Lines(bytes, size, &whole_long);
  const auto parts = Lines(bytes, 1 + data[0] % 7, &parts_long);
  if (whole != parts || whole_long != parts_long) std::abort();
  return 0;
}
