// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/server_version.h"
#include "core/stats.h"

namespace ckpt {

// What the checkpointer process does at this moment.
enum class Phase : std::uint8_t {
  kUnknown,   // the role may not see it, or it works and its wait does not tell at what
  kIdle,      // waits for the next checkpoint
  kWrite,     // writes dirty buffers, or pauses between two writes of a spread checkpoint
  kSync,      // fsyncs what was written
  kFinish,    // two-phase state, checkpoint record, control file, WAL files added and removed
  kShutdown,  // has written the shutdown checkpoint and waits to exit (18+)
};

struct PhaseInfo {
  Phase phase;
  std::string_view label;
};
// TABLE: one row a phase; the values of the label `phase`.
inline constexpr std::array<PhaseInfo, 6> kPhases{{
    {Phase::kUnknown, "unknown"},
    {Phase::kIdle, "idle"},
    {Phase::kWrite, "write"},
    {Phase::kSync, "sync"},
    {Phase::kFinish, "finish"},
    {Phase::kShutdown, "shutdown"},
}};

constexpr std::string_view PhaseLabel(Phase phase) {
  for (const PhaseInfo& info : kPhases) {
    if (info.phase == phase) return info.label;
  }
  return "unknown";
}

struct CheckpointerWait {
  std::string_view wait_event;  // pg_stat_activity.wait_event
  Phase phase;
  VersionRange versions{};
};
// TABLE: the waits that tell a phase. A wait that is met in several phases (WALWrite: a page is
// written only after its WAL; LWLocks) is not in it.
std::span<const CheckpointerWait> CheckpointerWaits();

struct Activity {
  Phase phase = Phase::kUnknown;
  // Whether a checkpoint or restartpoint runs. Empty: this role may not see it.
  std::optional<bool> in_progress;
};

// Reads the checkpointer's wait of one pulse. CheckpointerMain is idle; anything else, no wait
// included, is work. A wait that tells no phase (none: it computes, or to 13 pauses) keeps
// `previous`, the phase of the pulse before; after an idle one it is the write phase, with which
// every checkpoint begins.
Activity ReadActivity(const PulseStats& pulse, ServerVersion version, Phase previous);

}  // namespace ckpt
