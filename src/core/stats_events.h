// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "core/activity.h"
#include "core/checkpoint_event.h"
#include "core/event_times.h"
#include "core/forced_trigger.h"
#include "core/server_identity.h"
#include "core/settings.h"
#include "core/stats.h"

namespace ckpt {

// A checkpoint or restartpoint that pulses see at work.
struct RunningCheckpoint {
  EventKind kind = EventKind::kCheckpoint;
  TimeRange start;  // by the server's clock
  // The WAL positions between which it began; its redo point lies there. Empty: not told.
  OptionalInt position_from;
  OptionalInt position_to;
  std::optional<ForcedTrigger> trigger;  // in force when it began
  MonotonicTime first_seen{};            // our clock: the pulses that saw it
  MonotonicTime last_seen{};
  int pulses = 0;
  bool clock_stepped = false;  // the server's clock was set while it ran
  // Another one was completed in the pulse that first saw it: it may still be that one, removing
  // WAL files.
  bool follows = false;

  // How long it must have worked in vain before that is a failure and not housekeeping.
  double ShortestFailure() const { return follows ? 30 : 1; }
};

// Makes events out of consecutive pulses, with no access to the log.
//
// A checkpoint is known by the redo position of the control file, which moves when it is complete.
//   start   checkpoint_time of the control file (whole seconds; of the primary's clock, so not used
//           for restartpoints), narrowed by the pulses between which the checkpointer woke
//   end     control_last_modified, narrowed by the pulses between which it went idle
//   numbers deltas of write_seconds, sync_seconds, buffers and SLRU buffers, which the server adds
//           at the end; only within one postmaster and one stats_reset
//   reason  restart: redo moved across a new postmaster start, or across lost statistics with the
//           record at the redo position (crash recovery inside one postmaster);
//           wal: redo reached the forced trigger that was in force when it began;
//           request, time: which counter moved; without counters, the time since the last start
// The counters of the end are published a little after the control file (to 14 by up to 500 ms), so
// an event is held back for at most two pulses, or while the checkpointer is visibly still at work
// on it (removing WAL files) for at most kMaxHold pulses.
//
// Several checkpoints between two pulses are counted: by num_done (18+) or restartpoints_done
// (17+), else by the attempts counted, skipped ones included; on a standby before 17 such a gap
// counts as one. The last of them is an event with all that is known of it; the others are one
// event for each reason, `coalesced`, with the span in which they ran and no numbers.
//
// Failures: work seen in two pulses or more that ended without a redo move, or that began well
// before the checkpoint_time of the one that succeeded. Retries are one event, `coalesced`.
//
// Not events: skipped checkpoints; anything across a change of server (another system identifier,
// or another node of the same system); the first pulse.
//
// Threading: one thread at a time. Needs no clock: pulses carry their times.
class StatsEventDetector {
 public:
  static constexpr int kMaxHold = 60;

  // Takes the next pulse, in order of time. Returns the events that are now complete, oldest first.
  std::vector<CheckpointEvent> Step(const PulseStats& pulse, const Settings& settings,
                                    const ServerIdentity& server);

  // What is seen at work now; empty when idle or when the role may not see it.
  const std::optional<RunningCheckpoint>& running() const { return running_; }
  // As of the last pulse.
  const Activity& activity() const { return activity_; }

 private:
  // The counters before a checkpoint; what they rise by is its work.
  struct Mark {
    OptionalReal write_seconds;
    OptionalReal sync_seconds;
    OptionalInt buffers;
    OptionalInt slru;
    OptionalInt checkpoints_done;
    OptionalInt restartpoints_done;
    bool buffers_partial = false;  // taken when a checkpoint had already begun to write
  };
  // A pulse in which the server's counts of attempts rose.
  struct Rise {
    UnixSeconds at = 0;
    std::int64_t timed = 0;
    std::int64_t requested = 0;
  };
  // A completed checkpoint whose counters are awaited.
  struct Held {
    CheckpointEvent event;
    std::optional<TimeRange> start;  // empty: only the end and the work tell it
    TimeRange end;
    TimeRange gap;               // the pulse before the redo move, the pulse of it
    bool ended = false;          // nothing of it can be at work any more
    bool counters_lost = false;  // statistics were reset: no delta means anything
    bool blurred = false;        // its numbers cannot be told from its neighbour's
    bool promotion = false;
    std::int64_t previous_redo = 0;
    std::int64_t position = 0;  // WAL position when it began, at most
    std::optional<ForcedTrigger> trigger;
    std::optional<RunningCheckpoint> seen;
    int pulses = 0;  // since the redo move
  };
  // What the counters say of the checkpoints between two redo moves.
  struct Tally {
    std::int64_t count = 1;  // completed
    std::int64_t timed = 0;  // of these, by the timer
    std::int64_t failed = 0;
    std::int64_t attempts = 0;  // as the server counted them; 0: it did not tell
    bool last_timed = false;    // the last attempt counted
  };

  bool SameServer(const PulseStats& pulse, const ServerIdentity& server) const;
  void Begin(const PulseStats& pulse);
  void ShiftClock(double seconds);
  void TakeRises(const PulseStats& pulse, bool lost);
  void WatchWork(const PulseStats& pulse, bool moved, std::vector<CheckpointEvent>* events);
  void StartWork(const PulseStats& pulse, UnixSeconds not_before);
  void JudgeUnfinished(std::vector<CheckpointEvent>* events);
  Held Hold(const PulseStats& pulse, const Settings& settings, bool lost) const;
  void TakeRestart(const PulseStats& pulse, const Settings& settings,
                   std::vector<CheckpointEvent>* events);
  bool HoldIsOver(const PulseStats& pulse, bool moved);
  void Finish(const PulseStats& pulse, const Settings& settings,
              std::vector<CheckpointEvent>* events);
  void SetNumbers(const PulseStats& pulse, const Settings& settings, const Tally& tally);
  void SetTimes(const PulseStats& pulse);
  void AddFailed(const Tally& tally, const Settings& settings,
                 std::vector<CheckpointEvent>* events) const;
  void AddOthers(const Tally& tally, const Settings& settings,
                 std::vector<CheckpointEvent>* events) const;
  Tally Count(const PulseStats& pulse) const;
  UnixSeconds Began(const PulseStats& pulse) const;
  double WorkDone(const PulseStats& pulse) const;
  Reason InferReason(const Tally& tally, bool timed, const Settings& settings) const;
  void AfterEvent(const PulseStats& pulse, const Tally& tally);
  bool Published(const PulseStats& pulse) const;
  Mark MarkOf(const PulseStats& pulse) const;

  ServerIdentity server_;
  std::optional<PulseStats> previous_;
  Activity activity_;
  std::optional<ForcedTrigger> trigger_;  // in force at the last pulse
  Mark mark_;
  std::deque<Rise> rises_;  // since the last event; at most kMaxRises
  std::int64_t owed_ = 0;   // attempts of events already told that the server has yet to count
  std::optional<RunningCheckpoint> running_;
  std::optional<RunningCheckpoint> unfinished_;  // went idle without a redo move in the last pulse
  int idle_pulses_ = 0;                          // in a row; 0 also when it cannot be seen
  std::optional<UnixSeconds> last_start_;        // of the last event
  bool promoted_ = false;                        // no checkpoint since the promotion yet
  bool clock_stepped_ = false;                   // since the last event or idle pulse
  std::optional<Held> held_;
};

}  // namespace ckpt
