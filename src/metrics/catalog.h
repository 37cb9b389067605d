// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/family.h"
#include "core/target_state.h"
#include "metrics/process_state.h"
#include "metrics/sample_sink.h"

// Every metric there is, in the order of exposition: the facts of core/facts.h and the settings,
// with TABLE 2 (derived.cc: what is computed of a target) and the exporter's own (process.cc).
// Exposition, docs/metrics.md and the drift checks walk this list and no other.
namespace ckpt::metrics {

// TABLE 2 row: a family and how its samples follow from a target's state. Nothing is emitted where
// the inputs are empty.
struct DerivedMetric {
  Family family;
  std::string_view source;  // for documentation
  void (*collect)(const TargetState& state, SampleSink& sink);
  // False: shown even while the server does not answer (up, poll errors and the like).
  bool needs_fresh = true;
};
std::span<const DerivedMetric> HealthMetrics();   // before the facts
std::span<const DerivedMetric> DerivedMetrics();  // after them, as are the next ones
std::span<const DerivedMetric> EventMetrics();
std::span<const DerivedMetric> LogMetrics();
std::span<const DerivedMetric> AdviceMetrics();

// A row of the exporter's own table.
struct ProcessMetric {
  Family family;
  std::string_view source;
  void (*collect)(const ProcessState& state, SampleSink& sink);
};
std::span<const ProcessMetric> ProcessMetrics();

struct Entry {
  const Family* family = nullptr;
  std::string source;  // which view, column or computation, by version; for documentation
  bool needs_fresh = true;
  // Exactly one of the two is set, by family->per_target.
  std::function<void(const TargetState&, SampleSink&)> collect;
  std::function<void(const ProcessState&, SampleSink&)> collect_process;
};
// Built at the first call; names are unique (checked by a test). Thread-safe.
const std::vector<Entry>& Catalog();

// The full name of a family: with the prefix, unless it is one of the standard process metrics.
std::string FullName(const Family& family);

}  // namespace ckpt::metrics
