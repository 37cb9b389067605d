// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>

#include "core/clock.h"
#include "core/session.h"

namespace ckpt::pg {

// Measures how long a real commit takes, by an empty transactional pg_logical_emit_message(): it
// waits for the WAL to be flushed and, where synchronous_commit says so, for standbys. Off unless
// asked for, since it has a price: it uses a transaction id, and an idle server no longer skips
// checkpoints nor archive_timeout switches.
//
// It rests by itself: a commit slower than kSlow doubles the interval up to sixteen times, a quick
// one halves it again, so that a server in distress is not asked to do more.
//
// One thread at a time. Never on a standby: the caller sees to that.
class CommitProbe {
 public:
  static constexpr std::chrono::milliseconds kSlow{1000};

  // REQUIRES: interval >= 10 s.
  CommitProbe(std::chrono::milliseconds interval, std::chrono::milliseconds query_timeout,
              const Clock* clock);

  // Commits if it is due and returns the seconds it took; empty when it was not due. Errors as
  // Session::Query.
  Result<std::optional<double>> Step(Session* session);

 private:
  const std::chrono::milliseconds interval_;
  const std::chrono::milliseconds query_timeout_;
  const Clock* const clock_;
  MonotonicTime next_;
  int patience_ = 1;  // the interval in force is interval_ * patience_
};

}  // namespace ckpt::pg
