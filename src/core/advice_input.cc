// SPDX-License-Identifier: Apache-2.0
#include "core/advice_input.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "core/advice_span.h"
#include "core/forced_trigger.h"
#include "core/pulse_times.h"
#include "core/target_state.h"

namespace ckpt {
namespace {

using C = WindowCounter;
constexpr std::chrono::seconds kHour{3600};

template <class Value>
OptionalReal Real(const std::optional<Value>& value) {
  return value ? OptionalReal(static_cast<double>(*value)) : std::nullopt;
}

// The rate that is exceeded in no more than 5 % of the time.
OptionalReal RateAt95(std::vector<std::pair<double, double>> rates) {
  if (rates.empty()) return std::nullopt;
  std::sort(rates.begin(), rates.end());
  double total = 0;
  for (const auto& [rate, seconds] : rates) total += seconds;
  double below = 0;
  for (const auto& [rate, seconds] : rates) {
    below += seconds;
    if (below >= 0.95 * total) return rate;
  }
  return rates.back().first;
}

OptionalReal DistanceOf(const CheckpointEvent* before, const CheckpointEvent& event) {
  if (before != nullptr && before->redo_lsn && event.redo_lsn &&
      *event.redo_lsn >= *before->redo_lsn) {
    return static_cast<double>(*event.redo_lsn - *before->redo_lsn);
  }
  // The log's own distance is that to the last redo point, so it fits one checkpoint, not several.
  return event.coalesced == 1 ? Real(event.distance_bytes) : std::nullopt;
}

// Keeps a mean of what is told.
class Mean {
 public:
  void Add(const OptionalReal& value) {
    if (!value) return;
    sum_ += *value;
    ++count_;
  }
  OptionalReal value() const { return count_ > 0 ? OptionalReal(sum_ / count_) : std::nullopt; }

