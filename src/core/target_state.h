// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/activity.h"
#include "core/advice.h"
#include "core/capability.h"
#include "core/derive.h"
#include "core/event_ledger.h"
#include "core/latency.h"
#include "core/log_news.h"
#include "core/predict.h"
#include "core/result.h"
#include "core/server_identity.h"
#include "core/sql_plan.h"
#include "core/timeline.h"

namespace ckpt {

// What never changes of a target between two configurations.
struct TargetInfo {
  std::string name;
  std::vector<std::pair<std::string, std::string>> labels;  // constant labels beside `target`
  // Samples of a server older than this are not shown: max(3 x pulse interval, 5 s).
  std::chrono::nanoseconds fresh_for{std::chrono::seconds(5)};
  // What a survey told is not shown when older: max(3 x survey interval, 5 s).
  std::chrono::nanoseconds survey_fresh_for{std::chrono::seconds(45)};
  AdviceLimits advice_limits;
};

// How polling goes. Counts since the target was configured.
struct PollHealth {
  bool connected = false;
  std::uint64_t pulses = 0;
  std::uint64_t surveys = 0;
  std::uint64_t connects = 0;
  std::uint64_t values_rejected = 0;  // values that a server sent and we could not understand
  std::array<std::uint64_t, std::size(kErrorCodes)> errors{};  // in the order of kErrorCodes
  std::optional<double> connect_seconds;                       // of the last connect
  std::optional<double> pulse_seconds;                         // round trip of the last good pulse
  std::optional<ErrorCode> last_error;                         // empty after a good pulse
  std::optional<SampleTime> last_good;                         // the last good pulse
};

// What one survey told.
struct Survey {
  SurveyStats stats;
  SurveyRows rows;
};

// Everything that is known of a target at one moment: what a poll publishes and scrapes, pages and
// advice read. Immutable once published and shared by shared_ptr<const TargetState>; so any number
// of threads may read it, and none ever waits for a poll.
struct TargetState {
  std::shared_ptr<const TargetInfo> info;
  PollHealth health;

  // Of the server; empty before the first good connect.
  std::optional<ServerIdentity> server;
  CapabilitySet capabilities;
  std::string session_role;  // whom the server takes us for, as a quoted identifier
  std::optional<PulseStats> pulse;
  std::shared_ptr<const Survey> survey;  // null before the first, and when the last is too old
  Derived derived;

  // What follows from them and from the log. The pointers are never null.
  Activity activity;
  Forecast forecast;
  std::shared_ptr<const EventsState> events = std::make_shared<EventsState>();
  std::shared_ptr<const LatencyState> latency = std::make_shared<LatencyState>();
  TimelineSnapshot timeline;
  // What should be changed, as of the last survey; null before the first. See Evaluate().
  std::shared_ptr<const std::vector<Advice>> advice;
  OptionalReal recommended_max_wal_size;  // bytes; see RecommendedMaxWalSize()
  std::optional<LogHealth> log;           // empty: no log is followed

  // Whether the last good pulse is young enough to be shown at `now`. Without it a target is down
  // and has no server samples: absent, never stale.
  bool Fresh(MonotonicTime now) const {
    return pulse && health.last_good && now - health.last_good->monotonic <= info->fresh_for;
  }
};

}  // namespace ckpt
