// SPDX-License-Identifier: Apache-2.0
#include "core/sql_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "testing/postgres_catalog.h"

namespace ckpt {
namespace {

using ::testing::HasSubstr;
using testing::kNewestMajor;
using testing::kOldestMajor;
using ::testing::Not;

constexpr std::int64_t kPid = 4242;

// A role that may read everything, on a server as its version says.
ServerCatalog FullCatalog(int major) {
  ServerCatalog catalog;
  catalog.version = {major * 10000};
  for (const CapabilityInfo& info : Capabilities()) {
    catalog.capabilities.Set(info.capability, info.versions.Contains(catalog.version));
  }
  catalog.checkpointer_pid = kPid;
  catalog.statements_schema = "public";
  static const testing::PostgresCatalog servers;
  catalog.columns = servers.QualifiedColumns(major);
  return catalog;
}

// The source that a server of this version should be asked for a fact.
template <class Record>
const Source* SourceOf(const Fact<Record>& fact, int major) {
  for (const Source& source : fact.sources) {
    if (source.expression.empty() || !source.versions.Contains({major * 10000})) continue;
    if (InfoOf(source.view).versions.Contains({major * 10000})) return &source;
  }
  return nullptr;
}

template <class Columns, class Record>
bool Reads(const Columns& columns, const Field<Record>& field) {
  for (const auto& column : columns) {
    if (column.field == field) return true;
  }
  return false;
}

// Checks that of all facts exactly those are planned whose source `stays`.
template <class Record, class Columns, class Stays>
void ExpectOnly(std::span<const Fact<Record>> facts, const Columns& columns, int major,
                Stays stays) {
  std::size_t expected = 0;
  for (const Fact<Record>& fact : facts) {
    const Source* source = SourceOf(fact, major);
    const bool wanted = source != nullptr && stays(*source);
    expected += wanted ? 1 : 0;
    EXPECT_EQ(Reads(columns, fact.field), wanted) << fact.sources[0].expression;
  }
  EXPECT_EQ(columns.size(), expected);
}

template <class Stays>
void ExpectOnlyInAll(const ServerCatalog& catalog, Stays stays) {
  const int major = catalog.version.major();
  ExpectOnly(PulseFacts(), PlanPulse(catalog).columns, major, stays);
  ExpectOnly(SurveyFacts(), PlanSurvey(catalog).columns, major, stays);
  const RowsPlan rows = PlanRows(catalog);
  ExpectOnly(IoRelation().facts, rows.io, major, stays);
  ExpectOnly(SlruRelation().facts, rows.slru, major, stays);
  ExpectOnly(SlotRelation().facts, rows.slots, major, stays);
}

TEST(SqlPlan, AsksEveryVersionForAllThatItHas) {
  for (int major = kOldestMajor; major <= kNewestMajor; ++major) {
    SCOPED_TRACE(major);
    ExpectOnlyInAll(FullCatalog(major), [](const Source&) { return true; });
  }
}

TEST(SqlPlan, TrustsTheVersionWhereColumnsAreNotKnown) {
  for (int major = kOldestMajor; major <= kNewestMajor; ++major) {
    ServerCatalog trusting = FullCatalog(major);
    trusting.columns.reset();
    EXPECT_EQ(PlanPulse(trusting).sql, PlanPulse(FullCatalog(major)).sql) << major;
    EXPECT_EQ(PlanSurvey(trusting).sql, PlanSurvey(FullCatalog(major)).sql) << major;
    EXPECT_EQ(PlanRows(trusting).sql, PlanRows(FullCatalog(major)).sql) << major;
  }
}

TEST(SqlPlan, AMissingCapabilityDropsItsViewsOnly) {
  for (const int major : {10, 13, 16, 19}) {
    for (const CapabilityInfo& info : Capabilities()) {
      SCOPED_TRACE(std::string(info.name) + " in " + std::to_string(major));
      ServerCatalog catalog = FullCatalog(major);
      catalog.capabilities.Set(info.capability, false);
      ExpectOnlyInAll(catalog, [&](const Source& source) {
        return InfoOf(source.view).capability != info.capability;
      });
    }
  }
}

TEST(SqlPlan, ARefusedViewIsLeftOutAlone) {
  for (const int major : {10, 14, 19}) {
    for (const ViewInfo& info : Views()) {
      SCOPED_TRACE(std::string(info.name) + " in " + std::to_string(major));
      ServerCatalog catalog = FullCatalog(major);
      catalog.refused = {info.view};
      ExpectOnlyInAll(catalog, [&](const Source& source) { return source.view != info.view; });
      EXPECT_EQ(TrialSql(info.view, catalog), "");
    }
  }
}

TEST(SqlPlan, AMissingColumnDropsItsFactsOnly) {
  for (const int major : {10, 15, 17, 19}) {
    const ServerCatalog full = FullCatalog(major);
    for (const std::string& qualified : *full.columns) {
      const std::size_t dot = qualified.find('.');
      const std::string view = qualified.substr(0, dot);
      const std::string column = qualified.substr(dot + 1);
      // Without its labels a relation cannot be told row from row; see the next test.
      const bool label = (view == "pg_stat_io" && (column == "backend_type" || column == "object" ||
                                                   column == "context")) ||
                         (view == "pg_stat_slru" && column == "name") ||
                         (view == "pg_replication_slots" && column.starts_with("slot_"));
      if (label) continue;
      SCOPED_TRACE(qualified + " in " + std::to_string(major));
      ServerCatalog catalog = full;
      catalog.columns->erase(qualified);
      ExpectOnlyInAll(catalog, [&](const Source& source) {
        const auto columns = ColumnsOf(source.expression);
        return InfoOf(source.view).name != view ||
               std::find(columns.begin(), columns.end(), column) == columns.end();
      });
    }
  }
}

TEST(SqlPlan, AMissingLabelDropsItsRelation) {
  ServerCatalog catalog = FullCatalog(19);
  catalog.columns->erase("pg_stat_io.context");
  catalog.columns->erase("pg_replication_slots.slot_type");
  const RowsPlan plan = PlanRows(catalog);
  EXPECT_TRUE(plan.io.empty());
  EXPECT_TRUE(plan.slots.empty());
  EXPECT_FALSE(plan.slru.empty());
  EXPECT_THAT(plan.sql, Not(HasSubstr("pg_stat_io")));
  EXPECT_THAT(plan.sql, Not(HasSubstr("pg_replication_slots")));
}

TEST(SqlPlan, OfAServerThatTellsNothingNothingIsAsked) {
  ServerCatalog catalog;
  catalog.version = {150000};
  for (const ViewInfo& info : Views()) catalog.refused.insert(info.view);
  EXPECT_EQ(PlanPulse(catalog).sql, "");
  EXPECT_EQ(PlanSurvey(catalog).sql, "");
  EXPECT_THAT(PlanRows(catalog).sql, HasSubstr("pg_settings")) << "settings are everybody's";
}

TEST(SqlPlan, NamesTheCheckpointerByItsPid) {
  ServerCatalog catalog = FullCatalog(15);
  EXPECT_THAT(PlanPulse(catalog).sql, HasSubstr("pg_stat_get_activity(4242)"));
  catalog.checkpointer_pid.reset();
  EXPECT_THAT(PlanPulse(catalog).sql, Not(HasSubstr("pg_stat_get_activity")));
}

TEST(SqlPlan, ReadsStatementsOnlyWhereTheirSchemaIsKnown) {
  ServerCatalog catalog = FullCatalog(15);
  EXPECT_THAT(PlanSurvey(catalog).sql, HasSubstr("FROM public.pg_stat_statements(false)"));
  catalog.statements_schema.clear();
  EXPECT_THAT(PlanSurvey(catalog).sql, Not(HasSubstr("pg_stat_statements")));
}

TEST(SqlPlan, AsksOnlyForSettingsOfTheVersion) {
  EXPECT_THAT(PlanRows(FullCatalog(12)).sql, HasSubstr("'wal_keep_segments'"));
  EXPECT_THAT(PlanRows(FullCatalog(12)).sql, Not(HasSubstr("'wal_keep_size'")));
  EXPECT_THAT(PlanRows(FullCatalog(13)).sql, Not(HasSubstr("'wal_keep_segments'")));
  EXPECT_THAT(PlanRows(FullCatalog(13)).sql, HasSubstr("'wal_keep_size'"));
}

TEST(TrialSql, ReadsOneViewAndNoOther) {
  for (int major = kOldestMajor; major <= kNewestMajor; ++major) {
    const ServerCatalog catalog = FullCatalog(major);
    for (const ViewInfo& info : Views()) {
      SCOPED_TRACE(std::string(info.name) + " in " + std::to_string(major));
      const std::string sql = TrialSql(info.view, catalog);
      if (!info.versions.Contains(catalog.version)) {
        EXPECT_EQ(sql, "");
        continue;
      }
      EXPECT_THAT(sql, ::testing::StartsWith("SELECT "));
      EXPECT_THAT(sql, Not(HasSubstr("{")));
      for (const ViewInfo& other : Views()) {
        if (other.name == info.name || other.from.empty()) continue;
        EXPECT_THAT(sql, Not(HasSubstr("pg_catalog." + std::string(other.name))));
      }
    }
  }
}

TEST(ColumnsSql, NamesEachRelationOnceAndNoFunction) {
  const std::string sql = ColumnsSql();
  for (const char* relation :
       {"'pg_stat_bgwriter'", "'pg_stat_checkpointer'", "'pg_stat_wal'", "'pg_stat_io'",
        "'pg_stat_slru'", "'pg_stat_archiver'", "'pg_stat_database'", "'pg_replication_slots'"}) {
    const std::size_t at = sql.find(relation);
    ASSERT_NE(at, std::string::npos) << relation;
    EXPECT_EQ(sql.find(relation, at + 1), std::string::npos) << relation;
  }
  EXPECT_THAT(sql, Not(HasSubstr("()")));
  EXPECT_THAT(sql, Not(HasSubstr("functions")));
}

TEST(CapabilitiesSql, AsksForEachInOrder) {
  const std::string sql = CapabilitiesSql();
  std::size_t at = 0;
  for (const CapabilityInfo& info : Capabilities()) {
    at = sql.find(info.test, at);
    ASSERT_NE(at, std::string::npos) << info.name;
    at += info.test.size();
  }
}

// --- Answers -----------------------------------------------------------------------------------

using Row = std::vector<std::optional<std::string>>;

TEST(FillRecord, PutsEveryColumnInItsPlace) {
  const auto plan = PlanPulse(FullCatalog(18));
  Row row;
  for (const auto& column : plan.columns) {
    switch (column.scale) {
      case Scale::kLsn: row.emplace_back("1/0"); break;
      case Scale::kBool: row.emplace_back("t"); break;
      case Scale::kMilliseconds: row.emplace_back("2500"); break;
      case Scale::kEpoch: row.emplace_back("1800000000.5"); break;
      case Scale::kOne: row.emplace_back(std::to_string(row.size())); break;
    }
  }
  PulseStats pulse;
  EXPECT_EQ(FillRecord(plan, {{}, {row}}, &pulse), 0);
  EXPECT_EQ(pulse.write_seconds, 2.5);
  EXPECT_EQ(pulse.in_recovery, 1);
  EXPECT_EQ(pulse.redo_lsn, std::int64_t{1} << 32);
  EXPECT_EQ(pulse.checkpoint_time, 1800000000.5);
  for (std::size_t i = 0; i < plan.columns.size(); ++i) {
    if (plan.columns[i].scale != Scale::kOne) continue;
    if (const auto* member = std::get_if<OptionalInt PulseStats::*>(&plan.columns[i].field)) {
      EXPECT_EQ(pulse.**member, static_cast<std::int64_t>(i));
    }
  }
}

template <class Record>
int CountFilled(const RowPlan<Record>& plan, const Record& record) {
  int filled = 0;
  for (const auto& column : plan.columns) {
    std::visit([&](auto member) { filled += (record.*member).has_value() ? 1 : 0; }, column.field);
  }
  return filled;
}

TEST(FillRecord, NullLeavesEverythingEmpty) {
  for (int major = kOldestMajor; major <= kNewestMajor; ++major) {
    const auto pulse_plan = PlanPulse(FullCatalog(major));
    PulseStats pulse;
    EXPECT_EQ(FillRecord(pulse_plan, {{}, {Row(pulse_plan.columns.size())}}, &pulse), 0);
    EXPECT_EQ(CountFilled(pulse_plan, pulse), 0);
    const auto survey_plan = PlanSurvey(FullCatalog(major));
    SurveyStats survey;
    EXPECT_EQ(FillRecord(survey_plan, {{}, {Row(survey_plan.columns.size())}}, &survey), 0);
    EXPECT_EQ(CountFilled(survey_plan, survey), 0);
  }
}

TEST(FillRecord, CountsGarbageAndKeepsTheRest) {
  const auto plan = PlanPulse(FullCatalog(15));
  int texts = 0;
  for (const auto& column : plan.columns) {
    texts += std::holds_alternative<OptionalText PulseStats::*>(column.field) ? 1 : 0;
  }
  const int width = static_cast<int>(plan.columns.size());
  for (const char* garbage : {"", "x", "NaN", "\xff\xfe", "1e999", "'; DROP TABLE t; --"}) {
    PulseStats pulse;
    EXPECT_EQ(FillRecord(plan, {{}, {Row(plan.columns.size(), garbage)}}, &pulse), width - texts);
    EXPECT_EQ(CountFilled(plan, pulse), texts) << garbage;
  }
  Row row(plan.columns.size());
  row[0] = "garbage";
  row[1] = "t";
  PulseStats pulse;
  EXPECT_EQ(FillRecord(plan, {{}, {row}}, &pulse), 1);
  EXPECT_EQ(pulse.in_recovery, 1);
}

TEST(FillRecord, OfARowOfAnotherWidthNothingIsBelieved) {
  const auto plan = PlanPulse(FullCatalog(15));
  const std::size_t width = plan.columns.size();
  for (const std::size_t wrong : {std::size_t{0}, std::size_t{1}, width - 1, width + 1}) {
    PulseStats pulse;
    EXPECT_EQ(FillRecord(plan, {{}, {Row(wrong, "1")}}, &pulse), static_cast<int>(width));
    EXPECT_EQ(CountFilled(plan, pulse), 0) << wrong;
  }
  PulseStats pulse;
  EXPECT_EQ(FillRecord(plan, {}, &pulse), 0) << "no row at all";
  EXPECT_EQ(CountFilled(plan, pulse), 0);
}

constexpr std::size_t kLabels = 3;
std::size_t RowWidth() { return 1 + kLabels + IoRelation().facts.size(); }

Row MakeRow(const char* relation, std::vector<std::optional<std::string>> labels,
            std::vector<std::optional<std::string>> values) {
  Row row{relation};
  labels.resize(kLabels);
  row.insert(row.end(), labels.begin(), labels.end());
  row.insert(row.end(), values.begin(), values.end());
  row.resize(RowWidth());
  return row;
}

SurveyRows Fill(const RowsPlan& plan, std::vector<Row> rows, int expected_rejected) {
  SurveyRows out;
  EXPECT_EQ(FillRows(plan, {{}, std::move(rows)}, &out), expected_rejected);
  return out;
}

TEST(FillRows, SortsRowsByTheirRelation) {
  const RowsPlan plan = PlanRows(FullCatalog(18));
  const SurveyRows rows =
      Fill(plan,
           {MakeRow("io", {"checkpointer", "relation", "normal"}, {std::nullopt, "0", "1500", "7"}),
            MakeRow("io", {"client backend", "relation", "normal"}, {"5"}),
            MakeRow("slru", {"transaction"}, {"1", "2", "3", "4", "5", "6", "7"}),
            MakeRow("slot", {"kept", "physical"}, {"true", "1024", std::nullopt, "false"}),
            MakeRow("setting", {"max_wal_size"}, {"64", "MB", "true"})},
           0);
  ASSERT_EQ(rows.io.size(), 2U);
  EXPECT_EQ(rows.io[0].backend_type, "checkpointer");
  EXPECT_FALSE(rows.io[0].reads);
  EXPECT_EQ(rows.io[0].read_seconds, 1.5);
  EXPECT_EQ(rows.io[0].writes, 7);
  EXPECT_EQ(rows.io[1].reads, 5);
  ASSERT_EQ(rows.slru.size(), 1U);
  EXPECT_EQ(rows.slru[0].slru, "transaction");
  EXPECT_EQ(rows.slru[0].truncates, 7);
  ASSERT_EQ(rows.slots.size(), 1U);
  EXPECT_EQ(rows.slots[0].slot_type, "physical");
  EXPECT_EQ(rows.slots[0].active, 1);
  EXPECT_EQ(rows.slots[0].lost, 0);
  EXPECT_FALSE(rows.slots[0].safe_wal_bytes);
  EXPECT_EQ(rows.settings.max_wal_size, 67108864.0);
  EXPECT_EQ(rows.settings.pending_restart.size(), 1U);
}

TEST(FillRows, TheSameLabelsTwiceAreOneRow) {
  const RowsPlan plan = PlanRows(FullCatalog(18));
  const SurveyRows rows = Fill(plan,
                               {MakeRow("io", {"checkpointer", "relation", "normal"}, {"1"}),
                                MakeRow("io", {"checkpointer", "relation", "normal"}, {"2"}),
                                MakeRow("io", {"checkpointer", "relation", "init"}, {"3"}),
                                MakeRow("slru", {std::nullopt}, {}), MakeRow("slru", {""}, {})},
                               2);
  EXPECT_EQ(rows.io.size(), 2U);
  EXPECT_EQ(rows.io[0].reads, 1);
  EXPECT_EQ(rows.slru.size(), 1U);
}

TEST(FillRows, HostileRowsAreCountedAndDropped) {
  const RowsPlan plan = PlanRows(FullCatalog(18));
  Row short_row = MakeRow("io", {"a", "b", "c"}, {"1"});
  short_row.pop_back();
  Row long_row = MakeRow("io", {"a", "b", "c"}, {"1"});
  long_row.emplace_back("1");
  Row nameless = MakeRow("io", {"a", "b", "c"}, {"1"});
  nameless[0].reset();
  const SurveyRows rows = Fill(
      plan,
      {short_row, long_row, nameless, Row{}, MakeRow("tables", {}, {}),
       MakeRow("setting", {std::nullopt}, {"1"}), MakeRow("setting", {"max_wal_size"}, {"x", "MB"}),
       MakeRow("io", {"\xff", "relation", "normal"}, {"x", "-", "1"})},
      9);
  ASSERT_EQ(rows.io.size(), 1U) << "bad values cost single samples, not the row";
  EXPECT_EQ(rows.io[0].read_seconds, 0.001);
  EXPECT_FALSE(rows.settings.max_wal_size);
}

TEST(FillRows, ASettingWithoutAValueIsNotToldAndNoFault) {
  const SurveyRows rows = Fill(PlanRows(FullCatalog(18)),
                               {MakeRow("setting", {"max_wal_size"}, {std::nullopt, "MB"})}, 0);
  EXPECT_FALSE(rows.settings.max_wal_size);
}

TEST(FillRows, WhatWasNotAskedIsNotTaken) {
  const RowsPlan plan = PlanRows(FullCatalog(12));
  const SurveyRows rows = Fill(plan, {MakeRow("io", {"a", "b", "c"}, {"1"})}, 1);
  EXPECT_TRUE(rows.io.empty());
}

TEST(FillRows, NeverGrowsWithoutBound) {
  std::vector<Row> many;
  for (int i = 0; i < 2000; ++i) many.push_back(MakeRow("slot", {std::to_string(i), "p"}, {"t"}));
  SurveyRows rows;
  EXPECT_EQ(FillRows(PlanRows(FullCatalog(18)), {{}, many}, &rows), 1500);
  EXPECT_EQ(rows.slots.size(), 500U);
}

}  // namespace
}  // namespace ckpt
