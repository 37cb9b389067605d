// SPDX-License-Identifier: Apache-2.0
#include "core/facts.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "core/sql_plan.h"
#include "testing/postgres_catalog.h"

namespace ckpt {
namespace {

using testing::kNewestMajor;
using testing::kOldestMajor;

constexpr ServerVersion Version(int major) { return {major * 10000}; }

// Whether servers of `major` have all that a source reads. Functions of the server and of the WAL
// position have no columns and are in every version; an extension is not the server's.
bool Exists(const testing::PostgresCatalog& catalog, const Source& source, int major) {
  const ViewInfo& view = InfoOf(source.view);
  if (view.from.empty()) return true;
  if (source.view == View::kStatements) return source.versions.Contains(Version(major));
  std::string name(view.name);
  if (source.view == View::kCheckpointerProcess) name = "pg_stat_get_activity()";
  const auto columns = catalog.Columns(major, name);
  if (columns.empty()) return false;
  for (const std::string_view column : ColumnsOf(source.expression)) {
    if (!columns.contains(column)) return false;
  }
  return true;
}

bool Claims(const Source& source, int major) {
  return !source.expression.empty() && source.versions.Contains(Version(major)) &&
         InfoOf(source.view).versions.Contains(Version(major));
}

// Columns that 16 has and we read elsewhere: it keeps backend fsyncs in pg_stat_bgwriter too, and
// backend writes in pg_stat_io, apart from extends.
const std::set<std::pair<std::string_view, int>> kToldElsewhere{{"sum(fsyncs)", 16},
                                                                {"buffers_backend", 16}};

template <class Facts>
void ExpectTrueToServers(const Facts& facts) {
  const testing::PostgresCatalog catalog;
  for (const auto& fact : facts) {
    for (int major = kOldestMajor; major <= kNewestMajor; ++major) {
      int claimed = 0;
      for (const Source& source : fact.sources) {
        if (!Claims(source, major)) continue;
        ++claimed;
        EXPECT_TRUE(Exists(catalog, source, major))
            << major << " has no " << source.expression << " in " << InfoOf(source.view).name;
      }
      EXPECT_LE(claimed, 1) << "two sources in " << major << ": " << fact.sources[0].expression;
      if (claimed > 0) continue;
      for (const Source& source : fact.sources) {
        if (source.expression.empty() || kToldElsewhere.contains({source.expression, major})) {
          continue;
        }
        EXPECT_FALSE(Exists(catalog, source, major))
            << major << " has " << source.expression << " in " << InfoOf(source.view).name
            << " and nothing reads it";
      }
    }
  }
}

TEST(Facts, PulseReadsWhatServersHave) { ExpectTrueToServers(PulseFacts()); }
TEST(Facts, SurveyReadsWhatServersHave) { ExpectTrueToServers(SurveyFacts()); }
TEST(Facts, IoReadsWhatServersHave) { ExpectTrueToServers(IoRelation().facts); }
TEST(Facts, SlruReadsWhatServersHave) { ExpectTrueToServers(SlruRelation().facts); }
TEST(Facts, SlotsReadWhatServersHave) { ExpectTrueToServers(SlotRelation().facts); }

template <class Facts>
void AddRead(const Facts& facts, int major, std::set<std::string>* read) {
  for (const auto& fact : facts) {
    for (const Source& source : fact.sources) {
      if (!Claims(source, major)) continue;
      for (const std::string_view column : ColumnsOf(source.expression)) {
        read->insert(std::string(InfoOf(source.view).name) + "." + std::string(column));
      }
    }
  }
}

template <class R>
void AddLabels(const Relation<R>& relation, std::set<std::string>* read) {
  for (const auto& label : relation.labels) {
    for (const std::string_view column : ColumnsOf(label.expression)) {
      read->insert(std::string(InfoOf(relation.view).name) + "." + std::string(column));
    }
  }
}

TEST(Facts, EveryColumnOfTheStatisticsViewsIsReadOrLeftOutForAReason) {
  const std::map<std::string, const char*> left_out{
      {"pg_stat_archiver.last_archived_wal", "a file name is no number, and a label without end"},
      {"pg_stat_archiver.last_failed_wal", "a file name is no number, and a label without end"},
  };
  const testing::PostgresCatalog catalog;
  std::set<std::string> left_out_seen;
  for (int major = kOldestMajor; major <= kNewestMajor; ++major) {
    std::set<std::string> read;
    AddRead(PulseFacts(), major, &read);
    AddRead(SurveyFacts(), major, &read);
    AddRead(IoRelation().facts, major, &read);
    AddRead(SlruRelation().facts, major, &read);
    AddLabels(IoRelation(), &read);
    AddLabels(SlruRelation(), &read);
    for (const char* view : {"pg_stat_bgwriter", "pg_stat_checkpointer", "pg_stat_wal",
                             "pg_stat_io", "pg_stat_archiver", "pg_stat_slru"}) {
      for (const std::string& column : catalog.Columns(major, view)) {
        const std::string name = std::string(view) + "." + column;
        if (name == "pg_stat_bgwriter.buffers_backend" && major == 16) {
          EXPECT_FALSE(read.contains(name)) << "pg_stat_io counts these in 16";
        } else if (left_out.contains(name)) {
          left_out_seen.insert(name);
          EXPECT_FALSE(read.contains(name)) << name << " is read after all";
        } else {
          EXPECT_TRUE(read.contains(name)) << major << ": nothing reads " << name;
        }
      }
    }
  }
  EXPECT_EQ(left_out_seen.size(), left_out.size()) << "the list names what no version has";
}

TEST(Facts, EveryFactIsReportedByTheVersionsThatItShouldBe) {
  struct Case {
    Field<PulseStats> field;
    int since;
    int until;
  };
  using P = PulseStats;
  const std::vector<Case> limited{
      {&P::checkpoints_done, 18, 99},
      {&P::restartpoints_timed, 17, 99},
      {&P::restartpoints_requested, 17, 99},
      {&P::restartpoints_done, 17, 99},
      {&P::slru_written, 18, 99},
      {&P::buffers_backend, 10, 15},
      {&P::backend_fsyncs, 10, 16},
      {&P::wal_records, 14, 99},
      {&P::wal_fpi, 14, 99},
      {&P::wal_bytes, 14, 99},
      {&P::wal_fpi_bytes, 19, 99},
      {&P::wal_buffers_full, 14, 99},
      {&P::wal_stats_reset, 14, 99},
  };
  for (const auto& fact : PulseFacts()) {
    int since = 10;
    int until = 99;
    for (const Case& c : limited) {
      if (c.field == fact.field) {
        since = c.since;
        until = c.until;
      }
    }
    for (int major = kOldestMajor; major <= kNewestMajor; ++major) {
      int claimed = 0;
      for (const Source& source : fact.sources) claimed += Claims(source, major) ? 1 : 0;
      EXPECT_EQ(claimed, major >= since && major <= until ? 1 : 0)
          << fact.sources[0].expression << " in " << major;
    }
  }
}

// One member written by two facts would depend on their order.
template <class Facts>
void ExpectFieldsUnique(const Facts& facts) {
  for (std::size_t i = 0; i < facts.size(); ++i) {
    for (std::size_t j = i + 1; j < facts.size(); ++j) {
      EXPECT_FALSE(facts[i].field == facts[j].field)
          << facts[i].sources[0].expression << " and " << facts[j].sources[0].expression;
    }
  }
}

TEST(Facts, EveryMemberHasOneFact) {
  ExpectFieldsUnique(PulseFacts());
  ExpectFieldsUnique(SurveyFacts());
  ExpectFieldsUnique(IoRelation().facts);
  ExpectFieldsUnique(SlruRelation().facts);
  ExpectFieldsUnique(SlotRelation().facts);
}

TEST(Facts, SeriesOfAFamilyAreUniqueInEachVersion) {
  for (int major = kOldestMajor; major <= kNewestMajor; ++major) {
    std::set<std::pair<std::string_view, std::string_view>> series;
    const auto add = [&](const auto& facts) {
      for (const auto& fact : facts) {
        if (!IsExposed(*fact.family)) continue;
        bool claimed = false;
        for (const Source& source : fact.sources) claimed = claimed || Claims(source, major);
        if (!claimed) continue;
        EXPECT_TRUE(series.emplace(fact.family->name, fact.label_value).second)
            << fact.family->name << " " << fact.label_value << " twice in " << major;
      }
    };
    add(PulseFacts());
    add(SurveyFacts());
  }
}

TEST(ColumnsOf, FindsTheColumnsOfAnExpression) {
  using Names = std::vector<std::string_view>;
  struct Case {
    const char* expression;
    Names columns;
  };
  for (const auto& [expression, columns] : {
           Case{"", {}},
           {"wal_fpi", {"wal_fpi"}},
           {"sum(writes)", {"writes"}},
           {"count(*)", {}},
           {"pg_is_in_recovery()", {}},
           {"reads * op_bytes", {"reads", "op_bytes"}},
           {"div(sum(write_bytes), current_setting('block_size')::int8)", {"write_bytes"}},
           {"wal_status = 'lost'", {"wal_status"}},
           {"count(*) FILTER (WHERE name LIKE '%.ready')", {"name"}},
           {"CASE name WHEN 'Xact' THEN 'transaction' ELSE name END", {"name", "name"}},
           {"pg_wal_lsn_diff(CASE WHEN pg_is_in_recovery() THEN f() END, restart_lsn)",
            {"restart_lsn"}},
           {"split_part(next_xid, ':', 1)::int8 << 32", {"next_xid"}},
           {"'unterminated", {}},
           {"a'b'c", {"a", "c"}},
       }) {
    EXPECT_EQ(ColumnsOf(expression), columns) << expression;
  }
}

TEST(Capabilities, TellWhatCuresThem) {
  std::set<std::string_view> names;
  for (const CapabilityInfo& info : Capabilities()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_EQ(&InfoOf(info.capability), &info);
    EXPECT_FALSE(info.test.empty());
    EXPECT_FALSE(info.cure.empty());
  }
  EXPECT_EQ(names.size() + 1, kCapabilityCount);
  EXPECT_EQ(InfoOf(Capability::kNone).test, "true");
}

}  // namespace
}  // namespace ckpt
