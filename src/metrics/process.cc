// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "metrics/catalog.h"

namespace ckpt::metrics {
namespace {

constexpr Family Own(std::string_view name, std::string_view help, MetricType type,
                     Unit unit = Unit::kNone, std::string_view labels = "") {
  return {name, help, type, unit, labels, false};
}

template <auto kMember>
void Collect(const ProcessState& state, SampleSink& sink) {
  sink.AddIf(state.*kMember);
}

using P = ProcessState;
constexpr auto kProcessMetrics = std::to_array<ProcessMetric>({
    {Own("build_info", "The exporter's own version, source revision and compiler.",
         MetricType::kInfo, Unit::kNone, "version,revision,compiler"),
     "build",
     [](const ProcessState& state, SampleSink& sink) {
       sink.Add(1, {state.version, state.revision, state.compiler});
     }},
    {Own("config_last_reload_successful",
         "1 if the last attempt to load the configuration succeeded, else 0.", MetricType::kGauge),
     "exporter", Collect<&P::config_reload_successful>},
    {Own("config_last_reload_success_timestamp_seconds",
         "When the configuration was last loaded with success.", MetricType::kGauge,
         Unit::kTimestamp),
     "exporter", Collect<&P::config_reload_time>},
    {Own("process_cpu_seconds_total", "User and system CPU time spent.", MetricType::kCounter,
         Unit::kSeconds),
     "/proc/self/stat", Collect<&P::cpu_seconds>},
    {Own("process_resident_memory_bytes", "Resident memory size.", MetricType::kGauge,
         Unit::kBytes),
     "/proc/self/stat", Collect<&P::resident_bytes>},
    {Own("process_virtual_memory_bytes", "Virtual memory size.", MetricType::kGauge, Unit::kBytes),
     "/proc/self/stat", Collect<&P::virtual_bytes>},
    {Own("process_open_fds", "Open file descriptors.", MetricType::kGauge), "/proc/self/fd",
     Collect<&P::open_fds>},
    {Own("process_max_fds", "Most file descriptors that may be open.", MetricType::kGauge),
     "getrlimit()", Collect<&P::max_fds>},
    {Own("process_threads", "Threads.", MetricType::kGauge), "/proc/self/stat",
     Collect<&P::threads>},
    {Own("process_start_time_seconds", "When the process was started, in Unix seconds.",
         MetricType::kGauge, Unit::kSeconds),
     "clock at start", Collect<&P::start_time>},
});

constexpr bool AllWellNamed() {
  for (const ProcessMetric& metric : kProcessMetrics) {
    if (!WellNamed(metric.family)) return false;
  }
  return true;
}
static_assert(AllWellNamed(), "a metric of the exporter's own breaks the naming rules");

}  // namespace

std::span<const ProcessMetric> ProcessMetrics() { return kProcessMetrics; }

}  // namespace ckpt::metrics
