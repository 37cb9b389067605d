// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "core/event_merge.h"
#include "core/stats_events.h"
#include "core/target_state.h"

namespace ckpt {

// All that is computed of one target: takes what polls bring and makes the state to publish.
// Pure: no I/O, no clock, no thread; everything comes with its time. Owned by the thread that
// polls the target.
class TargetModel {
 public:
  explicit TargetModel(std::shared_ptr<const TargetInfo> info, std::size_t events_kept = 500)
      : ledger_(events_kept) {
    state_.info = std::move(info);
  }

  // A connect has succeeded. What was known of another server is forgotten.
  void OnConnect(const ServerIdentity& server, const CapabilitySet& capabilities);
  // Privileges were read anew on the same connection.
  void SetCapabilities(const CapabilitySet& capabilities) { state_.capabilities = capabilities; }
  // A good pulse; `survey` is null when none was made with it.
  void OnPulse(const PulseStats& pulse, std::shared_ptr<const Survey> survey);

  // What the log has told since the last call. `now` orders it with the pulses.
  void OnLog(const LogNews& news, MonotonicTime now);
  // How long a real commit took; see LatencySplit.
  void OnCommit(double seconds, MonotonicTime now);

  // How polling goes; kept by the caller, told here before each Snapshot().
  void SetHealth(const PollHealth& health) { state_.health = health; }

  // What the role may read, which a GRANT changes without a new connection.
  void SetAccess(const CapabilitySet& capabilities, const std::string& session_role) {
    state_.capabilities = capabilities;
    state_.session_role = session_role;
  }

  // The state as of now, to be shared.
  std::shared_ptr<const TargetState> Snapshot();

 private:
  void Count(const std::vector<EventUpdate>& updates);
  void Advise();
  void Sample(const PulseStats& pulse, const Survey* survey);
  const Settings& settings() const;

  TargetState state_;
  Window window_;
  StatsEventDetector detector_;
  EventMerger merger_;
  EventLedger ledger_;
  Forecaster forecaster_;
  LatencySplit latency_;
  Timeline timeline_;
  std::optional<LoggedStart> logged_start_;

  // The pulse with which the last survey came.
  MonotonicTime surveyed_at_{};

  // For the timeline's rates: the pulse and survey before, and the last rates by survey.
  std::optional<PulseStats> previous_pulse_;
  std::shared_ptr<const Survey> previous_survey_;
  double backend_write_rate_ = kNotKnown;
  double commit_rate_ = kNotKnown;
  static constexpr double kNotKnown = std::numeric_limits<double>::quiet_NaN();
};

}  // namespace ckpt
