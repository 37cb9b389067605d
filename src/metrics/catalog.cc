// SPDX-License-Identifier: Apache-2.0
#include "metrics/catalog.h"

#include <algorithm>
#include <map>

namespace ckpt::metrics {
namespace {

template <class Record>
OptionalReal ValueOf(const Record& record, const Field<Record>& field) {
  if (const auto* member = std::get_if<OptionalInt Record::*>(&field)) {
    const OptionalInt& value = record.**member;
    return value ? OptionalReal(static_cast<double>(*value)) : std::nullopt;
  }
  if (const auto* member = std::get_if<OptionalReal Record::*>(&field)) return record.**member;
  return std::nullopt;
}

std::string Versions(const VersionRange& range) {
  const bool from_first = range.since <= 10;
  const bool to_newest = range.until >= VersionRange::kNewest;
  if (from_first && to_newest) return "";
  if (from_first) return "to " + std::to_string(range.until) + ": ";
  if (to_newest) return std::to_string(range.since) + "+: ";
  return std::to_string(range.since) + " to " + std::to_string(range.until) + ": ";
}

template <class Record>
void Describe(const Fact<Record>& fact, std::string* source) {
  for (const Source& place : fact.sources) {
    if (place.expression.empty()) continue;
    if (!source->empty()) *source += "; ";
    if (!fact.label_value.empty()) source->append(fact.label_value).append(" = ");
    *source += Versions(place.versions);
    const ViewInfo& view = InfoOf(place.view);
    const bool is_column = ColumnsOf(place.expression) == std::vector{place.expression};
    if (is_column) source->append(view.name).append(".");
    source->append(place.expression);
    if (!is_column && !view.from.empty()) source->append(" of ").append(view.name);
  }
}

// Groups facts of one-row records into entries by family. `get` finds the record in a state.
template <class Record>
void AddFacts(std::span<const Fact<Record>> facts, const Record* (*get)(const TargetState&),
              std::map<const Family*, std::size_t>* index, std::vector<Entry>* entries) {
  for (const Fact<Record>& fact : facts) {
    if (!IsExposed(*fact.family)) continue;
    auto [at, is_new] = index->try_emplace(fact.family, entries->size());
    if (is_new) entries->push_back({fact.family, "", true, {}, {}});
    Entry& entry = (*entries)[at->second];
    Describe(fact, &entry.source);
    // One family may gather facts of two records: later ones are chained behind earlier ones.
    entry.collect = [previous = std::move(entry.collect), &fact, get](const TargetState& state,
                                                                      SampleSink& sink) {
      if (previous) previous(state, sink);
      const Record* record = get(state);
      if (record == nullptr) return;
      const OptionalReal value = ValueOf(*record, fact.field);
      if (!value) return;
      if (fact.label_value.empty()) {
        sink.Add(*value);
      } else {
        sink.Add(*value, {fact.label_value});
      }
    };
  }
}

// Facts of a record with several rows: one entry a fact, its labels from the row.
template <class Record>
void AddRelation(const Relation<Record>& relation, std::vector<Record> SurveyRows::*rows,
                 std::vector<Entry>* entries) {
  for (const Fact<Record>& fact : relation.facts) {
    Entry entry{fact.family, "", true, {}, {}};
    Describe(fact, &entry.source);
    entry.collect = [&relation, &fact, rows](const TargetState& state, SampleSink& sink) {
      if (!state.survey) return;
      std::vector<std::string_view> labels(relation.labels.size());
      for (const Record& row : state.survey->rows.*rows) {
        const OptionalReal value = ValueOf(row, fact.field);
        if (!value) continue;
        for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = row.*relation.labels[i].field;
        sink.Add(*value, labels);
      }
    };
    entries->push_back(std::move(entry));
  }
}

void AddSettings(std::vector<Entry>* entries) {
  std::map<const Family*, std::size_t> index;
  for (const Setting& setting : SettingsTable()) {
    if (!IsExposed(*setting.family)) continue;
    auto [at, is_new] = index.try_emplace(setting.family, entries->size());
    std::string source = Versions(setting.versions) + "setting " + std::string(setting.name);
    if (!is_new) {
      (*entries)[at->second].source += "; " + source;
      continue;
    }
    Entry entry{setting.family, std::move(source), true, {}, {}};
    entry.collect = [&setting](const TargetState& state, SampleSink& sink) {
      if (!state.survey) return;
      const Settings& settings = state.survey->rows.settings;
      if (const auto* number = std::get_if<OptionalReal Settings::*>(&setting.field)) {
        sink.AddIf(settings.**number);
      } else if (const OptionalText& text =
                     settings.*std::get<OptionalText Settings::*>(setting.field)) {
        sink.Add(1, {*text});
      }
    };
    entries->push_back(std::move(entry));
  }
}

void AddDerived(std::span<const DerivedMetric> metrics, std::vector<Entry>* entries) {
  for (const DerivedMetric& metric : metrics) {
    entries->push_back(
        {&metric.family, std::string(metric.source), metric.needs_fresh, metric.collect, {}});
  }
}

std::vector<Entry> Build() {
  std::vector<Entry> entries;
  std::map<const Family*, std::size_t> index;
  AddDerived(HealthMetrics(), &entries);
  AddFacts<PulseStats>(
      PulseFacts(), [](const TargetState& state) { return state.pulse ? &*state.pulse : nullptr; },
      &index, &entries);
  AddFacts<SurveyStats>(
      SurveyFacts(),
      [](const TargetState& state) { return state.survey ? &state.survey->stats : nullptr; },
      &index, &entries);
  AddRelation(IoRelation(), &SurveyRows::io, &entries);
  AddRelation(SlruRelation(), &SurveyRows::slru, &entries);
  AddRelation(SlotRelation(), &SurveyRows::slots, &entries);
  AddDerived(DerivedMetrics(), &entries);
  AddDerived(EventMetrics(), &entries);
  AddDerived(LogMetrics(), &entries);
  AddDerived(AdviceMetrics(), &entries);
  AddSettings(&entries);
  for (const ProcessMetric& metric : ProcessMetrics()) {
    entries.push_back({&metric.family, std::string(metric.source), false, {}, metric.collect});
  }
  return entries;
}

}  // namespace

const std::vector<Entry>& Catalog() {
  static const std::vector<Entry> entries = Build();
  return entries;
}

std::string FullName(const Family& family) {
  if (!family.per_target && family.name.starts_with("process_")) return std::string(family.name);
  return std::string(kMetricPrefix) + std::string(family.name);
}

}  // namespace ckpt::metrics
