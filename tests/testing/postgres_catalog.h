// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>

namespace ckpt::testing {

inline constexpr int kOldestMajor = 10;
inline constexpr int kNewestMajor = 19;

// What servers of each version really have: tests/fixtures/postgres/catalog.json. Throws when the
// file is missing.
class PostgresCatalog {
 public:
  PostgresCatalog() {
    std::ifstream in(CKPT_FIXTURES "/postgres/catalog.json");
    in >> json_;
  }

  // The columns of a view, or the results of a function ("pg_control_system()"). Empty: this
  // version has no such thing.
  std::set<std::string, std::less<>> Columns(int major, const std::string& name) const {
    const auto& version = json_.at(std::to_string(major));
    const auto& kind = version.at(name.ends_with("()") ? "functions" : "relations");
    std::set<std::string, std::less<>> columns;
    if (kind.contains(name)) columns = kind.at(name).get<std::set<std::string, std::less<>>>();
    return columns;
  }

  // "view.column" of all relations, as ServerCatalog::columns has them.
  std::set<std::string, std::less<>> QualifiedColumns(int major) const {
    std::set<std::string, std::less<>> qualified;
    for (const auto& [relation, columns] :
         json_.at(std::to_string(major)).at("relations").items()) {
      for (const auto& column : columns) {
        qualified.insert(relation + "." + column.get<std::string>());
      }
    }
    return qualified;
  }

  struct SettingType {
    std::string vartype;
    std::string unit;
  };
  // Null: this version has no such setting.
  std::optional<SettingType> SettingOf(int major, const std::string& name) const {
    const auto& settings = json_.at(std::to_string(major)).at("settings");
    if (!settings.contains(name)) return std::nullopt;
    return SettingType{settings.at(name).at(0), settings.at(name).at(1)};
  }

 private:
  nlohmann::json json_;
};

}  // namespace ckpt::testing
