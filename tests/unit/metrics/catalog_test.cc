// SPDX-License-Identifier: Apache-2.0
#include "metrics/catalog.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "metrics/describe.h"

namespace ckpt::metrics {
namespace {

TEST(Catalog, NamesAreUniqueInBothFormats) {
  // OpenMetrics drops _total and _info, and a histogram adds suffixes; none may meet another name.
  std::set<std::string> names;
  for (const Entry& entry : Catalog()) {
    const std::string name = FullName(*entry.family);
    EXPECT_TRUE(names.insert(name).second) << name;
  }
  for (const Entry& entry : Catalog()) {
    std::string name = FullName(*entry.family);
    for (const std::string suffix : {"_total", "_info"}) {
      if (name.ends_with(suffix)) {
        EXPECT_FALSE(names.contains(name.substr(0, name.size() - suffix.size()))) << name;
      }
    }
    if (entry.family->type != MetricType::kHistogram) continue;
    for (const char* suffix : {"_bucket", "_sum", "_count"}) {
      EXPECT_FALSE(names.contains(name + suffix)) << name;
    }
  }
}

TEST(Catalog, EveryEntryIsCompleteAndWellNamed) {
  EXPECT_GT(Catalog().size(), 100U);
  for (const Entry& entry : Catalog()) {
    SCOPED_TRACE(FullName(*entry.family));
    EXPECT_TRUE(WellNamed(*entry.family));
    EXPECT_FALSE(entry.source.empty());
    EXPECT_EQ(static_cast<bool>(entry.collect), entry.family->per_target);
    EXPECT_EQ(static_cast<bool>(entry.collect_process), !entry.family->per_target);
  }
}

TEST(Catalog, HoldsEveryFactAndSettingThatIsExposed) {
  std::set<const Family*> families;
  for (const Entry& entry : Catalog()) families.insert(entry.family);
  const auto expect = [&](const auto& facts) {
    for (const auto& fact : facts) {
      if (IsExposed(*fact.family)) {
        EXPECT_TRUE(families.contains(fact.family)) << fact.family->name;
      }
    }
  };
  expect(PulseFacts());
  expect(SurveyFacts());
  expect(IoRelation().facts);
  expect(SlruRelation().facts);
  expect(SlotRelation().facts);
  expect(SettingsTable());
}

TEST(FullName, HasThePrefixButOnTheStandardProcessMetrics) {
  for (const Entry& entry : Catalog()) {
    const std::string name = FullName(*entry.family);
    EXPECT_TRUE(name.starts_with("pgcheckpoint_") || name.starts_with("process_")) << name;
    EXPECT_FALSE(name.starts_with("process_") && entry.family->per_target) << name;
  }
}

TEST(WellNamed, RefusesWhatTheFormatsOrConventionsForbid) {
  const Family good{"work_seconds_total", "Work.", MetricType::kCounter, Unit::kSeconds, "a,b"};
  ASSERT_TRUE(WellNamed(good));
  struct Case {
    const char* why = nullptr;
    Family family;
  };
  for (const auto& [why, family] : {
           Case{"no name", {"", "A."}},
           {"capitals", {"Work", "A."}},
           {"double underscore", {"a__b", "A."}},
           {"edge underscore", {"_a", "A."}},
           {"hyphen", {"a-b", "A."}},
           {"counter without _total", {"work", "A.", MetricType::kCounter}},
           {"gauge with _total", {"work_total", "A."}},
           {"info without _info", {"build", "A.", MetricType::kInfo}},
           {"gauge with _info", {"build_info", "A."}},
           {"reserved suffix", {"a_count", "A."}},
           {"reserved suffix", {"a_bucket", "A."}},
           {"reserved suffix", {"a_created", "A."}},
           {"seconds without the unit", {"a_seconds", "A."}},
           {"bytes missing in the name", {"a", "A.", MetricType::kGauge, Unit::kBytes}},
           {"a duration called timestamp",
            {"a_timestamp_seconds", "A.", MetricType::kGauge, Unit::kSeconds}},
           {"a timestamp called duration",
            {"a_seconds", "A.", MetricType::kGauge, Unit::kTimestamp}},
           {"help without end", {"a", "A"}},
           {"help empty", {"a", ""}},
           {"help with newline", {"a", "A\nb."}},
           {"help with backslash", {"a", "A\\b."}},
           {"help with a quote", {"a", "A \"b\"."}},
           {"label target", {"a", "A.", MetricType::kGauge, Unit::kNone, "target"}},
           {"label le", {"a", "A.", MetricType::kGauge, Unit::kNone, "x,le"}},
           {"empty label", {"a", "A.", MetricType::kGauge, Unit::kNone, "x,"}},
           {"label with a space", {"a", "A.", MetricType::kGauge, Unit::kNone, "x, y"}},
       }) {
    EXPECT_FALSE(WellNamed(family)) << why << ": " << family.name;
  }
}

TEST(DescribeJson, IsValidAndComplete) {
  const auto list = nlohmann::json::parse(DescribeJson());
  ASSERT_TRUE(list.is_array());
  ASSERT_EQ(list.size(), Catalog().size());
  const std::set<std::string> types{"counter", "gauge", "histogram", "info"};
  const std::set<std::string> units{"", "seconds", "bytes", "ratio"};
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto& row = list[i];
    SCOPED_TRACE(row.dump());
    const Family& family = *Catalog()[i].family;
    EXPECT_EQ(row.size(), 7U);
    EXPECT_EQ(row.at("name"), FullName(family));
    EXPECT_TRUE(types.contains(row.at("type")));
    EXPECT_TRUE(units.contains(row.at("unit")));
    EXPECT_EQ(row.at("help"), std::string(family.help));
    EXPECT_EQ(row.at("labels").size(), LabelCount(family) + (family.per_target ? 1U : 0U));
    EXPECT_EQ(row.at("per_target"), family.per_target);
    EXPECT_EQ(row.at("source"), Catalog()[i].source);
  }
}

TEST(DescribeMarkdown, HasOneRowOfFiveCellsAMetric) {
  std::istringstream lines(DescribeMarkdown());
  std::string line;
  std::size_t rows = 0;
  while (std::getline(lines, line)) {
    if (!line.starts_with("|")) continue;
    ++rows;
    std::size_t bars = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '|' && (i == 0 || line[i - 1] != '\\')) ++bars;
    }
    EXPECT_EQ(bars, 6U) << line;
  }
  EXPECT_EQ(rows, Catalog().size() + 2);
}

TEST(Sources, SayWhereAValueComesFromByVersion) {
  const auto source_of = [](const std::string& name) -> std::string {
    for (const Entry& entry : Catalog()) {
      if (FullName(*entry.family) == name) return entry.source;
    }
    return "";
  };
  EXPECT_EQ(source_of("pgcheckpoint_checkpoints_total"),
            "timed = to 16: pg_stat_bgwriter.checkpoints_timed; timed = 17+: "
            "pg_stat_checkpointer.num_timed; requested = to 16: pg_stat_bgwriter.checkpoints_req; "
            "requested = 17+: pg_stat_checkpointer.num_requested");
  EXPECT_EQ(source_of("pgcheckpoint_in_recovery"), "pg_is_in_recovery()");
  EXPECT_EQ(source_of("pgcheckpoint_backend_extends_total"),
            "16 to 17: sum(extends) of pg_stat_io; 18+: div(sum(extend_bytes), "
            "current_setting('block_size')::int8) of pg_stat_io");
  EXPECT_EQ(source_of("pgcheckpoint_wal_keep_size_bytes"),
            "to 12: setting wal_keep_segments; 13+: setting wal_keep_size");
}

}  // namespace
}  // namespace ckpt::metrics
