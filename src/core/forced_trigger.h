// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "core/server_version.h"
#include "core/settings.h"
#include "core/stats.h"

namespace ckpt {

// The server's rule for checkpoints that WAL volume forces. It counts whole WAL segments, in its
// own arithmetic: S = max_wal_size / wal_segment_size (integers), then
// max(1, floor(S / (1 + checkpoint_completion_target))); version 10 divides by 2 + the target.
// The request is made when the WAL before TriggerLsn() has been written completely.
struct ForcedTrigger {
  std::int64_t segments = 1;       // the server's CheckPointSegments
  std::int64_t segment_bytes = 0;  // wal_segment_size

  // Where the next forced checkpoint is requested, as a byte position in the WAL.
  std::int64_t TriggerLsn(std::int64_t redo_lsn) const {
    return (redo_lsn / segment_bytes + segments) * segment_bytes;
  }
  // From the redo position to TriggerLsn(): between segments - 1 and segments segments.
  std::int64_t Distance(std::int64_t redo_lsn) const { return TriggerLsn(redo_lsn) - redo_lsn; }

  friend bool operator==(const ForcedTrigger&, const ForcedTrigger&) = default;
};

// The rule in force. Empty when a setting it needs is not known or absurd.
std::optional<ForcedTrigger> ReadForcedTrigger(const Settings& settings, ServerVersion version);

// The WAL position that the trigger is compared with: what a primary has written, what a standby
// has replayed. Bytes; empty when neither is told.
inline OptionalInt WalPosition(const PulseStats& pulse) {
  if (pulse.in_recovery.value_or(0) != 0) return pulse.replay_lsn;
  return pulse.write_lsn ? pulse.write_lsn : pulse.insert_lsn;
}

}  // namespace ckpt
