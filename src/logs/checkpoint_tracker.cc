// SPDX-License-Identifier: Apache-2.0
#include "logs/checkpoint_tracker.h"

#include <cmath>
#include <utility>

namespace ckpt::logs {
namespace {

// By how much the two lines' times may disagree with the total that the server measured. Beyond
// it, lines are missing between or the clock was set, and the total is the better witness.
constexpr double kTolerance = 2.0;

}  // namespace

// One member function a message. What says nothing here has none of its own.
class CheckpointTracker::Visitor {
 public:
  Visitor(CheckpointTracker& tracker, const LogEvent& event, TrackedEvents& out)
      : tracker_(tracker), event_(event), out_(out) {}

  void operator()(const Starting& starting) { tracker_.OnStarting(event_, starting, out_); }
  void operator()(const Complete& complete) { tracker_.OnComplete(event_, complete, out_); }
  void operator()(const TooFrequent& /*warning*/) { ++tracker_.too_frequent_warnings_; }
  void operator()(const CheckpointSkipped& /*skipped*/) { ++tracker_.checkpoints_skipped_; }
  void operator()(const RestartpointSkipped& /*skipped*/) { ++tracker_.restartpoints_skipped_; }
  void operator()(const RecoveryRestartPoint& point) { tracker_.OnRestartPoint(point.lsn); }
  void operator()(const Interrupted& /*start*/) { tracker_.OnServerStart(true, out_); }
  void operator()(const WasShutDown& /*start*/) { tracker_.OnServerStart(false, out_); }
  void operator()(const NotProperlyShutDown& /*start*/) { tracker_.starting_up_ = true; }
  void operator()(const Reinitializing& /*crash*/) { tracker_.OnServerStart(true, out_); }
  void operator()(const ArchiveRecovery& /*mode*/) {
    tracker_.archive_recovery_ = true;
    tracker_.in_recovery_ = true;
    if (tracker_.recovery_) tracker_.recovery_->crash = false;
  }
  void operator()(const RedoStarts& redo) { tracker_.OnRedoStarts(event_, redo.lsn, out_); }
  void operator()(const RedoInProgress& redo) {
    tracker_.OnRedoProgress(redo.lsn, redo.elapsed_seconds);
  }
  void operator()(const RedoDone& redo) { tracker_.OnRedoDone(event_, redo, out_); }
  void operator()(const RedoNotRequired& /*redo*/) { tracker_.starting_up_ = false; }
  void operator()(const ServerReady& ready) {
    tracker_.in_recovery_ = ready.read_only;
    tracker_.starting_up_ = false;
    if (ready.read_only && tracker_.recovery_) tracker_.recovery_->crash = false;
  }
  void operator()(const ShuttingDown& /*stop*/) {}
  void operator()(const ShutDown& /*stop*/) {
    tracker_.Fail(std::nullopt, out_);
    tracker_.EndRecovery(false, out_);
  }
  void operator()(const LsnMention& mention) { tracker_.OnLsnMention(event_, mention, out_); }
  void operator()(const TimeMention& /*start*/) {
    // Which of its first messages it was, redo will tell.
    if (event_.role == ProcessRole::kStartup && !tracker_.recovery_) {
      tracker_.OnServerStart(true, out_);
    }
  }
  void operator()(const CheckpointerFailure& /*failure*/) { tracker_.Fail(event_.time, out_); }

