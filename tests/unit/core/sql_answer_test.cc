// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/sql_plan.h"
#include "unit/core/full_catalog.h"

// FillRecord and FillRows: answers of servers, good, strange and hostile.
namespace ckpt {
namespace {

using testing::FullCatalog;
using testing::kNewestMajor;
using testing::kOldestMajor;

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
  many.reserve(2000);
  for (int i = 0; i < 2000; ++i) many.push_back(MakeRow("slot", {std::to_string(i), "p"}, {"t"}));
  SurveyRows rows;
  EXPECT_EQ(FillRows(PlanRows(FullCatalog(18)), {{}, many}, &rows), 1500);
  EXPECT_EQ(rows.slots.size(), 500U);
}

}  // namespace
}  // namespace ckpt
