// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "logs/checkpoint_tracker.h"
#include "logs/log_reader.h"

namespace ckpt::testing {

// The whole of a file under tests/fixtures/logs; fails the test if it cannot be read.
std::string ReadLog(const std::string& name);

// Everything that reading `bytes` tells, one event a line.
struct ReadResult {
  std::vector<logs::LogEvent> events;
  std::vector<CheckpointEvent> checkpoints;
  std::vector<RecoveryEvent> recoveries;
  logs::LogReaderStats stats;
  std::string format;
  std::string transport;
};
ReadResult ReadAll(std::string_view bytes, const logs::LogReaderOptions& options = {},
                   std::size_t chunk = 0);

// One line of text that tells all members of an event that are not empty.
std::string Describe(const CheckpointEvent& event);
std::string Describe(const RecoveryEvent& event);

}  // namespace ckpt::testing
