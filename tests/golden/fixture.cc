// SPDX-License-Identifier: Apache-2.0
#include "golden/fixture.h"

namespace ckpt::golden {

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
