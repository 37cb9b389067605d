// SPDX-License-Identifier: Apache-2.0
#include "core/sql_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "unit/core/full_catalog.h"

namespace ckpt {
namespace {

using testing::FullCatalog;
using ::testing::HasSubstr;
using testing::kNewestMajor;
using testing::kOldestMajor;
using ::testing::Not;

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

}  // namespace
}  // namespace ckpt
