// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "metrics/catalog.h"

// Checkpoints as events, what happens now, what comes next, and latency by checkpoint.
namespace ckpt::metrics {
namespace {

template <std::size_t kSize>
void CollectByReason(const TargetState& state, SampleSink& sink,
                     std::array<OptionalReal, kSize> KindEvents::*member) {
  for (const EventKind kind : kEventKinds) {
    const auto& values = state.events->of(kind).*member;
    for (std::size_t i = 0; i < kReasons.size(); ++i) {
      sink.AddIf(values[i], {EventKindName(kind), kReasons[i].label});
    }
  }
}

void CollectEvents(const TargetState& state, SampleSink& sink) {
  for (const EventKind kind : kEventKinds) {
    const KindEvents& events = state.events->of(kind);
    for (std::size_t i = 0; i < kReasons.size(); ++i) {
      sink.Add(static_cast<double>(events.totals[i]), {EventKindName(kind), kReasons[i].label});
    }
  }
}

void CollectDurations(const TargetState& state, SampleSink& sink) {
  for (const EventKind kind : kEventKinds) {
    const KindEvents& events = state.events->of(kind);
    for (std::size_t i = 0; i < kEventParts.size(); ++i) {
      const HistogramView view = events.seconds[i].View();
      const std::array<std::string_view, 2> labels{EventKindName(kind), kEventParts[i].label};
      sink.AddHistogram(view.bounds, view.counts, view.sum, labels);
    }
  }
}

template <auto kMember>
void CollectByKind(const TargetState& state, SampleSink& sink) {
  for (const EventKind kind : kEventKinds) {
    const auto& value = state.events->of(kind).*kMember;
    if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::uint64_t>) {
      sink.Add(static_cast<double>(value), {EventKindName(kind)});
    } else {
      sink.AddIf(value, {EventKindName(kind)});
    }
  }
}

void CollectSources(const TargetState& state, SampleSink& sink) {
  const MergeCounts& counts = state.events->sources;
  sink.Add(static_cast<double>(counts.both), {"both"});
  sink.Add(static_cast<double>(counts.log_only), {"log"});
  sink.Add(static_cast<double>(counts.stats_only), {"stats"});
}

void CollectPhase(const TargetState& state, SampleSink& sink) {
  for (const PhaseInfo& info : kPhases) {
    sink.Add(state.activity.phase == info.phase ? 1 : 0, {info.label});
  }
}

void CollectLatency(const TargetState& state, SampleSink& sink) {
  for (const ProbeInfo& info : kProbes) {
    const ProbeLatency& latency = state.latency->of(info.probe);
    for (const bool running : {false, true}) {
      const HistogramView view = latency.seconds[running ? 1 : 0].View();
      const std::array<std::string_view, 2> labels{info.label, running ? "running" : "idle"};
      sink.AddHistogram(view.bounds, view.counts, view.sum, labels);
    }
  }
}

void CollectImpact(const TargetState& state, SampleSink& sink) {
  for (const ProbeInfo& info : kProbes) {
    sink.AddIf(state.latency->of(info.probe).impact_ratio, {info.label});
  }
}

template <auto kMember>
void CollectForecast(const TargetState& state, SampleSink& sink) {
  sink.AddIf(state.forecast.*kMember);
}

template <auto kMember>
void CollectRecovery(const TargetState& state, SampleSink& sink) {
  sink.Add(static_cast<double>(state.events->recovery.*kMember));
}

constexpr auto C = MetricType::kCounter;
constexpr auto G = MetricType::kGauge;
constexpr auto H = MetricType::kHistogram;
constexpr std::string_view kEventSource = "log, pg_control_checkpoint(), counters; docs/events.md";

constexpr auto kEventMetrics = std::to_array<DerivedMetric>({
    {{"events_total",
      "Completed checkpoints and restartpoints by what caused them, told by the log or inferred "
      "from statistics. Counted since the exporter watches.",
      C, Unit::kNone, "kind,reason"},
     kEventSource,
     CollectEvents},
    {{"event_failures_total", "Checkpoints and restartpoints that began and ended in an error.", C,
      Unit::kNone, "kind"},
     kEventSource,
     CollectByKind<&KindEvents::failures>},
    {{"events_coalesced_total",
      "Those of events_total that are known only as a number, because several fell between two "
      "pulses.",
      C, Unit::kNone, "kind"},
     kEventSource,
     CollectByKind<&KindEvents::coalesced>},
    {{"event_sources_total",
      "Events by who saw them: both, the log alone or statistics alone. A log that sees nothing "
      "shows here.",
      C, Unit::kNone, "source"},
     "exporter",
     CollectSources},
    {{"event_duration_seconds",
      "Duration of events by part. write includes the deliberate pauses of a spread checkpoint.", H,
      Unit::kSeconds, "kind,phase"},
     kEventSource,
     CollectDurations},
    {{"event_distance_bytes", "WAL between the last two redo points.", G, Unit::kBytes, "kind"},
     kEventSource,
     CollectByKind<&KindEvents::last_distance_bytes>},
    {{"event_estimate_bytes",
      "The server's own estimate of the WAL between checkpoints, by which it recycles WAL files "
      "(log only).",
      G, Unit::kBytes, "kind"},
     "log",
     CollectByKind<&KindEvents::last_estimate_bytes>},
    {{"event_longest_sync_seconds", "Longest fsync of the last event (log only).", G,
      Unit::kSeconds, "kind"},
     "log",
     CollectByKind<&KindEvents::last_longest_sync_seconds>},
    {{"last_start_timestamp_seconds",
      "When the last event of this reason began, by the server's clock.", G, Unit::kTimestamp,
      "kind,reason"},
     kEventSource,
     [](const TargetState& state, SampleSink& sink) {
       CollectByReason(state, sink, &KindEvents::last_start);
     }},
    {{"last_end_timestamp_seconds",
      "When the last event of this reason ended, by the server's clock.", G, Unit::kTimestamp,
      "kind,reason"},
     kEventSource,
     [](const TargetState& state, SampleSink& sink) {
       CollectByReason(state, sink, &KindEvents::last_end);
     }},
    {{"too_frequent_warnings_total",
      "Warnings of the server that checkpoints are occurring too frequently (log only).", C},
     "log",
     [](const TargetState& state, SampleSink& sink) {
       sink.Add(static_cast<double>(state.events->too_frequent_warnings));
     }},

    {{"in_progress",
      "1 while a checkpoint or restartpoint runs, else 0. Absent when the role may not see it "
      "(pg_monitor) and no log is read.",
      G},
     "pg_stat_activity, log",
     [](const TargetState& state, SampleSink& sink) { sink.AddIf(state.activity.in_progress); }},
    {{"phase", "1 for what the checkpointer does now, 0 for the others.", G, Unit::kNone, "phase"},
     "pg_stat_activity",
     CollectPhase},

    {{"wal_since_redo_bytes",
      "WAL since the redo point that the forced trigger counts from; while a checkpoint runs, from "
      "its beginning as far as it was seen.",
      G, Unit::kBytes},
     "WAL position, pg_control_checkpoint()",
     CollectForecast<&Forecast::wal_since_redo_bytes>},
    {{"recovery_wal_bytes", "WAL that crash recovery would have to replay now.", G, Unit::kBytes},
     "WAL position, pg_control_checkpoint()",
     CollectForecast<&Forecast::recovery_wal_bytes>},
    {{"forced_trigger_bytes",
      "WAL since the redo point at which the server forces a checkpoint: max_wal_size / (1 + "
      "checkpoint_completion_target) in whole segments (10: 2 + the target).",
      G, Unit::kBytes},
     "settings, pg_control_checkpoint()",
     CollectForecast<&Forecast::forced_trigger_bytes>},
    {{"forecast_wal_bytes_per_second", "Recent rate of WAL on which the forecast rests.", G},
     "WAL position",
     CollectForecast<&Forecast::wal_bytes_per_second>},
    {{"next_forced_timestamp_seconds",
      "When WAL volume would force the next checkpoint at the present rate. Absent when nothing is "
      "written or it is more than a week away.",
      G, Unit::kTimestamp},
     "forecast",
     CollectForecast<&Forecast::next_forced>},
    {{"next_timed_timestamp_seconds",
      "When checkpoint_timeout next elapses. The server skips that checkpoint if nothing was "
      "written.",
      G, Unit::kTimestamp},
     "forecast",
     CollectForecast<&Forecast::next_timed>},

    {{"probe_latency_seconds",
      "Round trips, by whether a checkpoint ran: query is the pulse itself, commit the opt-in "
      "commit probe.",
      H, Unit::kSeconds, "probe,checkpoint"},
     "exporter",
     CollectLatency},
    {{"latency_impact_ratio",
      "95th percentile of the latency while checkpoints ran over that while none ran, in the last "
      "hour; 1 is no difference. Absent until both have 20 samples.",
      G, Unit::kRatio, "probe"},
     "exporter",
     CollectImpact},

    {{"recoveries_total", "Crash recoveries that the log has told of.", C},
     "log",
     CollectRecovery<&RecoveryStats::runs>},
    {{"recovery_replayed_bytes_total", "WAL replayed by these crash recoveries.", C, Unit::kBytes},
     "log",
     CollectRecovery<&RecoveryStats::bytes>},
    {{"recovery_seconds_total", "Time that these crash recoveries took.", C, Unit::kSeconds},
     "log",
     CollectRecovery<&RecoveryStats::seconds>},
});

constexpr bool AllWellNamed() {
  for (const DerivedMetric& metric : kEventMetrics) {
    if (!WellNamed(metric.family)) return false;
  }
  return true;
}
static_assert(AllWellNamed(), "a metric about events breaks the naming rules");

}  // namespace

std::span<const DerivedMetric> EventMetrics() { return kEventMetrics; }

}  // namespace ckpt::metrics
