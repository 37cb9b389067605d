// SPDX-License-Identifier: Apache-2.0
// The whole reader and tracker: chunks change nothing, counters stay within what was read.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "logs/checkpoint_tracker.h"

namespace {

struct Outcome {
  std::size_t events = 0;
  std::size_t checkpoints = 0;
  ckpt::logs::LogReaderStats stats;
};

Outcome Read(std::string_view bytes, std::size_t chunk) {
  ckpt::logs::LogReader reader;
  ckpt::logs::CheckpointTracker tracker;
  Outcome outcome;
  const auto take = [&](const std::vector<ckpt::logs::LogEvent>& events) {
    outcome.events += events.size();
    for (const auto& event : events)
      outcome.checkpoints += tracker.Observe(event).checkpoints.size();
  };
  for (std::size_t at = 0; at < bytes.size(); at += chunk)
    take(reader.Feed(bytes.substr(at, chunk)));
  take(reader.Flush());
  outcome.stats = reader.stats();
  return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const Outcome whole = Read(bytes, size);
  const Outcome parts = Read(bytes, 1 + data[0] % 13);
  if (whole.events != parts.events || whole.checkpoints != parts.checkpoints ||
      whole.stats.lines_read != parts.stats.lines_read ||
      whole.stats.lines_malformed != parts.stats.lines_malformed) {
    std::abort();
  }
  return 0;
}