 private:
  double sum_ = 0;
  double count_ = 0;
};

void Raise(OptionalReal* most, const OptionalReal& value) {
  if (value && (!*most || **most < *value)) *most = value;
}

// Of relation writes by others than checkpointer and background writer, those in context "normal".
OptionalReal NormalShare(const std::vector<IoStats>& rows) {
  double all = 0;
  double normal = 0;
  for (const IoStats& row : rows) {
    if (row.object != "relation" || row.backend_type == "checkpointer" ||
        row.backend_type == "background writer") {
      continue;
    }
    const double writes = static_cast<double>(row.writes.value_or(0));
    all += writes;
    if (row.context == "normal") normal += writes;
  }
  return all > 0 ? OptionalReal(normal / all) : std::nullopt;
}

void FillCommon(const TargetState& state, AdviceInput* input) {
  input->server = *state.server;
  input->standby = InRecovery(*state.pulse);
  input->settings = state.survey->rows.settings;
  input->limits = state.info->advice_limits;
  const SurveyStats& stats = state.survey->stats;
  input->wal_directory_bytes = Real(stats.wal_directory_bytes);
  input->archive_ready_files = Real(stats.archive_ready_files);
  input->archive_failing = stats.last_archive_failure_time &&
                           *stats.last_archive_failure_time > stats.last_archived_time.value_or(0);
  for (const SlotStats& slot : state.survey->rows.slots) {
    if (!slot.retained_wal_bytes) continue;
    input->slots.push_back({slot.slot_name, static_cast<double>(*slot.retained_wal_bytes),
                            slot.active.value_or(0) != 0});
  }
  std::sort(input->slots.begin(), input->slots.end(),
            [](const auto& a, const auto& b) { return a.retained_bytes > b.retained_bytes; });
  input->writers.normal_share = NormalShare(state.survey->rows.io);
  input->recovery_wal_bytes = Real(state.forecast.recovery_wal_bytes);
  input->redo_bytes_per_second = state.events->recovery.BytesPerSecond();
}

}  // namespace

OptionalReal WriterFacts::BackendShare() const {
  if (!checkpointer || !bgwriter || !backend) return std::nullopt;
  const double all = *checkpointer + *bgwriter + *backend;
  return all > 0 ? OptionalReal(*backend / all) : std::nullopt;
}

std::optional<WalSizingInput> AdviceInput::Sizing() const {
  if (!checkpoints.wal_rate_p95 || !settings.checkpoint_timeout || !settings.max_wal_size ||
      !settings.checkpoint_completion_target) {
    return std::nullopt;
  }
  WalSizingInput sizing;
  sizing.wal_bytes_per_second = *checkpoints.wal_rate_p95;
  sizing.checkpoint_timeout = *settings.checkpoint_timeout;
  sizing.completion_target = *settings.checkpoint_completion_target;
  sizing.segment_bytes = settings.wal_segment_size.value_or(sizing.segment_bytes);
  sizing.max_wal_size = *settings.max_wal_size;
  sizing.major_version = server.version.major();
  sizing.fpi_ratio = fpi_ratio;
  sizing.mean_interval = checkpoints.mean_interval;
  sizing.redo_bytes_per_second = redo_bytes_per_second;
  sizing.limits = limits;
  // A mean since a reset hides the bursts that forced checkpoints, and their rate is not known.
  const int forced = checkpoints.Of(Reason::kWal);
  if (basis == AdviceBasis::kSinceReset && forced * 10 >= checkpoints.Total() * 3 && forced > 0) {
    sizing.at_least = 2 * sizing.max_wal_size;
  }
  return sizing;
}

CheckpointFacts FoldEvents(const std::vector<CheckpointEvent>& events, EventKind kind,
                           UnixSeconds since, UnixSeconds now) {
  CheckpointFacts facts;
  std::vector<std::pair<double, double>> rates;  // bytes/s, seconds
  double wal_bytes = 0;
  double wal_seconds = 0;
  Mean interval, buffers, sync;
  const CheckpointEvent* before = nullptr;
  OptionalReal first;
  for (const CheckpointEvent& event : events) {
    const OptionalReal start = event.start ? event.start : event.end;
    if (!start || *start < since || *start > now) continue;
    if (event.failed) {
      ++facts.failed;
      facts.since_failed = now - *start;
      continue;  // the next attempt stands for it
    }
    if (event.kind != kind || event.reason == Reason::kRestart) {
      before = nullptr;
      // What follows a restart is measured from its redo point on.
      if (event.kind == kind && event.redo_lsn && event.start) before = &event;
      if (!first) first = start;
      continue;
    }
    if (!first) first = start;
    facts.by_reason[static_cast<std::size_t>(event.reason)] += std::max(1, event.coalesced);
    if (event.origin != EventOrigin::kStats) ++facts.told_by_log;
    if (event.reason == Reason::kWal) facts.since_forced = now - *start;
    if (event.reason == Reason::kRequest) facts.since_requested = now - *start;

    if (before != nullptr && before->start && event.start && *event.start > *before->start) {
      const double seconds = *event.start - *before->start;
      interval.Add(seconds / std::max(1, event.coalesced));
      if (event.reason == Reason::kWal &&
          (!facts.shortest_forced || seconds < *facts.shortest_forced)) {
        facts.shortest_forced = seconds;
      }
      if (const OptionalReal bytes = DistanceOf(before, event)) {
        rates.emplace_back(*bytes / seconds, seconds);
        wal_bytes += *bytes;
        wal_seconds += seconds;
      }
    }
    buffers.Add(Real(event.buffers_written));
    sync.Add(event.sync_seconds);
    Raise(&facts.longest_sync_seconds, event.longest_sync_seconds);
    Raise(&facts.longest_sync_phase, event.sync_seconds);
    if (event.sync_seconds.value_or(0) >= CheckpointFacts::kSlowSyncPhase ||
        event.longest_sync_seconds.value_or(0) >= CheckpointFacts::kSlowSyncFile) {
      ++facts.slow_syncs;
    }
    before = &event;
  }
  if (first) facts.span_seconds = now - *first;
  facts.mean_interval = interval.value();
  facts.mean_buffers_written = buffers.value();
  facts.mean_sync_seconds = sync.value();
  if (wal_seconds > 0) facts.wal_rate_mean = wal_bytes / wal_seconds;
  facts.wal_rate_p95 = RateAt95(std::move(rates));
  return facts;
}

UnixSeconds AdviceSince(const ServerIdentity& server, const Settings& settings, UnixSeconds now) {
  const double length = std::max(3600.0, 8 * settings.checkpoint_timeout.value_or(300));
  return std::max(now - length, server.postmaster_start.value_or(0) - 1);
}

AdviceInput ObservedInput(const TargetState& state, const Window& window) {
  AdviceInput input;
  FillCommon(state, &input);
  const UnixSeconds now = ServerTime(*state.pulse);
  const UnixSeconds since = AdviceSince(input.server, input.settings, now);
  std::vector<CheckpointEvent> events;
  const auto stored = state.events->recent.Recent(500);
  events.reserve(stored.size());
  for (const StoredEvent& one : stored) events.push_back(one.event);
  input.checkpoints = FoldEvents(events, KindNow(*state.pulse), since, now);
  // A quiet hour is an hour seen as well.
  input.checkpoints.span_seconds = std::max(input.checkpoints.span_seconds,
                                            window.Span(C::kCheckpointsTimed, kHour).value_or(0));

  // Checkpoints closer together than pulses do not tell their distances one by one.
  if (!input.checkpoints.wal_rate_p95) {
    const auto bytes = window.Delta(C::kWalPosition, std::chrono::minutes(5));
    const auto seconds = window.Span(C::kWalPosition, std::chrono::minutes(5));
    if (bytes && seconds && *seconds > 0) {
      input.checkpoints.wal_rate_mean = input.checkpoints.wal_rate_p95 = *bytes / *seconds;
    }
  }

  input.writers.span_seconds = window.Span(C::kMixBackend, kHour);
  input.writers.checkpointer = window.Delta(C::kMixCheckpointer, kHour);
  input.writers.bgwriter = window.Delta(C::kMixBgwriter, kHour);
  input.writers.backend = window.Delta(C::kMixBackend, kHour);
  input.writers.maxwritten_clean = window.Delta(C::kMaxwrittenClean, kHour);
  if (!input.writers.span_seconds) {
    input.writers.span_seconds = window.Span(C::kMaxwrittenClean, kHour);
  }
  input.writers.backend_fsyncs = window.Delta(C::kBackendFsyncs, kHour);
  input.writers.recent_maxwritten_clean =
      window.Delta(C::kMaxwrittenClean, std::chrono::minutes(5));
  input.writers.recent_backend_share =
      state.derived.Of(WindowLength::kFiveMinutes).backend_write.value_or(0);
  input.fpi_ratio = state.derived.Of(WindowLength::kOneHour).wal_fpi;
  input.wal_bytes = window.Delta(C::kWalBytes, kHour);
  input.archive_failures = window.Delta(C::kArchiveFailures, kHour);
  return input;
}

AdviceInput SinceResetInput(const TargetState& state) {
  AdviceInput input;
  FillCommon(state, &input);
  input.basis = AdviceBasis::kSinceReset;
  const PulseStats& pulse = *state.pulse;
  const SurveyStats& stats = state.survey->stats;
  const UnixSeconds now = ServerTime(pulse);
  CheckpointFacts& facts = input.checkpoints;

  const OptionalReal timed =
      Real(input.standby && pulse.restartpoints_timed ? pulse.restartpoints_timed
                                                      : pulse.checkpoints_timed);
  const OptionalReal requested =
      Real(input.standby && pulse.restartpoints_requested ? pulse.restartpoints_requested
                                                          : pulse.checkpoints_requested);
  if (timed && requested && pulse.checkpointer_stats_reset &&
      now > *pulse.checkpointer_stats_reset) {
    facts.span_seconds = now - *pulse.checkpointer_stats_reset;
    const bool same_span = pulse.wal_stats_reset && !input.standby &&
                           std::abs(*pulse.wal_stats_reset - *pulse.checkpointer_stats_reset) < 60;
    const auto trigger = ReadForcedTrigger(input.settings, state.server->version);
    double forced = 0;
    if (same_span && pulse.wal_bytes && trigger) {
      const double wal = static_cast<double>(*pulse.wal_bytes);
      const double distance =
          static_cast<double>(std::max<std::int64_t>(1, trigger->segments - 1)) *
          static_cast<double>(trigger->segment_bytes);
      forced = std::min(*requested, std::floor(wal / distance));
      facts.wal_rate_mean = wal / facts.span_seconds;
      facts.wal_rate_p95 = facts.wal_rate_mean;
    }
    const auto set = [&facts](Reason reason, double count) {
      facts.by_reason[static_cast<std::size_t>(reason)] = static_cast<int>(std::min(count, 1e9));
    };
    set(Reason::kWal, forced);
    set(Reason::kRequest, *requested - forced);
    set(Reason::kTime, *timed);
    if (const double all = *timed + *requested; all > 0) {
      facts.mean_interval = facts.span_seconds / all;
      if (pulse.buffers_checkpointer) {
        facts.mean_buffers_written = static_cast<double>(*pulse.buffers_checkpointer) / all;
      }
      if (pulse.sync_seconds) facts.mean_sync_seconds = *pulse.sync_seconds / all;
    }
  }

  WriterFacts& writers = input.writers;
  if (pulse.bgwriter_stats_reset && now > *pulse.bgwriter_stats_reset) {
    writers.span_seconds = now - *pulse.bgwriter_stats_reset;
  }
  writers.maxwritten_clean = Real(pulse.maxwritten_clean);
  writers.backend_fsyncs = Real(pulse.backend_fsyncs ? pulse.backend_fsyncs : stats.backend_fsyncs);
  const OptionalReal mix_reset =
      pulse.buffers_backend ? pulse.bgwriter_stats_reset : stats.io_stats_reset;
  const auto together = [&mix_reset](const OptionalReal& other) {
    return mix_reset && other && std::abs(*mix_reset - *other) <= 2;
  };
  if (together(pulse.bgwriter_stats_reset) && together(pulse.checkpointer_stats_reset)) {
    writers.checkpointer = Real(pulse.buffers_checkpointer);
    writers.bgwriter = Real(pulse.buffers_bgwriter);
    writers.backend = Real(pulse.buffers_backend ? pulse.buffers_backend : stats.backend_writes);
  }
  input.fpi_ratio = state.derived.Of(WindowLength::kSinceReset).wal_fpi;
  input.wal_bytes = Real(pulse.wal_bytes);
  return input;
}

}  // namespace ckpt
