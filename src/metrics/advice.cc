// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "core/advice.h"
#include "metrics/catalog.h"

namespace ckpt::metrics {
namespace {

// One sample for each rule that can ever hold on this server, so that none appears from nowhere.
void CollectAdvice(const TargetState& state, SampleSink& sink) {
  if (!state.server || !state.pulse || !state.advice) return;
  const bool standby = state.pulse->in_recovery.value_or(0) != 0;
  for (const AdviceRule& rule : AdviceRules()) {
    if (!rule.Applies(*state.server, standby)) continue;
    bool holds = false;
    for (const Advice& advice : *state.advice) holds = holds || advice.rule == rule.id;
    sink.Add(holds ? 1 : 0, {rule.id, SeverityName(rule.severity)});
  }
}

constexpr auto kAdviceMetrics = std::to_array<DerivedMetric>({
    {{"advice",
      "1 while a rule of advice holds for this server, else 0. /api/v1/advice tells its evidence "
      "and what to set.",
      MetricType::kGauge, Unit::kNone, "rule,severity"},
     "docs/advice.md",
     CollectAdvice},
    {{"recommended_max_wal_size_bytes",
      "What max_wal_size should be: the size that advice suggests, else the one in force. Absent "
      "until enough checkpoints were seen.",
      MetricType::kGauge, Unit::kBytes},
     "docs/advice.md",
     [](const TargetState& state, SampleSink& sink) {
       sink.AddIf(state.recommended_max_wal_size);
     }},
});

constexpr bool AllWellNamed() {
  for (const DerivedMetric& metric : kAdviceMetrics) {
    if (!WellNamed(metric.family)) return false;
  }
  return true;
}
static_assert(AllWellNamed(), "a metric of advice breaks the naming rules");

}  // namespace

std::span<const DerivedMetric> AdviceMetrics() { return kAdviceMetrics; }

}  // namespace ckpt::metrics
