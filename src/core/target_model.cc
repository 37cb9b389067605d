// SPDX-License-Identifier: Apache-2.0
#include "core/target_model.h"

#include <utility>

namespace ckpt {
namespace {

// The rise of a counter per second; NaN where it is not told, or has gone down.
template <class Value>
double Rate(const std::optional<Value>& before, const std::optional<Value>& after, double seconds) {
  if (!before || !after || *after < *before || seconds <= 0) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return static_cast<double>(*after - *before) / seconds;
}

double SecondsBetween(MonotonicTime begin, MonotonicTime end) {
  return std::chrono::duration<double>(end - begin).count();
}

}  // namespace

const Settings& TargetModel::settings() const {
  static const Settings none;
  return state_.survey ? state_.survey->rows.settings : none;
}

void TargetModel::OnConnect(const ServerIdentity& server, const CapabilitySet& capabilities) {
  // A view that the new connection may no longer read must not go on showing its last values.
  state_.pulse.reset();
  state_.survey.reset();
  state_.derived = {};
  state_.forecast = {};
  state_.activity = {};
  state_.advice.reset();
  state_.recommended_max_wal_size.reset();
  state_.server = server;
  state_.capabilities = capabilities;
  previous_pulse_.reset();
  previous_survey_.reset();
  backend_write_rate_ = kNotKnown;
  commit_rate_ = kNotKnown;
}

void TargetModel::OnPulse(const PulseStats& pulse, std::shared_ptr<const Survey> survey) {
  if (!state_.server) return;
  const ServerIdentity& server = *state_.server;
  state_.pulse = pulse;
  if (survey) {
    state_.survey = survey;
    surveyed_at_ = pulse.taken.monotonic;
  } else if (state_.survey &&
             pulse.taken.monotonic - surveyed_at_ > state_.info->survey_fresh_for) {
    // Surveys may fail while pulses go on; what rests on them must not stand for ever.
    state_.survey.reset();
    state_.advice.reset();
    state_.recommended_max_wal_size.reset();
    backend_write_rate_ = kNotKnown;
    commit_rate_ = kNotKnown;
  }
  window_.Add(server, pulse, survey ? &survey->stats : nullptr);
  state_.derived = Derive(window_, settings());

  const MonotonicTime now = pulse.taken.monotonic;
  if (server.HasCheckpoints()) {
    for (const CheckpointEvent& event : detector_.Step(pulse, settings(), server)) {
      Count(merger_.AddStats(event, now));
    }
    Count(merger_.Step(now));
    state_.activity = detector_.activity();
    state_.forecast = forecaster_.Step(pulse, settings(), server, detector_.running());
  }
  if (!state_.activity.in_progress && state_.log && state_.log->reading) {
    state_.activity.in_progress = logged_start_.has_value();
  }
  latency_.Add(Probe::kQuery, pulse.round_trip_seconds, state_.activity.in_progress, now);
  Sample(pulse, survey.get());
  previous_pulse_ = pulse;
  if (survey) Advise();
  if (survey) previous_survey_ = std::move(survey);
}

void TargetModel::OnLog(const LogNews& news, MonotonicTime now) {
  state_.log = news.health;
  logged_start_ = news.in_progress;
  merger_.ExpectLog(news.health.reading);
  for (const CheckpointEvent& event : news.checkpoints) Count(merger_.AddLog(event, now));
  for (const RecoveryEvent& recovery : news.recoveries) {
    if (recovery.crash && recovery.finished && recovery.replayed_bytes && recovery.seconds) {
      ledger_.AddRecovery(*recovery.replayed_bytes, *recovery.seconds, recovery.end.value_or(0));
    }
  }
  for (std::uint64_t i = 0; i < news.too_frequent_warnings; ++i) ledger_.AddTooFrequentWarning();
}

void TargetModel::OnCommit(double seconds, MonotonicTime now) {
  latency_.Add(Probe::kCommit, seconds, state_.activity.in_progress, now);
}

void TargetModel::Count(const std::vector<EventUpdate>& updates) {
  for (const EventUpdate& update : updates) ledger_.Add(update);
}

// With each survey, not with each pulse: nothing that advice rests on moves faster.
void TargetModel::Advise() {
  state_.events = ledger_.State();
  const AdviceInput input = ObservedInput(state_, window_);
  auto advice = std::make_shared<const std::vector<Advice>>(Evaluate(input));
  state_.recommended_max_wal_size = RecommendedMaxWalSize(input, *advice);
  state_.advice = std::move(advice);
}

void TargetModel::Sample(const PulseStats& pulse, const Survey* survey) {
  TimelineSample sample;
  using T = TimelineSeries;
  sample.Set(T::kLatencyMax, pulse.round_trip_seconds);
  sample.Set(T::kLatencyMedian, pulse.round_trip_seconds);
  const Forecast& forecast = state_.forecast;
  if (forecast.wal_since_redo_bytes) {
    sample.Set(T::kWalSinceRedo, static_cast<double>(*forecast.wal_since_redo_bytes));
  }
  if (forecast.forced_trigger_bytes) {
    sample.Set(T::kForcedTrigger, static_cast<double>(*forecast.forced_trigger_bytes));
  }
  if (state_.activity.in_progress) sample.Set(T::kInProgress, *state_.activity.in_progress ? 1 : 0);
  sample.Set(T::kPhase, static_cast<double>(state_.activity.phase));

  if (survey != nullptr && previous_survey_) {
    const SurveyStats& before = previous_survey_->stats;
    const double seconds = SecondsBetween(before.taken.monotonic, survey->stats.taken.monotonic);
    backend_write_rate_ = Rate(before.backend_writes, survey->stats.backend_writes, seconds);
    commit_rate_ = Rate(before.commits, survey->stats.commits, seconds);
  }
  if (previous_pulse_) {
    const PulseStats& before = *previous_pulse_;
    const double seconds = SecondsBetween(before.taken.monotonic, pulse.taken.monotonic);
    sample.Set(T::kWalRate, Rate(WalPosition(before), WalPosition(pulse), seconds));
    sample.Set(T::kCheckpointerWrites,
               Rate(before.buffers_checkpointer, pulse.buffers_checkpointer, seconds));
    sample.Set(T::kBgwriterWrites, Rate(before.buffers_bgwriter, pulse.buffers_bgwriter, seconds));
    sample.Set(T::kBackendWrites, pulse.buffers_backend
                                      ? Rate(before.buffers_backend, pulse.buffers_backend, seconds)
                                      : backend_write_rate_);
  }
  sample.Set(T::kCommits, commit_rate_);
  timeline_.Add(pulse.server_time.value_or(pulse.taken.wall), sample);
}

std::shared_ptr<const TargetState> TargetModel::Snapshot() {
  ledger_.SetSources(merger_.counts());
  state_.events = ledger_.State();
  if (state_.pulse) state_.latency = latency_.State(state_.pulse->taken.monotonic);
  state_.timeline = timeline_.Snapshot();
  return std::make_shared<const TargetState>(state_);
}

}  // namespace ckpt
