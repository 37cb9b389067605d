// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "core/row_set.h"
#include "core/sql_plan.h"

// Recorded answers of servers: tests/fixtures/rows/*.json, written by record.py.
namespace ckpt::golden {

// The catalogue of a server from `version` (server_version_num), `capabilities` (one text or null
// each, in the order of Capabilities()), `columns` and `checkpointer_pid`.
ServerCatalog CatalogOf(const nlohmann::json& fixture);

// Rows as arrays of texts and nulls.
RowSet RowsOf(const nlohmann::json& rows);

// The recorded row of one statement in the order of the columns of another, `wanted_sql`: each
// value goes where the same expression over the same view is selected. So a recording outlives a
// fact more or less. What was not recorded is NULL and named in `missing`.
RowSet Reorder(const std::string& wanted_sql, const std::string& recorded_sql,
               const RowSet& recorded, std::vector<std::string>* missing);

}  // namespace ckpt::golden
