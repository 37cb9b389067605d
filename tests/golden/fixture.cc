// SPDX-License-Identifier: Apache-2.0
#include "golden/fixture.h"

#include <map>

namespace ckpt::golden {
namespace {

// What a statement of PlanPulse or PlanSurvey selects as column c0, c1, ...: "expression FROM
// view".
std::map<std::size_t, std::string> Expressions(const std::string& sql) {
  std::map<std::size_t, std::string> all;
  constexpr std::string_view kBegin = "LEFT JOIN (SELECT ";
  constexpr std::string_view kName = " AS c";
  for (std::size_t at = sql.find(kBegin); at != std::string::npos; at = sql.find(kBegin, at)) {
    at += kBegin.size();
    const std::size_t end = sql.find(") AS v", at);
    std::map<std::size_t, std::string> of_view;
    std::size_t begin = at;
    for (std::size_t name = sql.find(kName, at); name < end; name = sql.find(kName, begin)) {
      std::size_t length = 0;
      const std::size_t index = std::stoul(sql.substr(name + kName.size()), &length);
      of_view[index] = sql.substr(begin, name - begin);
      begin = name + kName.size() + length;
      if (sql.compare(begin, 2, ", ") == 0) begin += 2;
    }
    for (const auto& [index, expression] : of_view) {
      all[index] = expression + sql.substr(begin, end - begin);
    }
  }
  return all;
}

}  // namespace

ServerCatalog CatalogOf(const nlohmann::json& fixture) {
  ServerCatalog catalog;
  catalog.version.num = fixture.at("version").get<int>();
  const auto& capabilities = fixture.at("capabilities");
  for (std::size_t i = 0; i < Capabilities().size(); ++i) {
    const CapabilityInfo& info = Capabilities()[i];
    catalog.capabilities.Set(info.capability,
                             capabilities.at(i) == "t" && info.versions.Contains(catalog.version));
  }
  catalog.columns.emplace();
  for (const auto& column : fixture.at("columns")) {
    catalog.columns->insert(column.get<std::string>());
  }
  if (const auto& pid = fixture.at("checkpointer_pid"); !pid.is_null()) {
    catalog.checkpointer_pid = pid.get<std::int64_t>();
  }
  return catalog;
}

RowSet Reorder(const std::string& wanted_sql, const std::string& recorded_sql,
               const RowSet& recorded, std::vector<std::string>* missing) {
  std::map<std::string, std::size_t> place;
  for (const auto& [index, expression] : Expressions(recorded_sql)) place[expression] = index;
  std::vector<std::optional<std::string>> values;
  for (const auto& [index, expression] : Expressions(wanted_sql)) {
    const auto at = place.find(expression);
    if (at == place.end()) missing->push_back(expression);
    values.push_back(at == place.end() ? std::nullopt : recorded.rows.at(0).at(at->second));
  }
  return {{}, {values}};
}

RowSet RowsOf(const nlohmann::json& rows) {
  RowSet set;
  for (const auto& row : rows) {
    auto& values = set.rows.emplace_back();
    for (const auto& value : row) {
      values.push_back(value.is_null() ? std::nullopt
                                       : std::optional<std::string>(value.get<std::string>()));
    }
  }
  return set;
}

}  // namespace ckpt::golden
