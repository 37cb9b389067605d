// SPDX-License-Identifier: Apache-2.0
#include "core/advice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>

#include "unit/core/advice_inputs.h"

namespace ckpt {
namespace {

std::set<std::string_view> Ids(const AdviceInput& input) {
  std::set<std::string_view> ids;
  for (const Advice& advice : Evaluate(input)) ids.insert(advice.rule);
  return ids;
}

using Change = std::function<void(AdviceInput&)>;
struct Case {
  std::string_view rule;
  std::string_view name;
  AdviceInput (*base)();
  Change fires;
  Change does_not;  // applied after `fires`: the least that silences the rule
};

AdviceInput Standby() {
  AdviceInput input = WellTuned();
  input.standby = true;
  return input;
}

const std::vector<Case>& Cases() {
  using I = AdviceInput;
  static const std::vector<Case> cases{
      {"fsync_off", "off", WellTuned, [](I& i) { i.settings.fsync = 0; },
       [](I& i) { i.settings.fsync = 1; }},
      {"full_page_writes_off", "off", WellTuned, [](I& i) { i.settings.full_page_writes = 0; },
       [](I& i) { i.settings.full_page_writes.reset(); }},
      {"log_checkpoints_off", "off", WellTuned, [](I& i) { i.settings.log_checkpoints = 0; },
       [](I& i) { i.server.flavor = "aurora"; }},
      {"track_io_timing_off", "slow sync", SlowSync, [](I&) {},
       [](I& i) { i.checkpoints.slow_syncs = 0; }},
      {"track_io_timing_off", "on", SlowSync, [](I&) {},
       [](I& i) { i.settings.track_io_timing = 1; }},
      {"track_wal_io_timing_off", "version", SlowSync, [](I&) {},
       [](I& i) { i.server.version = {130023}; }},
      {"pending_restart", "one", WellTuned,
       [](I& i) { i.settings.pending_restart = {"shared_buffers"}; },
       [](I& i) { i.settings.pending_restart.clear(); }},
      {"checkpoints_fail", "recent", WellTuned,
       [](I& i) {
         i.checkpoints.failed = 3;
         i.checkpoints.since_failed = 1800;
       },
       [](I& i) { i.checkpoints.since_failed = 1801; }},
      {"checkpoints_requested", "each minute", WellTuned,
       [](I& i) {
         SetCount(i, Reason::kRequest, 10);
         i.checkpoints.span_seconds = 600;
         i.checkpoints.since_requested = 30;
       },
       [](I& i) { i.checkpoints.span_seconds = 599; }},
      {"checkpoints_requested", "are few", WellTuned,
       [](I& i) {
         SetCount(i, Reason::kRequest, 4);
         i.checkpoints.span_seconds = 3600;
         i.checkpoints.since_requested = 30;
       },
       [](I& i) { SetCount(i, Reason::kRequest, 3); }},
      {"checkpoints_requested", "have stopped", WellTuned,
       [](I& i) {
         SetCount(i, Reason::kRequest, 60);
         i.checkpoints.span_seconds = 3600;
         i.checkpoints.since_requested = 1800;
       },
       [](I& i) { i.checkpoints.since_requested = 1801; }},
      {"checkpoint_timeout_short", "2 min", WellTuned,
       [](I& i) { i.settings.checkpoint_timeout = 299; },
       [](I& i) { i.settings.checkpoint_timeout = 300; }},
      {"checkpoint_timeout_short", "little to write", WellTuned,
       [](I& i) {
         i.settings.checkpoint_timeout = 60;
         i.checkpoints.mean_buffers_written = 100;
       },
       [](I& i) { i.checkpoints.mean_buffers_written = 99; }},
      {"completion_target_low", "0.5", WellTuned,
       [](I& i) { i.settings.checkpoint_completion_target = 0.69; },
       [](I& i) { i.settings.checkpoint_completion_target = 0.7; }},
      {"completion_target_low", "pages", WellTuned,
       [](I& i) {
         i.settings.checkpoint_completion_target = 0.5;
         i.checkpoints.mean_buffers_written = 1000;
       },
       [](I& i) { i.checkpoints.mean_buffers_written = 999; }},
      {"slow_sync", "two", SlowSync, [](I&) {}, [](I& i) { i.checkpoints.slow_syncs = 1; }},
      {"slow_sync", "a quarter", SlowSync, [](I&) {}, [](I& i) { SetCount(i, Reason::kTime, 9); }},
      {"wal_forced_checkpoints", "three", Forced,
       [](I& i) {
         SetCount(i, Reason::kWal, 3);
         SetCount(i, Reason::kTime, 7);
       },
       [](I& i) { SetCount(i, Reason::kTime, 8); }},
      {"wal_forced_checkpoints", "no more", Forced, [](I& i) { i.checkpoints.since_forced = 600; },
       [](I& i) { i.checkpoints.since_forced = 601; }},
      {"wal_forced_checkpoints", "enough seen", Forced,
       [](I& i) {
         SetCount(i, Reason::kWal, 3);
         SetCount(i, Reason::kTime, 1);
         i.checkpoints.span_seconds = 300;
       },
       [](I& i) { SetCount(i, Reason::kTime, 0); }},
      {"wal_forced_checkpoints", "large enough already", Forced,
       [](I& i) { i.settings.max_wal_size = 4.75 * kGigabyte; },
       [](I& i) { i.settings.max_wal_size = 5 * kGigabyte; }},
      {"wal_forced_checkpoints", "the disk allows", Forced,
       [](I& i) { i.limits.wal_disk_bytes = 2.5 * kGigabyte; },
       [](I& i) { i.limits.wal_disk_bytes = 2 * kGigabyte; }},
      {"wal_forced_checkpoints", "no standby", Forced, [](I&) {}, [](I& i) { i.standby = true; }},
      {"wal_forced_checkpoints", "no checkpoints", Forced, [](I&) {},
       [](I& i) { i.server.flavor = "aurora"; }},
      {"wal_held_by_slot", "retained", WellTuned,
       [](I& i) {
         i.slots = {{"standby", 8 * kGigabyte + 1, false}};
       },
       [](I& i) {
         i.slots = {{"standby", 8 * kGigabyte, false}};
       }},
      {"archiver_failing", "failed last", WellTuned,
       [](I& i) {
         i.archive_failing = true;
         i.archive_failures = 1;
       },
       [](I& i) { i.archive_failures = 0; }},
      {"wal_size_exceeds_disk", "80 %", WellTuned,
       [](I& i) { i.limits.wal_disk_bytes = 9.9 * kGigabyte; },
       [](I& i) { i.limits.wal_disk_bytes = 10 * kGigabyte; }},
      {"recovery_too_long", "objective", WellTuned,
       [](I& i) {  // min(8 GB, 4 MB/s x 900 s x 1.9 = 6840 MB) at 20 MB/s: 342 s
         i.redo_bytes_per_second = 20 * kMegabyte;
         i.limits.recovery_time_objective = 341;
       },
       [](I& i) { i.limits.recovery_time_objective = 343; }},
      {"recovery_too_long", "not measured", WellTuned,
       [](I& i) {
         i.redo_bytes_per_second = 20 * kMegabyte;
         i.limits.recovery_time_objective = 300;
       },
       [](I& i) { i.redo_bytes_per_second.reset(); }},
      {"full_page_images", "half", WellTuned,
       [](I& i) {
         i.fpi_ratio = 0.5;
         i.settings.wal_compression = "off";
       },
       [](I& i) { i.fpi_ratio = 0.49; }},
      {"full_page_images", "compressed", WellTuned,
       [](I& i) {
         i.fpi_ratio = 0.9;
         i.settings.checkpoint_timeout = 300;
         i.server.version = {190000};
       },
       [](I& i) { i.server.version = {180000}; }},
      {"restartpoints_lag", "twice", Standby,
       [](I& i) { i.recovery_wal_bytes = 16 * kGigabyte + 1; },
       [](I& i) { i.recovery_wal_bytes = 16 * kGigabyte; }},
      {"backend_fsyncs", "one", WellTuned, [](I& i) { i.writers.backend_fsyncs = 1; },
       [](I& i) { i.writers.backend_fsyncs = 0; }},
      {"backends_write_pages", "share", BackendsWriting, [](I& i) { i.writers.backend = 220000; },
       [](I& i) { i.writers.backend = 210000; }},
      {"backends_write_pages", "contains extends to 15", BackendsWriting,
       [](I& i) {
         i.server.version = {150018};
         i.writers.recent_backend_share = 0.6;
         i.writers.backend = 501000;
       },
       [](I& i) { i.writers.backend = 499000; }},
      {"backends_write_pages", "no more", BackendsWriting, [](I&) {},
       [](I& i) { i.writers.recent_backend_share = 0.2; }},
      {"backends_write_pages", "a bulk load", BackendsWriting, [](I&) {},
       [](I& i) { i.writers.normal_share = 0.5; }},
      {"bgwriter_limited", "a tenth", WellTuned, [](I& i) { i.writers.maxwritten_clean = 1800; },
       [](I& i) { i.writers.maxwritten_clean = 1799; }},
      {"bgwriter_limited", "no more", WellTuned, [](I& i) { i.writers.maxwritten_clean = 5000; },
       [](I& i) { i.writers.recent_maxwritten_clean = 0; }},
      {"bgwriter_disabled", "off", WellTuned, [](I& i) { i.settings.bgwriter_lru_maxpages = 0; },
       [](I& i) { i.writers.backend = 9999; }},
  };
  return cases;
}

TEST(AdviceRules, EachFiresAndJustDoesNot) {
  for (const Case& one : Cases()) {
    SCOPED_TRACE(std::string(one.rule) + ": " + std::string(one.name));
    AdviceInput input = one.base();
    one.fires(input);
    EXPECT_TRUE(Ids(input).contains(one.rule));
    one.does_not(input);
    EXPECT_FALSE(Ids(input).contains(one.rule));
  }
}

TEST(AdviceRules, EveryRuleHasACase) {
  std::set<std::string_view> covered;
  for (const Case& one : Cases()) covered.insert(one.rule);
  for (const AdviceRule& rule : AdviceRules()) {
    EXPECT_TRUE(covered.contains(rule.id)) << rule.id;
    EXPECT_EQ(FindAdviceRule(rule.id), &rule) << "the id is not unique";
  }
  EXPECT_EQ(covered.size(), AdviceRules().size());
}

bool IsSentence(std::string_view text) { return !text.empty() && text.back() == '.'; }

TEST(AdviceRules, EverythingFoundSaysWhyWhatAndHowSure) {
  for (const Case& one : Cases()) {
    SCOPED_TRACE(std::string(one.rule) + ": " + std::string(one.name));
    AdviceInput input = one.base();
    one.fires(input);
    for (const Advice& advice : Evaluate(input)) {
      EXPECT_TRUE(IsSentence(advice.message)) << advice.message;
      EXPECT_TRUE(IsSentence(advice.cost)) << advice.cost;
      EXPECT_TRUE(IsSentence(advice.confidence)) << advice.confidence;
      EXPECT_FALSE(advice.evidence.empty());
      EXPECT_FALSE(advice.suggestions.empty() && advice.steps.empty());
      EXPECT_EQ(advice.doc, "docs/advice.md#" + std::string(advice.rule));
      for (const std::string& line : advice.evidence) {
        EXPECT_EQ(line.find('?'), std::string::npos) << line;
      }
      for (const Suggestion& suggestion : advice.suggestions) {
        EXPECT_EQ(suggestion.statement,
                  "ALTER SYSTEM SET " + suggestion.setting + " = '" + suggestion.value + "';");
      }
    }
  }
}

TEST(AdviceRules, SilentWhereNothingIsWrong) {
  EXPECT_TRUE(Evaluate(WellTuned()).empty());
  EXPECT_TRUE(Evaluate(AdviceInput{}).empty());  // nothing is known at all
  AdviceInput idle = WellTuned();
  idle.checkpoints = {};
  idle.checkpoints.span_seconds = 3600;
  idle.writers = {};
  idle.fpi_ratio.reset();
  idle.settings.checkpoint_timeout = 30;
  EXPECT_TRUE(Evaluate(idle).empty());
  AdviceInput restarted = Forced();
  restarted.checkpoints = {};
  EXPECT_TRUE(Evaluate(restarted).empty());
}

TEST(AdviceRules, ARequestIsNeverTakenForWal) {
  AdviceInput input = Forced();
  SetCount(input, Reason::kWal, 0);
  SetCount(input, Reason::kRequest, 60);
  input.checkpoints.since_forced.reset();
  input.checkpoints.since_requested = 20;
  EXPECT_EQ(Ids(input), std::set<std::string_view>{"checkpoints_requested"});
}

TEST(AdviceRules, SizeOfForcedCheckpoints) {
  const std::vector<Advice> advice = Evaluate(Forced());
  ASSERT_EQ(advice.size(), 1U);
  ASSERT_TRUE(advice[0].sizing.has_value());
  EXPECT_EQ(advice[0].suggestions.at(0).statement, "ALTER SYSTEM SET max_wal_size = '5GB';");
  EXPECT_EQ(RecommendedMaxWalSize(Forced(), advice), 5 * kGigabyte);
  const auto says = [&](std::string_view text) {
    return std::any_of(advice[0].evidence.begin(), advice[0].evidence.end(),
                       [&](const std::string& line) { return line.find(text) != line.npos; });
  };
  EXPECT_TRUE(says("20 of 22 checkpoints in 60 min were forced by WAL volume"));
  EXPECT_TRUE(says("WAL rate 10 MB/s"));
  EXPECT_NE(advice[0].cost.find("no recovery was seen"), std::string::npos);
}

TEST(AdviceRules, RecommendsWhatIsInForceWhereNothingIsToChange) {
  EXPECT_EQ(RecommendedMaxWalSize(WellTuned(), {}), 8 * kGigabyte);
  AdviceInput young = WellTuned();
  young.checkpoints = {};
  EXPECT_EQ(RecommendedMaxWalSize(young, {}), std::nullopt);
  EXPECT_EQ(RecommendedMaxWalSize(Standby(), {}), std::nullopt);
}

TEST(AdviceRules, BackendsThatWriteWhileWalForcesWaitForTheSizeFirst) {
  AdviceInput input = Forced();
  input.writers = BackendsWriting().writers;
  for (const Advice& advice : Evaluate(input)) {
    if (advice.rule != "backends_write_pages") continue;
    EXPECT_TRUE(advice.suggestions.empty());
    EXPECT_NE(advice.steps.at(0).find("max_wal_size"), std::string::npos);
  }
  EXPECT_TRUE(Ids(input).contains("backends_write_pages"));
}

TEST(AdviceRules, StatementsComeOnceAndMostSevereFirst) {
  AdviceInput input = Forced();
  input.settings.checkpoint_completion_target = 0.5;  // suggests max_wal_size as well
  input.settings.fsync = 0;
  const std::vector<std::string> statements = StatementsOf(Evaluate(input));
  EXPECT_EQ(statements.front(), "ALTER SYSTEM SET fsync = 'on';");
  EXPECT_EQ(statements.back(), "SELECT pg_reload_conf();");
  EXPECT_EQ(std::count_if(statements.begin(), statements.end(),
                          [](const std::string& s) { return s.find("max_wal_size") != s.npos; }),
            1);
  EXPECT_TRUE(StatementsOf({}).empty());
}

TEST(AdviceRules, DescribedFromTheTable) {
  const std::string text = DescribeAdvice();
  std::ifstream file(CKPT_FIXTURES "/../../docs/advice.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(page, text) << "write docs/advice.md anew: pgcheckpoint_exporter --describe advice";
  for (const AdviceRule& rule : AdviceRules()) {
    EXPECT_NE(text.find("\n## " + std::string(rule.id) + "\n"), std::string::npos) << rule.id;
    for (const std::string_view part : {rule.fires, rule.meaning, rule.cost}) {
      EXPECT_TRUE(IsSentence(part)) << rule.id;
    }
  }
}

}  // namespace
}  // namespace ckpt
