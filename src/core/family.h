// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ckpt {

enum class MetricType : std::uint8_t { kCounter, kGauge, kHistogram, kInfo };

// The base unit of the samples. kTimestamp is Unix seconds.
enum class Unit : std::uint8_t { kNone, kSeconds, kBytes, kRatio, kTimestamp };

constexpr std::string_view MetricTypeName(MetricType type) {
  switch (type) {
    case MetricType::kCounter: return "counter";
    case MetricType::kGauge: return "gauge";
    case MetricType::kHistogram: return "histogram";
    case MetricType::kInfo: return "info";
  }
  return "gauge";
}

// The unit as OpenMetrics spells it, empty for none.
constexpr std::string_view UnitName(Unit unit) {
  switch (unit) {
    case Unit::kNone: return "";
    case Unit::kSeconds:
    case Unit::kTimestamp: return "seconds";
    case Unit::kBytes: return "bytes";
    case Unit::kRatio: return "ratio";
  }
  return "";
}

// Every metric's name starts with this; the tables hold the rest.
inline constexpr std::string_view kMetricPrefix = "pgcheckpoint_";

// One metric family: everything that exposition, documentation and checks need to know of it, and
// the only place where it is said. `labels` are the keys beside `target`, joined by commas.
struct Family {
  std::string_view name;  // without kMetricPrefix, with `_total` on counters
  std::string_view help;  // one line, ends with a full stop
  MetricType type = MetricType::kGauge;
  Unit unit = Unit::kNone;
  std::string_view labels{};
  bool per_target = true;  // false: about the exporter itself, without the label `target`
};

// Of facts that have no metric of their own. A null pointer would do, but GCC 12 does not take a
// comparison with one for constant under -fsanitize=undefined.
inline constexpr Family kNotExposed{};
constexpr bool IsExposed(const Family& family) { return !family.name.empty(); }

// How many label keys a family has beside `target`.
constexpr std::size_t LabelCount(const Family& family) {
  if (family.labels.empty()) return 0;
  std::size_t count = 1;
  for (const char c : family.labels) count += c == ',' ? 1 : 0;
  return count;
}

// The label key at `index`. REQUIRES: index < LabelCount(family).
constexpr std::string_view LabelKey(const Family& family, std::size_t index) {
  std::string_view rest = family.labels;
  for (; index > 0; --index) rest = rest.substr(rest.find(',') + 1);
  return rest.substr(0, rest.find(','));
}

namespace naming {

constexpr bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

constexpr bool IsMetricName(std::string_view name) {
  if (name.empty()) return false;
  for (const char c : name) {
    if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_')) return false;
  }
  return name.front() != '_' && name.back() != '_' && !Contains(name, "__");
}

// The unit belongs at the end of the name, before a counter's `_total`.
constexpr bool HasUnitSuffix(std::string_view full_name, MetricType type, Unit unit) {
  const std::size_t total = type == MetricType::kCounter ? std::string_view("_total").size() : 0;
  const std::string_view name = full_name.substr(0, full_name.size() - total);
  switch (unit) {
    case Unit::kNone:
      return !name.ends_with("_seconds") && !name.ends_with("_bytes") && !name.ends_with("_ratio");
    case Unit::kSeconds: return name.ends_with("_seconds") && !name.ends_with("_timestamp_seconds");
    case Unit::kTimestamp: return name.ends_with("_timestamp_seconds");
    case Unit::kBytes: return name.ends_with("_bytes");
    case Unit::kRatio: return name.ends_with("_ratio");
  }
  return false;
}

}  // namespace naming

// The naming rules, for static_assert beside each table.
constexpr bool WellNamed(const Family& family) {
  using naming::Contains;
  if (!naming::IsMetricName(family.name)) return false;
  if ((family.type == MetricType::kCounter) != family.name.ends_with("_total")) return false;
  if ((family.type == MetricType::kInfo) != family.name.ends_with("_info")) return false;
  for (const std::string_view reserved : {"_count", "_sum", "_bucket", "_created"}) {
    if (family.name.ends_with(reserved)) return false;
  }
  if (!naming::HasUnitSuffix(family.name, family.type, family.unit)) return false;
  // HELP is written without escapes, so what needs one in either format is refused here.
  if (!family.help.ends_with('.') ||
      family.help.find_first_of("\n\\\"") != std::string_view::npos) {
    return false;
  }
  for (std::size_t i = 0; i < LabelCount(family); ++i) {
    const std::string_view label = LabelKey(family, i);
    if (!naming::IsMetricName(label) || label == "target" || label == "le") return false;
  }
  return true;
}

}  // namespace ckpt
