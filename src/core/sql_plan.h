// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/capability.h"
#include "core/facts.h"
#include "core/row_set.h"
#include "core/settings.h"

// From the tables of core/facts.h to SQL for one server, and from its answer back to records.
// No query is written anywhere else, so a column can be neither selected and unread nor read and
// unselected. Everything here is pure.
namespace ckpt {

// What is known of a server before the first statement is made for it.
struct ServerCatalog {
  ServerVersion version;
  CapabilitySet capabilities;
  std::optional<std::int64_t> checkpointer_pid;
  // Where pg_stat_statements is installed, as a quoted identifier; empty when it shall not be read.
  std::string statements_schema;
  // "view.column" of every pg_catalog view we may use, as the server's own catalog has them, so
  // that a fork that departs from its version number costs single facts and not the statement.
  // Empty optional: not known, the version is trusted.
  std::optional<std::set<std::string, std::less<>>> columns;
  // Views that the catalog promises and that fail all the same when read (Aurora's "not
  // supported"). Found out by trying, once per server.
  std::set<View> refused;
};

// The columns that an expression of core/facts.h reads: its lower-case words that are neither
// quoted, nor functions, nor casts. Keywords are written in capitals there.
std::vector<std::string_view> ColumnsOf(std::string_view expression);

// The SQL that lists "view.column" for ServerCatalog::columns: one text column.
std::string ColumnsSql();

// The SQL of one row with one boolean for each of Capabilities(), in their order. NULL is false.
std::string CapabilitiesSql();

// A statement that reads all that the facts want of `view` on this server and of no other view, to
// find out whether it can be read at all. Empty: nothing of it is wanted.
std::string TrialSql(View view, const ServerCatalog& catalog);

// A statement of one row, and where each of its columns goes.
template <class Record>
struct RowPlan {
  struct Column {
    Field<Record> field;
    Scale scale;
  };
  std::string sql;  // empty: this server tells nothing of the record
  std::vector<Column> columns;
};
RowPlan<PulseStats> PlanPulse(const ServerCatalog& catalog);
RowPlan<SurveyStats> PlanSurvey(const ServerCatalog& catalog);

// Fills `record` from the plan's row. NULL leaves a member empty. Returns how many values could not
// be understood (their members stay empty), which is all of them in a row of another width than the
// plan's; nothing else can fail.
int FillRecord(const RowPlan<PulseStats>& plan, const RowSet& rows, PulseStats* record);
int FillRecord(const RowPlan<SurveyStats>& plan, const RowSet& rows, SurveyStats* record);

// The views with several rows, and the settings.
struct SurveyRows {
  std::vector<IoStats> io;
  std::vector<SlruStats> slru;
  std::vector<SlotStats> slots;
  Settings settings;
};

// One statement for all of them: a UNION whose first column says which relation a row is of.
struct RowsPlan {
  std::string sql;
  std::vector<RowPlan<IoStats>::Column> io;
  std::vector<RowPlan<SlruStats>::Column> slru;
  std::vector<RowPlan<SlotStats>::Column> slots;
};
RowsPlan PlanRows(const ServerCatalog& catalog);
// Returns how many values could not be understood; a row that cannot be understood, that has the
// labels of an earlier one, or that is one too many for a server to have, counts as one.
int FillRows(const RowsPlan& plan, const RowSet& rows, SurveyRows* out);

}  // namespace ckpt
