// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "core/timeline.h"
#include "web/answer.h"

// States by hand, for the tests of what is shown.
namespace ckpt::web {

inline constexpr UnixSeconds kWall = 1'800'000'000;  // 2027-01-15T08:00:00Z
inline constexpr MonotonicTime kMonotonic{std::chrono::hours(1)};
inline constexpr Now kNow{kWall, kMonotonic};

// A target that never answered.
inline TargetState NeverPolled(const std::string& name) {
  TargetState state;
  auto info = std::make_shared<TargetInfo>();
  info->name = name;
  state.info = std::move(info);
  return state;
}

// A primary of version 15.18 that just answered, has every privilege and knows no checkpoint. Its
// clock is 100 s ahead of ours.
inline TargetState Up(const std::string& name) {
  TargetState state = NeverPolled(name);
  state.server = ServerIdentity{};
  state.server->version.num = 150018;
  state.session_role = "monitor";
  for (const CapabilityInfo& info : Capabilities()) state.capabilities.Set(info.capability, true);
  PulseStats pulse;
  pulse.taken = {kWall, kMonotonic};
  pulse.server_time = kWall + 100;
  pulse.in_recovery = 0;
  state.pulse = pulse;
  state.health.connected = true;
  state.health.pulses = 1;
  state.health.last_good = pulse.taken;
  state.activity = {Phase::kIdle, false};
  return state;
}

// A log event with all its numbers; it began at `start` and took 4.2 s.
inline CheckpointEvent FullEvent(UnixSeconds start, Reason reason = Reason::kWal) {
  CheckpointEvent event;
  event.reason = reason;
  event.flags.Add(CheckpointFlag::kImmediate);
  event.flags.Add(CheckpointFlag::kWal);
  event.origin = EventOrigin::kBoth;
  event.start = start;
  event.end = start + 4.2;
  event.write_seconds = 3.5;
  event.sync_seconds = 0.5;
  event.total_seconds = 4.2;
  event.buffers_written = 1638;
  event.buffers_ratio = 0.1;
  event.slru_buffers_written = 3;
  event.wal_files_added = 1;
  event.wal_files_removed = 2;
  event.wal_files_recycled = 5;
  event.sync_files = 17;
  event.longest_sync_seconds = 0.25;
  event.average_sync_seconds = 0.03;
  event.distance_bytes = 50'331'648;
  event.estimate_bytes = 60'000'000;
  event.lsn = (std::int64_t{0x16} << 32) | 0xB374D848;
  event.redo_lsn = (std::int64_t{0x16} << 32) | 0x0A;
  return event;
}

inline void SetEvents(TargetState* state, const std::vector<CheckpointEvent>& events) {
  auto all = std::make_shared<EventsState>();
  std::uint64_t id = 0;
  for (const CheckpointEvent& event : events) {
    all->recent.Append({++id, event});
    ++all->kinds[static_cast<std::size_t>(event.kind)]
          .totals[static_cast<std::size_t>(event.reason)];
  }
  state->events = std::move(all);
}

inline Targets Published(std::initializer_list<TargetState> states) {
  Targets targets;
  for (const TargetState& state : states) {
    targets.push_back(std::make_shared<const TargetState>(state));
  }
  return targets;
}

}  // namespace ckpt::web
