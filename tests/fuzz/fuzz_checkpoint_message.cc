// SPDX-License-Identifier: Apache-2.0
// A message's text, and the promise that the cheap test misses nothing.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "logs/checkpoint_message.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ckpt::logs;  // NOLINT(google-build-using-namespace)
  const std::string_view message(reinterpret_cast<const char*>(data), size);
  const auto parsed = ParseCheckpointMessage(message);
  if (parsed && !std::holds_alternative<TimeMention>(*parsed) && !MayBeCheckpointMessage(message)) {
    std::abort();
  }
  const std::size_t half = size / 2;
  ParseCheckpointMessage(message.substr(0, half), message.substr(half));
  return 0;
}
