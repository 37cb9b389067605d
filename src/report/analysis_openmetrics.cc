// SPDX-License-Identifier: Apache-2.0
#include "report/analysis_openmetrics.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "core/amounts.h"

namespace ckpt::report {
namespace {

// TABLE: the families of the OpenMetrics report, gauges of the last checkpoint that ended.
struct EventFamily {
  std::string_view name, unit, help;
  OptionalReal (*value)(const CheckpointEvent& event);
};
template <class Value>
OptionalReal Real(const std::optional<Value>& value) {
  return value ? OptionalReal(static_cast<double>(*value)) : std::nullopt;
}
constexpr std::array<EventFamily, 6> kEventFamilies{{
    {"pgcheckpoint_log_write_seconds", "seconds", "Write phase.",
     [](const CheckpointEvent& event) { return event.write_seconds; }},
    {"pgcheckpoint_log_sync_seconds", "seconds", "Sync phase.",
     [](const CheckpointEvent& event) { return event.sync_seconds; }},
    {"pgcheckpoint_log_total_seconds", "seconds", "Duration.",
     [](const CheckpointEvent& event) { return OptionalReal(TotalSeconds(event)); }},
    {"pgcheckpoint_log_longest_sync_seconds", "seconds", "Longest sync of one file.",
     [](const CheckpointEvent& event) { return event.longest_sync_seconds; }},
    {"pgcheckpoint_log_distance_bytes", "bytes", "WAL since the redo point before.",
     [](const CheckpointEvent& event) { return Real(event.distance_bytes); }},
    {"pgcheckpoint_log_buffers_written", "", "Pages written.",
     [](const CheckpointEvent& event) { return Real(event.buffers_written); }},
}};

}  // namespace

double TotalSeconds(const CheckpointEvent& event) {
  if (event.total_seconds) return *event.total_seconds;
  return event.write_seconds.value_or(0) + event.sync_seconds.value_or(0);
}

std::string AnalysisOpenMetrics(const LogAnalysis& analysis) {
  std::vector<const CheckpointEvent*> events;
  for (const CheckpointEvent& event : analysis.checkpoints) {
    if (!event.failed && event.end) events.push_back(&event);
  }
  std::stable_sort(events.begin(), events.end(),
                   [](const auto* a, const auto* b) { return *a->end < *b->end; });
  std::string out;
  for (const EventFamily& family : kEventFamilies) {
    const std::string name(family.name);
    out += "# TYPE " + name + " gauge\n";
    if (!family.unit.empty()) out += "# UNIT " + name + " " + std::string(family.unit) + "\n";
    out += "# HELP " + name + " " + std::string(family.help) + "\n";
    // The samples of one series stand together, in the order of time.
    for (const EventKind kind : kEventKinds) {
      for (const ReasonInfo& info : kReasons) {
        double last = -1;
        for (const CheckpointEvent* event : events) {
          if (event->kind != kind || event->reason != info.reason || *event->end <= last) continue;
          const OptionalReal value = family.value(*event);
          if (!value) continue;
          last = *event->end;
          out += name + "{kind=\"" + std::string(EventKindName(kind)) + "\",reason=\"" +
                 std::string(info.label) + "\"} " + NumberText(*value, 6) + " " +
                 NumberText(last, 3) + "\n";
        }
      }
    }
  }
  return out + "# EOF\n";
}

}  // namespace ckpt::report
