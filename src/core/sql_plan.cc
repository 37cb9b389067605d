// SPDX-License-Identifier: Apache-2.0
#include "core/sql_plan.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/convert.h"

namespace ckpt {
namespace {

// Whether a view is a relation of pg_catalog, whose columns ColumnsSql() lists.
bool IsRelation(const ViewInfo& info) {
  const std::string relation = "pg_catalog." + std::string(info.name);
  return !info.name.ends_with("()") && info.from.find(relation) != std::string_view::npos;
}

// Whether the catalog has every column that an expression over `info` reads.
bool HasColumns(std::string_view expression, const ViewInfo& info, const ServerCatalog& catalog) {
  if (!catalog.columns || !IsRelation(info)) return true;
  const std::vector<std::string_view> columns = ColumnsOf(expression);
  return std::all_of(columns.begin(), columns.end(), [&](std::string_view column) {
    return catalog.columns->contains(std::string(info.name).append(".").append(column));
  });
}

bool Available(const Source& source, const ServerCatalog& catalog) {
  if (source.expression.empty() || !source.versions.Contains(catalog.version)) return false;
  if (catalog.refused.contains(source.view)) return false;
  const ViewInfo& info = InfoOf(source.view);
  if (!info.versions.Contains(catalog.version)) return false;
  if (!catalog.capabilities.Has(info.capability)) return false;
  if (source.view == View::kCheckpointerProcess && !catalog.checkpointer_pid) return false;
  if (source.view == View::kStatements && catalog.statements_schema.empty()) return false;
  return HasColumns(source.expression, info, catalog);
}

template <class Record>
const Source* ChooseSource(const Fact<Record>& fact, const ServerCatalog& catalog) {
  for (const Source& source : fact.sources) {
    if (Available(source, catalog)) return &source;
  }
  return nullptr;
}

std::string Expression(const Source& source) {
  std::string sql(source.expression);
  if (source.scale == Scale::kEpoch) return "extract(epoch from " + sql + ")";
  return sql;
}

std::string From(View view, const ServerCatalog& catalog) {
  std::string from(InfoOf(view).from);
  const auto fill_in = [&from](std::string_view name, const std::string& value) {
    if (const std::size_t at = from.find(name); at != std::string::npos) {
      from.replace(at, name.size(), value);
    }
  };
  fill_in("{checkpointer_pid}", std::to_string(catalog.checkpointer_pid.value_or(0)));
  fill_in("{statements_schema}", catalog.statements_schema);
  return from.empty() ? "" : " FROM " + from;
}

// One derived table a view, joined so that a view without a row never loses the others.
template <class Record>
RowPlan<Record> PlanRow(std::span<const Fact<Record>> facts, const ServerCatalog& catalog) {
  RowPlan<Record> plan;
  std::map<View, std::string> columns_of;
  std::string outer;
  for (const Fact<Record>& fact : facts) {
    const Source* source = ChooseSource(fact, catalog);
    if (source == nullptr) continue;
    const std::string name = "c" + std::to_string(plan.columns.size());
    std::string& inner = columns_of[source->view];
    inner += (inner.empty() ? "" : ", ") + Expression(*source) + " AS " + name;
    outer += (outer.empty() ? "" : ", ") + name;
    plan.columns.push_back({fact.field, source->scale});
  }
  if (plan.columns.empty()) return plan;
  plan.sql = "SELECT " + outer + " FROM (SELECT 1) AS one";
  for (const auto& [view, inner] : columns_of) {
    plan.sql += " LEFT JOIN (SELECT " + inner + From(view, catalog) + ") AS v" +
                std::to_string(static_cast<int>(view)) + " ON true";
  }
  return plan;
}

template <class Record>
int FillRow(const RowPlan<Record>& plan, const RowSet& rows, Record* record) {
  if (rows.rows.empty()) return 0;
  const auto& row = rows.rows.front();
  // Of a row of another width nobody knows which value is which.
  if (row.size() != plan.columns.size()) return static_cast<int>(plan.columns.size());
  int rejected = 0;
  for (std::size_t i = 0; i < plan.columns.size(); ++i) {
    rejected += Convert(row[i], plan.columns[i].scale, plan.columns[i].field, record);
  }
  return rejected;
}

constexpr std::size_t kLabelColumns = 3;

// The columns of one relation, and its branch of the UNION: name, labels, then values as text,
// padded to the width of the widest.
template <class Record>
std::vector<typename RowPlan<Record>::Column> PlanRelation(const Relation<Record>& relation,
                                                           std::string_view name,
                                                           const ServerCatalog& catalog,
                                                           std::size_t width, std::string* sql) {
  std::vector<typename RowPlan<Record>::Column> columns;
  for (const auto& label : relation.labels) {
    if (!HasColumns(label.expression, InfoOf(relation.view), catalog)) return columns;
  }
  std::string values;
  for (const Fact<Record>& fact : relation.facts) {
    const Source* source = ChooseSource(fact, catalog);
    if (source == nullptr) continue;
    values += ", (" + Expression(*source) + ")::text";
    columns.push_back({fact.field, source->scale});
  }
  if (columns.empty()) return columns;
  std::string labels;
  for (const auto& label : relation.labels) {
    labels.append(", (").append(label.expression).append(")::text");
  }
  for (std::size_t i = relation.labels.size(); i < kLabelColumns; ++i) labels += ", NULL::text";
  for (std::size_t i = columns.size(); i < width; ++i) values += ", NULL::text";
  if (!sql->empty()) *sql += " UNION ALL ";
  sql->append("SELECT '").append(name).append("'").append(labels).append(values);
  *sql += From(relation.view, catalog);
  return columns;
}

constexpr std::string_view kIoName = "io";
constexpr std::string_view kSlruName = "slru";
constexpr std::string_view kSlotName = "slot";
constexpr std::string_view kSettingName = "setting";
constexpr std::size_t kSettingColumns = 3;

// More rows of one relation than any server has: pg_stat_io has 79. What a hostile one sends beyond
// is dropped, since each row becomes series.
constexpr std::size_t kMaxRows = 500;

// How many value columns the UNION has: those of its widest relation.
std::size_t ValueColumns() {
  return std::max({IoRelation().facts.size(), SlruRelation().facts.size(),
                   SlotRelation().facts.size(), kSettingColumns});
}

template <class Record>
int AddRow(const Relation<Record>& relation,
           const std::vector<typename RowPlan<Record>::Column>& columns,
           const std::vector<std::optional<std::string>>& row, std::vector<Record>* out) {
  if (columns.empty() || out->size() >= kMaxRows) return 1;
  Record record;
  for (std::size_t i = 0; i < relation.labels.size(); ++i) {
    record.*(relation.labels[i].field) = row[1 + i].value_or("");
  }
  // The same labels twice would be the same series twice, and cost a scraper the whole page.
  const auto same_labels = [&](const Record& other) {
    return std::all_of(relation.labels.begin(), relation.labels.end(), [&](const auto& label) {
      return record.*(label.field) == other.*(label.field);
    });
  };
  if (std::any_of(out->begin(), out->end(), same_labels)) return 1;
  int rejected = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    rejected += Convert(row[1 + kLabelColumns + i], columns[i].scale, columns[i].field, &record);
  }
  out->push_back(std::move(record));
  return rejected;
}

}  // namespace

