// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "metrics/catalog.h"

// How reading a server's log goes. Absent where none is followed.
namespace ckpt::metrics {
namespace {

struct Outcome {
  std::string_view label;
  std::uint64_t LogHealth::*count;
};
// TABLE: one row an outcome of a line. `read` holds all the others.
constexpr std::array<Outcome, 6> kOutcomes{{
    {"read", &LogHealth::lines_read},
    {"matched", &LogHealth::lines_matched},
    {"not_understood", &LogHealth::lines_not_understood},
    {"rejected", &LogHealth::lines_rejected},
    {"malformed", &LogHealth::lines_malformed},
    {"too_long", &LogHealth::lines_too_long},
}};

void CollectLines(const TargetState& state, SampleSink& sink) {
  if (!state.log) return;
  for (const Outcome& outcome : kOutcomes) {
    sink.Add(static_cast<double>((*state.log).*outcome.count), {outcome.label});
  }
}

template <auto kMember>
void CollectSource(const TargetState& state, SampleSink& sink) {
  if (state.log) sink.Add(static_cast<double>(state.log->source.*kMember));
}

void CollectErrors(const TargetState& state, SampleSink& sink) {
  if (!state.log) return;
  for (const LogErrorKindInfo& info : kLogErrorKinds) {
    sink.Add(static_cast<double>(state.log->source.ErrorsOf(info.kind)), {info.label});
  }
}

constexpr auto C = MetricType::kCounter;
constexpr auto G = MetricType::kGauge;

constexpr auto kLogMetrics = std::to_array<DerivedMetric>({
    {{"log_reading", "1 if the last attempt to read the server log succeeded, else 0.", G},
     "exporter",
     [](const TargetState& state, SampleSink& sink) {
       if (state.log) sink.Add(state.log->reading ? 1 : 0);
     },
     false},
    {{"log_lines_total",
      "Lines of the server log: read in all, and of these matched (about checkpoints or recovery), "
      "not_understood (the checkpointer's), rejected (such a text by another process), malformed "
      "(not of the log's format) and too_long.",
      C, Unit::kNone, "outcome"},
     "log",
     CollectLines,
     false},
    {{"log_last_match_timestamp_seconds", "Time of the last line that was matched.", G,
      Unit::kTimestamp},
     "log",
     [](const TargetState& state, SampleSink& sink) {
       if (state.log) sink.AddIf(state.log->last_match_time);
     },
     false},
    {{"log_read_bytes_total", "Bytes of the server log read.", C, Unit::kBytes},
     "log",
     CollectSource<&LogSourceCounters::bytes>,
     false},
    {{"log_rotations_total", "Times that another log file took over.", C},
     "log",
     CollectSource<&LogSourceCounters::rotations>,
     false},
    {{"log_truncations_total", "Times that a log file lost bytes that had been read.", C},
     "log",
     CollectSource<&LogSourceCounters::truncations>,
     false},
    {{"log_errors_total", "Failed attempts to read the server log, by kind.", C, Unit::kNone,
      "kind"},
     "exporter",
     CollectErrors,
     false},
});

constexpr bool AllWellNamed() {
  for (const DerivedMetric& metric : kLogMetrics) {
    if (!WellNamed(metric.family)) return false;
  }
  return true;
}
static_assert(AllWellNamed(), "a metric about the log breaks the naming rules");

}  // namespace

std::span<const DerivedMetric> LogMetrics() { return kLogMetrics; }

}  // namespace ckpt::metrics
