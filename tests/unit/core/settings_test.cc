// SPDX-License-Identifier: Apache-2.0
#include "core/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "testing/postgres_catalog.h"

namespace ckpt {
namespace {

using ::testing::ElementsAre;

TEST(UnitFactor, KnowsEveryUnitOfPostgres) {
  struct Case {
    const char* unit;
    double factor;
  };
  for (const auto& [unit, factor] : {
           Case{"", 1},
           {"B", 1},
           {"kB", 1024},
           {"8kB", 8192},
           {"16kB", 16384},
           {"MB", 1048576},
           {"16MB", 16777216},
           {"64MB", 67108864},
           {"GB", 1073741824},
           {"TB", 1099511627776},
           {"us", 1e-6},
           {"ms", 1e-3},
           {"s", 1},
           {"min", 60},
           {"h", 3600},
           {"d", 86400},
       }) {
    EXPECT_EQ(UnitFactor(unit), factor) << unit;
  }
}

TEST(UnitFactor, RefusesTheRest) {
  for (const char* unit : {"8", "kb", "KB", "mb", "Mb", "m", "sec", "kB8", "8 kB", " kB", "kB ",
                           "-8kB", "8.5kB", "1e3B", "PB", "8kBs", "\xff"}) {
    EXPECT_FALSE(UnitFactor(unit)) << unit;
  }
  EXPECT_FALSE(UnitFactor(std::string(400, '9') + "kB"));
}

Settings Read(std::vector<SettingRow> rows, int expected_rejected = 0) {
  int rejected = 0;
  Settings settings = ReadSettings(rows, &rejected);
  EXPECT_EQ(rejected, expected_rejected);
  return settings;
}

TEST(ReadSettings, ConvertsToBaseUnits) {
  const Settings settings = Read({
      {"max_wal_size", "1024", "MB"},
      {"shared_buffers", "16384", "8kB"},
      {"checkpoint_timeout", "300", "s"},
      {"bgwriter_delay", "200", "ms"},
      {"block_size", "8192", ""},
      {"checkpoint_completion_target", "0.9", ""},
      {"full_page_writes", "on", ""},
      {"fsync", "off", ""},
      {"wal_level", "replica", ""},
      {"log_line_prefix", "%m [%p] ", ""},
  });
  EXPECT_EQ(settings.max_wal_size, 1073741824.0);
  EXPECT_EQ(settings.shared_buffers, 134217728.0);
  EXPECT_EQ(settings.checkpoint_timeout, 300.0);
  EXPECT_DOUBLE_EQ(settings.bgwriter_delay.value_or(0), 0.2);
  EXPECT_EQ(settings.block_size, 8192.0);
  EXPECT_EQ(settings.checkpoint_completion_target, 0.9);
  EXPECT_EQ(settings.full_page_writes, 1.0);
  EXPECT_EQ(settings.fsync, 0.0);
  EXPECT_EQ(settings.wal_level, "replica");
  EXPECT_EQ(settings.log_line_prefix, "%m [%p] ");
  EXPECT_FALSE(settings.min_wal_size);
  EXPECT_TRUE(settings.pending_restart.empty());
}

TEST(ReadSettings, ReadsTheSegmentSizeOfBothGenerations) {
  EXPECT_EQ(Read({{"wal_segment_size", "2048", "8kB"}}).wal_segment_size, 16777216.0);
  EXPECT_EQ(Read({{"wal_segment_size", "16777216", "B"}}).wal_segment_size, 16777216.0);
}

TEST(ReadSettings, MinusOneIsAMarkAndKeepsItsUnitsOff) {
  const Settings settings = Read({{"max_slot_wal_keep_size", "-1", "MB"},
                                  {"wal_buffers", "-1", "8kB"},
                                  {"log_startup_progress_interval", "-1", "ms"},
                                  {"wal_segment_size", "16777216", "B"},
                                  {"wal_keep_segments", "-1", ""}});
  EXPECT_EQ(settings.max_slot_wal_keep_size, -1.0);
  EXPECT_EQ(settings.wal_buffers, -1.0);
  EXPECT_EQ(settings.log_startup_progress_interval, -1.0);
  EXPECT_EQ(settings.wal_keep_size, -1.0);
}

TEST(ReadSettings, SegmentsAreMultipliedByTheirSizeInAnyOrder) {
  const SettingRow segments{"wal_keep_segments", "32", ""};
  const SettingRow size{"wal_segment_size", "16777216", "B"};
  EXPECT_EQ(Read({segments, size}).wal_keep_size, 32 * 16777216.0);
  EXPECT_EQ(Read({size, segments}).wal_keep_size, 32 * 16777216.0);
  EXPECT_FALSE(Read({segments}).wal_keep_size) << "without the size there is no answer";
  EXPECT_EQ(Read({{"wal_keep_size", "512", "MB"}, size}).wal_keep_size, 536870912.0);
}

TEST(ReadSettings, CountsWhatItCannotUnderstand) {
  for (const SettingRow& row : {
           SettingRow{"max_wal_size", "", "MB"},
           {"max_wal_size", "1GB", ""},
           {"max_wal_size", "1024", "megabytes"},
           {"max_wal_size", "NaN", "MB"},
           {"checkpoint_timeout", "5", "8"},
           {"checkpoint_completion_target", "0,9", ""},
           {"full_page_writes", "yes", ""},
           {"full_page_writes", "1", ""},
           {"fsync", "ON", ""},
       }) {
    SCOPED_TRACE(std::string(row.name) + "=" + std::string(row.setting));
    const Settings settings = Read({row}, 1);
    EXPECT_FALSE(settings.max_wal_size || settings.checkpoint_timeout ||
                 settings.checkpoint_completion_target || settings.full_page_writes ||
                 settings.fsync);
  }
}

TEST(ReadSettings, PassesOverWhatItDoesNotKnow) {
  EXPECT_FALSE(Read({{"work_mem", "x", "?"}, {"", "", ""}}).max_wal_size);
}

TEST(ReadSettings, OfDuplicatesTheLastCounts) {
  const Settings settings = Read({{"max_wal_size", "1", "MB", true},
                                  {"max_wal_size", "2", "MB", true},
                                  {"wal_segment_size", "1048576", "B"},
                                  {"wal_keep_segments", "3", ""},
                                  {"wal_keep_segments", "4", ""}});
  EXPECT_EQ(settings.max_wal_size, 2097152.0);
  EXPECT_EQ(settings.wal_keep_size, 4194304.0) << "multiplied once";
  EXPECT_THAT(settings.pending_restart, ElementsAre("max_wal_size"));
}

TEST(ReadSettings, ListsWhatWaitsForARestart) {
  const Settings settings = Read({{"shared_buffers", "1024", "8kB", true},
                                  {"max_wal_size", "1024", "MB", false},
                                  {"wal_level", "logical", "", true},
                                  {"work_mem", "4096", "kB", true}});
  EXPECT_THAT(settings.pending_restart, ElementsAre("shared_buffers", "wal_level"));
}

// --- The table against real servers ------------------------------------------------------------

TEST(SettingsTable, NamesAndMembersAreUniqueInEachVersion) {
  for (int major = testing::kOldestMajor; major <= testing::kNewestMajor; ++major) {
    std::set<std::string_view> names;
    std::set<std::size_t> seen;
    for (const Setting& setting : SettingsTable()) {
      if (!setting.versions.Contains({major * 10000})) continue;
      EXPECT_TRUE(names.insert(setting.name).second) << setting.name;
      for (const Setting& other : SettingsTable()) {
        if (&other == &setting || !other.versions.Contains({major * 10000})) continue;
        EXPECT_FALSE(other.field == setting.field) << setting.name << " and " << other.name;
        EXPECT_TRUE(!IsExposed(*other.family) || other.family != setting.family)
            << setting.name << " and " << other.name;
      }
    }
  }
}

// Not among the recorded settings; it is in every version (pg_settings of 10 to 19, fixtures/rows).
const std::set<std::string_view> kUnrecorded{"max_connections"};

TEST(SettingsTable, IsInExactlyTheVersionsThatServersHaveIt) {
  const testing::PostgresCatalog catalog;
  for (const Setting& setting : SettingsTable()) {
    if (kUnrecorded.contains(setting.name)) continue;
    for (int major = testing::kOldestMajor; major <= testing::kNewestMajor; ++major) {
      EXPECT_EQ(setting.versions.Contains({major * 10000}),
                catalog.SettingOf(major, std::string(setting.name)).has_value())
          << setting.name << " in " << major;
    }
  }
}

TEST(SettingsTable, KindsAreThoseOfServers) {
  const testing::PostgresCatalog catalog;
  const std::set<std::string> sizes{"B", "kB", "8kB", "MB"};
  const std::set<std::string> times{"ms", "s", "min"};
  for (const Setting& setting : SettingsTable()) {
    for (int major = testing::kOldestMajor; major <= testing::kNewestMajor; ++major) {
      const auto type = catalog.SettingOf(major, std::string(setting.name));
      if (!type) continue;
      SCOPED_TRACE(std::string(setting.name) + " in " + std::to_string(major));
      switch (setting.kind) {
        case SettingKind::kNumber:
        case SettingKind::kSegments:
          EXPECT_TRUE(type->vartype == "integer" || type->vartype == "real");
          EXPECT_EQ(type->unit, "");
          break;
        case SettingKind::kBytes:
          // block_size is in bytes and says no unit.
          EXPECT_TRUE(sizes.contains(type->unit) || setting.name == "block_size") << type->unit;
          break;
        case SettingKind::kSeconds: EXPECT_TRUE(times.contains(type->unit)) << type->unit; break;
        case SettingKind::kBool: EXPECT_EQ(type->vartype, "bool"); break;
        case SettingKind::kEnum:
          // wal_compression was a boolean to 14.
          EXPECT_TRUE(type->vartype == "enum" || (type->vartype == "bool" && major <= 14));
          break;
        case SettingKind::kText: EXPECT_TRUE(type->vartype == "string" || type->vartype == "enum");
      }
      EXPECT_TRUE(UnitFactor(type->unit)) << type->unit;
    }
  }
}

}  // namespace
}  // namespace ckpt