std::vector<std::string_view> ColumnsOf(std::string_view expression) {
  const auto is_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  std::vector<std::string_view> columns;
  std::size_t at = 0;
  while (at < expression.size()) {
    if (expression[at] == '\'') {
      at = std::min(expression.find('\'', at + 1), expression.size() - 1) + 1;
      continue;
    }
    if (!is_word(expression[at])) {
      ++at;
      continue;
    }
    const std::size_t begin = at;
    while (at < expression.size() && is_word(expression[at])) ++at;
    const std::string_view word = expression.substr(begin, at - begin);
    const bool lower = word.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") == std::string_view::npos;
    const bool number = word.front() >= '0' && word.front() <= '9';
    const bool function = at < expression.size() && expression[at] == '(';
    const bool cast = expression.substr(0, begin).ends_with("::");
    if (lower && !number && !function && !cast) columns.push_back(word);
  }
  return columns;
}

std::string ColumnsSql() {
  std::string names;
  for (const ViewInfo& info : Views()) {
    if (!IsRelation(info) || names.find("'" + std::string(info.name) + "'") != std::string::npos) {
      continue;
    }
    names += (names.empty() ? "'" : ", '") + std::string(info.name) + "'";
  }
  return "SELECT c.relname || '.' || a.attname FROM pg_catalog.pg_class c JOIN "
         "pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT "
         "a.attisdropped WHERE c.relnamespace = 'pg_catalog'::regnamespace AND c.relname IN (" +
         names + ")";
}