 private:
  CheckpointTracker& tracker_;
  const LogEvent& event_;
  TrackedEvents& out_;
};

TrackedEvents CheckpointTracker::Observe(const LogEvent& event) {
  TrackedEvents out;
  std::visit(Visitor(*this, event, out), event.message);
  if (std::holds_alternative<Complete>(event.message)) {
    just_completed_ = event.pid.value_or(0);
  } else {
    just_completed_.reset();
  }
  return out;
}

EventKind CheckpointTracker::KindFor(std::optional<EventKind> told, CheckpointFlags flags) const {
  if (told) return *told;
  if (flags.Has(CheckpointFlag::kForce) || flags.Has(CheckpointFlag::kEndOfRecovery)) {
    return EventKind::kCheckpoint;
  }
  return in_recovery_.value_or(false) ? EventKind::kRestartpoint : EventKind::kCheckpoint;
}

void CheckpointTracker::OnStarting(const LogEvent& event, const Starting& starting,
                                   TrackedEvents& out) {
  Fail(std::nullopt, out);
  const EventKind kind = KindFor(starting.kind, starting.flags);
  in_progress_ = {kind, ReasonOf(starting.flags), starting.flags, event.time};
  in_recovery_ = kind == EventKind::kRestartpoint;
}

void CheckpointTracker::OnComplete(const LogEvent& event, const Complete& complete,
                                   TrackedEvents& out) {
  CheckpointEvent result = complete.numbers;
  result.origin = EventOrigin::kLog;
  result.end = event.time;
  const auto total = result.total_seconds;
  std::optional<UnixSeconds> computed;
  if (event.time && total) computed = *event.time - *total;

  const auto started = std::exchange(in_progress_, std::nullopt);
  if (started && complete.kind && *complete.kind != started->kind) {
    // Between the two lines lies at least one that we did not get.
    result.kind = *complete.kind;
    result.start = computed;
  } else if (started) {
    result.kind = started->kind;
    result.flags = started->flags;
    result.start = started->start;
    if (computed && (!result.start || std::abs(*computed - *result.start) > kTolerance)) {
      result.start = computed;
    }
  } else {
    result.kind = KindFor(complete.kind, complete.flags.value_or(CheckpointFlags{}));
    result.start = computed;
  }
  if (complete.flags) {
    result.flags.bits = static_cast<std::uint8_t>(result.flags.bits | complete.flags->bits);
  }
  result.reason = ReasonOf(result.flags);
  out.checkpoints.push_back(result);
}

void CheckpointTracker::Fail(std::optional<UnixSeconds> end, TrackedEvents& out) {
  const auto started = std::exchange(in_progress_, std::nullopt);
  if (!started) return;
  CheckpointEvent result;
  result.kind = started->kind;
  result.reason = started->reason;
  result.flags = started->flags;
  result.origin = EventOrigin::kLog;
  result.failed = true;
  result.start = started->start;
  result.end = end;
  out.checkpoints.push_back(result);
}

void CheckpointTracker::OnServerStart(bool crashed, TrackedEvents& out) {
  Fail(std::nullopt, out);
  EndRecovery(false, out);
  archive_recovery_ = false;
  starting_up_ = crashed;
}

void CheckpointTracker::OnRestartPoint(std::int64_t lsn) {
  restart_point_lsn_ = lsn;
  in_recovery_ = true;
}

void CheckpointTracker::OnLsnMention(const LogEvent& event, const LsnMention& mention,
                                     TrackedEvents& out) {
  const bool unknown = event.role == ProcessRole::kUnknown;
  if (event.role == ProcessRole::kCheckpointer ||
      (unknown && just_completed_ && event.pid && event.pid == just_completed_)) {
    // Not right after a completion it is "skipping restartpoint, already performed at".
    if (just_completed_) {
      OnRestartPoint(mention.lsn);
    } else {
      ++restartpoints_skipped_;
    }
    return;
  }
  if (event.role != ProcessRole::kStartup && !(unknown && mention.says_redo)) return;
  // Of the startup process's messages with a lone LSN, the first of a crashed server is the start
  // of redo; its end, to version 13, speaks of redo too.
  if (recovery_) {
    if (mention.says_redo) OnRedoDone(event, RedoDone{mention.lsn, std::nullopt}, out);
  } else if (mention.says_redo || starting_up_) {
    OnRedoStarts(event, mention.lsn, out);
  }
}

void CheckpointTracker::OnRedoStarts(const LogEvent& event, std::int64_t lsn, TrackedEvents& out) {
  EndRecovery(false, out);
  starting_up_ = false;
  recovery_ = RecoveryEvent{};
  recovery_->crash = !archive_recovery_;
  recovery_->start = event.time;
  recovery_->start_lsn = lsn;
}

void CheckpointTracker::OnRedoProgress(std::int64_t lsn, double elapsed) {
  if (!recovery_) return;
  recovery_->seconds = elapsed;
  recovery_->end_lsn = lsn;
  if (recovery_->start_lsn && lsn >= *recovery_->start_lsn) {
    recovery_->replayed_bytes = lsn - *recovery_->start_lsn;
  }
}

void CheckpointTracker::OnRedoDone(const LogEvent& event, const RedoDone& done,
                                   TrackedEvents& out) {
  // A log that begins in the middle of a replay does not tell whose it was.
  if (!recovery_) return;
  recovery_->end = event.time;
  OnRedoProgress(done.lsn, done.elapsed_seconds.value_or(0));
  recovery_->seconds = done.elapsed_seconds;
  if (!recovery_->seconds && recovery_->start && recovery_->end &&
      *recovery_->end >= *recovery_->start) {
    recovery_->seconds = *recovery_->end - *recovery_->start;
  }
  EndRecovery(true, out);
}

void CheckpointTracker::EndRecovery(bool finished, TrackedEvents& out) {
  auto recovery = std::exchange(recovery_, std::nullopt);
  if (!recovery) return;
  recovery->finished = finished;
  // Restartpoints happen in no crash recovery.
  if (in_recovery_.value_or(false) && restart_point_lsn_) recovery->crash = false;
  out.recoveries.push_back(*recovery);
}

}  // namespace ckpt::logs
