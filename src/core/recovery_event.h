// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "core/clock.h"

namespace ckpt {

// One replay of WAL by the startup process, as the server log tells it: from "redo starts at" to
// "redo done at". What a crash recovery replayed and how long it took is the only measured basis
// for an estimate of the next one. Members that the log does not tell are empty.
struct RecoveryEvent {
  // Crash recovery at a server start. False where the server was a standby or restored an archive:
  // its replay waits for WAL to arrive, so its speed says nothing about a crash.
  bool crash = true;
  bool finished =
      false;  // "redo done" was seen; otherwise the replay is under way or was cut short

  std::optional<UnixSeconds> start;
  std::optional<UnixSeconds> end;
  std::optional<std::int64_t> start_lsn;  // "redo starts at", a byte position
  std::optional<std::int64_t> end_lsn;    // "redo done at", or the last "redo in progress"
  std::optional<std::int64_t> replayed_bytes;
  std::optional<double> seconds;  // the server's own elapsed time (14+), else end - start
};

}  // namespace ckpt
