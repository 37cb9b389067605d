// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "core/activity.h"
#include "core/forced_trigger.h"
#include "core/server_identity.h"
#include "core/settings.h"
#include "core/stats.h"
#include "core/stats_events.h"
#include "core/wal_rate.h"

namespace ckpt {

// What comes next. Bytes, bytes/s, Unix seconds by the server's clock. A primary counts from what
// it has written, a standby from what it has replayed.
struct Forecast {
  // WAL since the redo position of the control file: what crash recovery would have to replay now.
  OptionalInt recovery_wal_bytes;

  // The redo position that the forced trigger counts from. While a checkpoint runs the server
  // already counts from its new redo point, which no view shows; then this is where the pulses
  // saw it begin, and `redo_is_observed`.
  OptionalInt redo_lsn;
  bool redo_is_observed = false;
  OptionalInt wal_since_redo_bytes;  // position - redo_lsn
  OptionalInt forced_trigger_bytes;  // from redo_lsn to trigger_lsn
  OptionalInt trigger_lsn;
  OptionalInt remaining_bytes;  // to trigger_lsn; 0 when it is passed

  OptionalReal wal_bytes_per_second;  // see WalRate

  // When WAL volume would force a checkpoint at the present rate, whichever comes first of this and
  // the timer. Empty: nothing is written, or it is more than a week away.
  OptionalReal next_forced;
  // When checkpoint_timeout is next reached. The server then skips the checkpoint when nothing
  // was written since the last one. Empty on a standby whose last restartpoint was not seen, or
  // where it is due and waits for the primary's next checkpoint.
  OptionalReal next_timed;
};

// Threading: one thread at a time. Needs no clock: pulses carry their times.
class Forecaster {
 public:
  // Takes the next pulse. `running`: StatsEventDetector::running(), after it saw the same pulse.
  Forecast Step(const PulseStats& pulse, const Settings& settings, const ServerIdentity& server,
                const std::optional<RunningCheckpoint>& running);

 private:
  void TakeStart(const PulseStats& pulse, const Activity& activity,
                 const std::optional<RunningCheckpoint>& running, bool same_server);
  OptionalReal NextTimed(const PulseStats& pulse, const Settings& settings) const;

  std::optional<PulseStats> previous_;
  ServerIdentity server_;
  WalRate rate_;
  OptionalReal last_start_;  // from when the server counts checkpoint_timeout, as we saw it
};

// The redo point that a running checkpoint most likely took, given that of the control file.
OptionalInt ObservedRedo(const RunningCheckpoint& running, std::int64_t control_redo_lsn);

}  // namespace ckpt