std::string CapabilitiesSql() {
  std::string sql = "SELECT ";
  for (const CapabilityInfo& info : Capabilities()) {
    if (&info != Capabilities().data()) sql += ", ";
    sql += info.test;
  }
  return sql;
}

std::string TrialSql(View view, const ServerCatalog& catalog) {
  std::string columns;
  const auto add = [&](const auto& facts) {
    for (const auto& fact : facts) {
      const Source* source = ChooseSource(fact, catalog);
      if (source == nullptr || source->view != view) continue;
      columns += (columns.empty() ? "" : ", ") + Expression(*source);
    }
  };
  add(PulseFacts());
  add(SurveyFacts());
  add(IoRelation().facts);
  add(SlruRelation().facts);
  add(SlotRelation().facts);
  return columns.empty() ? "" : "SELECT " + columns + From(view, catalog);
}

RowPlan<PulseStats> PlanPulse(const ServerCatalog& catalog) {
  return PlanRow(PulseFacts(), catalog);
}
RowPlan<SurveyStats> PlanSurvey(const ServerCatalog& catalog) {
  return PlanRow(SurveyFacts(), catalog);
}

int FillRecord(const RowPlan<PulseStats>& plan, const RowSet& rows, PulseStats* record) {
  return FillRow(plan, rows, record);
}
int FillRecord(const RowPlan<SurveyStats>& plan, const RowSet& rows, SurveyStats* record) {
  return FillRow(plan, rows, record);
}

RowsPlan PlanRows(const ServerCatalog& catalog) {
  const std::size_t width = ValueColumns();
  RowsPlan plan;
  plan.io = PlanRelation(IoRelation(), kIoName, catalog, width, &plan.sql);
  plan.slru = PlanRelation(SlruRelation(), kSlruName, catalog, width, &plan.sql);
  plan.slots = PlanRelation(SlotRelation(), kSlotName, catalog, width, &plan.sql);

  std::string names;
  for (const Setting& setting : SettingsTable()) {
    if (!setting.versions.Contains(catalog.version)) continue;
    names.append(names.empty() ? "'" : ", '").append(setting.name).append("'");
  }
  if (!plan.sql.empty()) plan.sql += " UNION ALL ";
  plan.sql.append("SELECT '").append(kSettingName);
  plan.sql += "', name, NULL::text, NULL::text, setting, unit, pending_restart::text";
  for (std::size_t i = kSettingColumns; i < width; ++i) plan.sql += ", NULL::text";
  plan.sql += " FROM pg_catalog.pg_settings WHERE name IN (" + names + ")";
  return plan;
}

int FillRows(const RowsPlan& plan, const RowSet& rows, SurveyRows* out) {
  int rejected = 0;
  std::vector<SettingRow> settings;
  for (const auto& row : rows.rows) {
    if (row.size() != 1 + kLabelColumns + ValueColumns() || !row[0]) {
      ++rejected;
    } else if (*row[0] == kIoName) {
      rejected += AddRow(IoRelation(), plan.io, row, &out->io);
    } else if (*row[0] == kSlruName) {
      rejected += AddRow(SlruRelation(), plan.slru, row, &out->slru);
    } else if (*row[0] == kSlotName) {
      rejected += AddRow(SlotRelation(), plan.slots, row, &out->slots);
    } else if (*row[0] != kSettingName || !row[1]) {
      ++rejected;
    } else if (row[1 + kLabelColumns]) {
      const auto& unit = row[2 + kLabelColumns];
      const auto& pending = row[3 + kLabelColumns];
      settings.push_back({*row[1], *row[1 + kLabelColumns],
                          unit ? std::string_view(*unit) : std::string_view{},
                          pending && pending->starts_with('t')});
    }
  }
  out->settings = ReadSettings(settings, &rejected);
  return rejected;
}

}  // namespace ckpt
