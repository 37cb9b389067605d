// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/clock.h"

namespace ckpt {

// A checkpoint on a primary, a restartpoint on a standby.
enum class EventKind : std::uint8_t { kCheckpoint, kRestartpoint };
inline constexpr EventKind kEventKinds[] = {EventKind::kCheckpoint, EventKind::kRestartpoint};

constexpr std::string_view EventKindName(EventKind kind) {
  return kind == EventKind::kCheckpoint ? "checkpoint" : "restartpoint";
}

// Why it ran; the value of the label `reason`. One per event: where the server merged several
// causes into one checkpoint, the first of this order that applies (CheckpointFlags keeps all).
enum class Reason : std::uint8_t {
  kRestart,  // shutdown, or the end of crash recovery
  kWal,      // WAL since the last redo point reached the forced trigger (max_wal_size)
  kRequest,  // somebody asked: CHECKPOINT, base backup, CREATE/DROP DATABASE, promotion
  kTime,     // checkpoint_timeout
};

struct ReasonInfo {
  Reason reason;
  std::string_view label;
  std::string_view meaning;
};
// TABLE: one row a reason. Labels, docs, the page's legend and the dashboards derive from it.
inline constexpr std::array<ReasonInfo, 4> kReasons{{
    {Reason::kRestart, "restart", "Server shutdown or the end of crash recovery."},
    {Reason::kWal, "wal", "WAL volume since the last redo point reached the forced trigger."},
    {Reason::kRequest, "request", "CHECKPOINT command, base backup, database DDL or promotion."},
    {Reason::kTime, "time", "checkpoint_timeout elapsed."},
}};

constexpr std::string_view ReasonLabel(Reason reason) {
  for (const ReasonInfo& info : kReasons) {
    if (info.reason == reason) return info.label;
  }
  return "request";
}

// The words a server prints after "checkpoint starting:", in its order. A set of bits.
enum class CheckpointFlag : std::uint8_t {
  kShutdown,
  kEndOfRecovery,
  kImmediate,  // "immediate" to 18, "fast" from 19
  kForce,
  kWait,
  kWal,  // "xlog" in 10 and 11
  kTime,
  kFlushAll,  // "flush-all" to 18, "flush-unlogged" from 19
};

struct FlagWord {
  CheckpointFlag flag;
  std::string_view word;
};
// TABLE: every spelling of every flag; the first spelling of a flag is the one we show.
inline constexpr std::array<FlagWord, 11> kFlagWords{{
    {CheckpointFlag::kShutdown, "shutdown"},
    {CheckpointFlag::kEndOfRecovery, "end-of-recovery"},
    {CheckpointFlag::kImmediate, "immediate"},
    {CheckpointFlag::kImmediate, "fast"},
    {CheckpointFlag::kForce, "force"},
    {CheckpointFlag::kWait, "wait"},
    {CheckpointFlag::kWal, "wal"},
    {CheckpointFlag::kWal, "xlog"},
    {CheckpointFlag::kTime, "time"},
    {CheckpointFlag::kFlushAll, "flush-all"},
    {CheckpointFlag::kFlushAll, "flush-unlogged"},
}};

struct CheckpointFlags {
  std::uint8_t bits = 0;

  constexpr void Add(CheckpointFlag flag) {
    bits = static_cast<std::uint8_t>(bits | (1U << static_cast<unsigned>(flag)));
  }
  constexpr bool Has(CheckpointFlag flag) const {
    return (bits & (1U << static_cast<unsigned>(flag))) != 0;
  }
  friend constexpr bool operator==(const CheckpointFlags&, const CheckpointFlags&) = default;
};

// The reason that a set of flags stands for. No flags at all (a server that was killed before it
// said why, or a line cut short) counts as a request.
constexpr Reason ReasonOf(CheckpointFlags flags) {
  if (flags.Has(CheckpointFlag::kShutdown) || flags.Has(CheckpointFlag::kEndOfRecovery)) {
    return Reason::kRestart;
  }
  if (flags.Has(CheckpointFlag::kWal)) return Reason::kWal;
  if (flags.Has(CheckpointFlag::kForce) || flags.Has(CheckpointFlag::kWait) ||
      flags.Has(CheckpointFlag::kImmediate)) {
    return Reason::kRequest;
  }
  return flags.Has(CheckpointFlag::kTime) ? Reason::kTime : Reason::kRequest;
}

// Where an event is known from. kBoth: seen by statistics and told in full by the log.
enum class EventOrigin : std::uint8_t { kStats, kLog, kBoth };

constexpr std::string_view EventOriginName(EventOrigin origin) {
  switch (origin) {
    case EventOrigin::kStats: return "stats";
    case EventOrigin::kLog: return "log";
    case EventOrigin::kBoth: return "both";
  }
  return "stats";
}

// What one checkpoint or restartpoint was. Members that its source does not tell are empty, never
// zero. Sizes in bytes, durations in seconds, times in Unix seconds by the server's clock.
// Sources: the "complete" line of the server log (every member; its order of numbers is in
// logs/checkpoint_message.h), or pg_control_checkpoint() and counter deltas between two pulses.
struct CheckpointEvent {
  EventKind kind = EventKind::kCheckpoint;
  Reason reason = Reason::kRequest;
  CheckpointFlags flags;  // empty when only statistics saw it
  EventOrigin origin = EventOrigin::kStats;
  bool failed = false;  // started and ended in an error; the server retries about every second
  int coalesced = 1;    // how many checkpoints this stands for, when pulses were too far apart

  std::optional<UnixSeconds> start;
  std::optional<UnixSeconds> end;
  std::optional<double> write_seconds;
  std::optional<double> sync_seconds;
  std::optional<double> total_seconds;

  std::optional<std::int64_t> buffers_written;
  std::optional<double> buffers_ratio;  // share of shared_buffers, 0..1; may exceed 1 on 14 to 17
  std::optional<std::int64_t> slru_buffers_written;
  std::optional<std::int64_t> wal_files_added;
  std::optional<std::int64_t> wal_files_removed;
  std::optional<std::int64_t> wal_files_recycled;
  std::optional<std::int64_t> sync_files;
  std::optional<double> longest_sync_seconds;
  std::optional<double> average_sync_seconds;
  std::optional<std::int64_t> distance_bytes;
  std::optional<std::int64_t> estimate_bytes;
  std::optional<std::int64_t> lsn;       // where its record is, as a byte position
  std::optional<std::int64_t> redo_lsn;  // where recovery would begin, as a byte position
};

}  // namespace ckpt
