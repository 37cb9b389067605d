// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string>

#include "metrics/catalog.h"

namespace ckpt::metrics {
namespace {

std::string VersionText(ServerVersion version) {
  return std::to_string(version.major()) + "." + std::to_string(version.minor());
}

void CollectServerInfo(const TargetState& state, SampleSink& sink) {
  if (!state.server) return;
  const ServerIdentity& server = *state.server;
  const bool standby = state.pulse && state.pulse->in_recovery.value_or(0) != 0;
  const std::string identifier =
      server.system_identifier ? std::to_string(*server.system_identifier) : "";
  sink.Add(
      1, {VersionText(server.version), standby ? "standby" : "primary", server.flavor, identifier});
}

void CollectCapabilities(const TargetState& state, SampleSink& sink) {
  if (!state.server) return;
  for (const CapabilityInfo& info : Capabilities()) {
    if (!info.versions.Contains(state.server->version)) continue;
    sink.Add(state.capabilities.Has(info.capability) ? 1 : 0, {info.name});
  }
}

void CollectPollErrors(const TargetState& state, SampleSink& sink) {
  for (std::size_t i = 0; i < state.health.errors.size(); ++i) {
    sink.Add(static_cast<double>(state.health.errors[i]), {ErrorCodeName(kErrorCodes[i])});
  }
}

constexpr auto kHealthMetrics = std::to_array<DerivedMetric>({
    {{"up", "1 if the server answered a pulse recently enough, else 0.", MetricType::kGauge},
     "exporter",
     [](const TargetState& state, SampleSink& sink) { sink.Add(state.Fresh(sink.now()) ? 1 : 0); },
     false},
    {{"server_info",
      "The server that answers: its version, role (primary or standby), flavor and system "
      "identifier.",
      MetricType::kInfo, Unit::kNone, "version,role,flavor,system_identifier"},
     "protocol, pg_is_in_recovery(), pg_control_system()",
     CollectServerInfo},
    {{"capability",
      "1 if the role may read this on this server, else 0. The log and `doctor` name the GRANT "
      "that cures a 0.",
      MetricType::kGauge, Unit::kNone, "name"},
     "catalogs, read at each connect",
     CollectCapabilities},
    {{"last_poll_timestamp_seconds", "When the server last answered a pulse.", MetricType::kGauge,
      Unit::kTimestamp},
     "clock of the exporter",
     [](const TargetState& state, SampleSink& sink) {
       if (state.health.last_good) sink.Add(state.health.last_good->wall);
     },
     false},
    {{"poll_errors_total", "Failed connects and polls by kind of error.", MetricType::kCounter,
      Unit::kNone, "code"},
     "exporter",
     CollectPollErrors,
     false},
    {{"pulses_total", "Pulses answered: one statement each.", MetricType::kCounter},
     "exporter",
     [](const TargetState& state, SampleSink& sink) {
       sink.Add(static_cast<double>(state.health.pulses));
     },
     false},
    {{"surveys_total", "Surveys answered.", MetricType::kCounter},
     "exporter",
     [](const TargetState& state, SampleSink& sink) {
       sink.Add(static_cast<double>(state.health.surveys));
     },
     false},
    {{"connects_total", "Connections opened to the server.", MetricType::kCounter},
     "exporter",
     [](const TargetState& state, SampleSink& sink) {
       sink.Add(static_cast<double>(state.health.connects));
     },
     false},
    {{"connect_duration_seconds", "Time that the last connect took, discovery included.",
      MetricType::kGauge, Unit::kSeconds},
     "exporter",
     [](const TargetState& state, SampleSink& sink) { sink.AddIf(state.health.connect_seconds); }},
    {{"pulse_duration_seconds",
      "Round trip of the last pulse, from sending the statement to having its row.",
      MetricType::kGauge, Unit::kSeconds},
     "exporter",
     [](const TargetState& state, SampleSink& sink) { sink.AddIf(state.health.pulse_seconds); }},
    {{"values_rejected_total", "Values that the server sent and that could not be understood.",
      MetricType::kCounter},
     "exporter",
     [](const TargetState& state, SampleSink& sink) {
       sink.Add(static_cast<double>(state.health.values_rejected));
     },
     false},
});

template <auto kMember>
void CollectRatio(const TargetState& state, SampleSink& sink) {
  for (const WindowLength length : kWindowLengths) {
    sink.AddIf(state.derived.Of(length).*kMember, {WindowLengthLabel(length)});
  }
}

void CollectPendingRestart(const TargetState& state, SampleSink& sink) {
  if (!state.survey) return;
  const auto& pending = state.survey->rows.settings.pending_restart;
  sink.Add(static_cast<double>(pending.size()));
}

constexpr auto kDerivedMetrics = std::to_array<DerivedMetric>({
    {{"requested_ratio",
      "Requested checkpoints of all attempts in the window. Requested is not forced by WAL: see "
      "checkpoints_total and events_total.",
      MetricType::kGauge, Unit::kRatio, "window"},
     "checkpoints_total",
     CollectRatio<&WindowRatios::requested>},
    {{"wal_fpi_ratio",
      "Share of the WAL that is full page images. Exact from 19; 14 to 18 an estimate (wal_fpi x "
      "block_size / wal_bytes, at most 1), too high where pages have holes or WAL is compressed.",
      MetricType::kGauge, Unit::kRatio, "window"},
     "wal_fpi_total or wal_fpi_bytes_total, wal_bytes_total",
     CollectRatio<&WindowRatios::wal_fpi>},
    {{"backend_write_ratio",
      "Buffers written by backends themselves of all buffers written in the window.",
      MetricType::kGauge, Unit::kRatio, "window"},
     "buffers_written_total",
     CollectRatio<&WindowRatios::backend_write>},
    {{"window_span_seconds",
      "Time that a window really covers: less than its length after a start, a reset or a restart.",
      MetricType::kGauge, Unit::kSeconds, "window"},
     "exporter",
     CollectRatio<&WindowRatios::span_seconds>},
    {{"settings_pending_restart",
      "Settings of those shown here whose value in the configuration file waits for a restart.",
      MetricType::kGauge},
     "pg_settings.pending_restart",
     CollectPendingRestart},
});

constexpr bool AllWellNamed() {
  for (const DerivedMetric& metric : kHealthMetrics) {
    if (!WellNamed(metric.family)) return false;
  }
  for (const DerivedMetric& metric : kDerivedMetrics) {
    if (!WellNamed(metric.family)) return false;
  }
  return true;
}
static_assert(AllWellNamed(), "a derived metric breaks the naming rules");

}  // namespace

std::span<const DerivedMetric> HealthMetrics() { return kHealthMetrics; }
std::span<const DerivedMetric> DerivedMetrics() { return kDerivedMetrics; }

}  // namespace ckpt::metrics
