// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/checkpoint_event.h"
#include "core/recovery_event.h"
#include "logs/log_reader.h"

namespace ckpt::logs {

// A checkpoint that has started and not ended.
struct CheckpointInProgress {
  EventKind kind = EventKind::kCheckpoint;
  Reason reason = Reason::kRequest;
  CheckpointFlags flags;
  std::optional<UnixSeconds> start;
};

// What one log event ended.
struct TrackedEvents {
  std::vector<CheckpointEvent> checkpoints;  // origin kLog; failed ones too
  std::vector<RecoveryEvent> recoveries;
};

// Joins "starting" and "complete" lines to checkpoint events, and redo lines to recovery events.
//
// * A checkpoint's start is the time of its starting line and its end that of the complete line.
//   Without a starting line (log_checkpoints was switched on meanwhile), start is end - total.
// * A starting line that no complete line follows before the checkpointer's error, another starting
//   line or a server start makes a failed event. Its end is the error's time; otherwise unknown.
// * Where a language does not tell a restartpoint, the kind follows from, in this order: words, the
//   flags ("force" and "end-of-recovery" are never a restartpoint's), what the caller or the last
//   unmistakable line said about recovery, and else it is a checkpoint. A lone LSN that the
//   checkpointer names right after a completion is a restart point, and means recovery from then
//   on.
//
// Threading: one thread at a time. Memory is constant.
class CheckpointTracker {
 public:
  // Whether the server is in recovery, where the caller knows (pg_is_in_recovery()).
  void SetInRecovery(bool in_recovery) { in_recovery_ = in_recovery; }

  TrackedEvents Observe(const LogEvent& event);

  const std::optional<CheckpointInProgress>& in_progress() const { return in_progress_; }
  // The replay under way, if any.
  const std::optional<RecoveryEvent>& recovery() const { return recovery_; }

  std::uint64_t too_frequent_warnings() const { return too_frequent_warnings_; }
  std::uint64_t checkpoints_skipped() const { return checkpoints_skipped_; }
  std::uint64_t restartpoints_skipped() const { return restartpoints_skipped_; }
  // The last "recovery restart point", a byte position: the redo position of the last restartpoint.
  std::optional<std::int64_t> restart_point_lsn() const { return restart_point_lsn_; }

 private:
  class Visitor;

  EventKind KindFor(std::optional<EventKind> told, CheckpointFlags flags) const;
  void OnStarting(const LogEvent& event, const Starting& starting, TrackedEvents& out);
  void OnComplete(const LogEvent& event, const Complete& complete, TrackedEvents& out);
  void Fail(std::optional<UnixSeconds> end, TrackedEvents& out);
  void OnServerStart(bool crashed, TrackedEvents& out);
  void OnRestartPoint(std::int64_t lsn);
  void OnLsnMention(const LogEvent& event, const LsnMention& mention, TrackedEvents& out);
  void OnRedoStarts(const LogEvent& event, std::int64_t lsn, TrackedEvents& out);
  void OnRedoProgress(std::int64_t lsn, double elapsed);
  void OnRedoDone(const LogEvent& event, const RedoDone& done, TrackedEvents& out);
  void EndRecovery(bool finished, TrackedEvents& out);

  std::optional<CheckpointInProgress> in_progress_;
  std::optional<bool> in_recovery_;
  std::optional<RecoveryEvent> recovery_;
  bool archive_recovery_ = false;  // this server start is a standby's or a restore's
  bool starting_up_ = false;       // a startup process's first message was seen, redo not yet
  // The pid of the last event if that was a completion; 0 if it has no pid.
  std::optional<std::int64_t> just_completed_;
  std::optional<std::int64_t> restart_point_lsn_;
  std::uint64_t too_frequent_warnings_ = 0;
  std::uint64_t checkpoints_skipped_ = 0;
  std::uint64_t restartpoints_skipped_ = 0;
};

}  // namespace ckpt::logs
