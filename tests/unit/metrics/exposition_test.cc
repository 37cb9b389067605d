// SPDX-License-Identifier: Apache-2.0
#include "metrics/exposition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>

namespace ckpt::metrics {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr MonotonicTime kNow{seconds(1000)};

// A target that answered `age` ago, with a few facts of each kind.
std::shared_ptr<TargetState> Target(const std::string& name, seconds age = seconds(0)) {
  auto state = std::make_shared<TargetState>();
  TargetInfo info;
  info.name = name;
  info.labels = {{"env", "prod"}};
  state->info = std::make_shared<TargetInfo>(info);
  state->health.last_good = SampleTime{1.8e9, kNow - age};
  state->health.pulses = 7;
  ServerIdentity server;
  server.version = {180004};
  state->server = server;
  state->pulse.emplace();
  state->pulse->checkpoints_timed = 9007199254740991;
  state->pulse->checkpoints_requested = 2;
  state->pulse->write_seconds = 1.5;
  auto survey = std::make_shared<Survey>();
  survey->stats.backend_writes = 5;
  IoStats io;
  io.backend_type = "client \"backend\"\xff";
  io.object = "relation";
  io.context = "normal";
  io.writes = 3;
  survey->rows.io = {io};
  survey->rows.settings.max_wal_size = 1024.0;
  survey->rows.settings.wal_level = "replica";
  state->survey = survey;
  state->derived.windows[0].requested = 0.5;
  return state;
}

std::string Page(Format format, std::vector<std::shared_ptr<const TargetState>> targets,
                 std::optional<ProcessState> process = std::nullopt) {
  return Exposition(format, std::move(targets), process, kNow).All();
}

TEST(Exposition, ShowsWhatTheStateHasAndNothingElse) {
  const std::string page = Page(Format::kText, {Target("db")});
  for (
      const char* line :
      {"pgcheckpoint_up{target=\"db\",env=\"prod\"} 1\n",
       R"(pgcheckpoint_checkpoints_total{target="db",env="prod",trigger="timed"} 9007199254740991)",
       "pgcheckpoint_checkpoints_total{target=\"db\",env=\"prod\",trigger=\"requested\"} 2\n",
       "pgcheckpoint_write_seconds_total{target=\"db\",env=\"prod\"} 1.5\n",
       "pgcheckpoint_buffers_written_total{target=\"db\",env=\"prod\",writer=\"backend\"} 5\n",
       R"(backend_type="client \"backend\"�",object="relation",context="normal"} 3)",
       "pgcheckpoint_max_wal_size_bytes{target=\"db\",env=\"prod\"} 1024\n",
       "pgcheckpoint_wal_level_info{target=\"db\",env=\"prod\",value=\"replica\"} 1\n",
       "pgcheckpoint_requested_ratio{target=\"db\",env=\"prod\",window=\"5m\"} 0.5\n",
       "pgcheckpoint_pulses_total{target=\"db\",env=\"prod\"} 7\n"}) {
    EXPECT_THAT(page, HasSubstr(line));
  }
  for (const char* absent : {"sync_seconds", "window=\"1h\"", "min_wal_size", "io_reads",
                             "writer=\"bgwriter\"", "NaN", "process_", "build_info", "# EOF"}) {
    EXPECT_THAT(page, Not(HasSubstr(absent)));
  }
}

TEST(Exposition, OfAStaleTargetOnlyItsHealthIsShown) {
  EXPECT_THAT(Page(Format::kText, {Target("db", seconds(5))}), HasSubstr("} 1\n"));
  const std::string page = Page(Format::kText, {Target("db", seconds(6))});
  EXPECT_THAT(page, HasSubstr("pgcheckpoint_up{target=\"db\",env=\"prod\"} 0\n"));
  EXPECT_THAT(page, HasSubstr("pgcheckpoint_pulses_total{target=\"db\",env=\"prod\"} 7\n"));
  EXPECT_THAT(page, HasSubstr("pgcheckpoint_last_poll_timestamp_seconds{target=\"db\","));
  for (const char* absent : {"server_info", "capability", "checkpoints_total", "io_writes",
                             "max_wal_size", "requested_ratio", "wal_level"}) {
    EXPECT_THAT(page, Not(HasSubstr(absent)));
  }
}

TEST(Exposition, ATargetThatNeverAnsweredIsDownWithAllItsErrorCodes) {
  auto state = std::make_shared<TargetState>();
  TargetInfo info;
  info.name = "new";
  state->info = std::make_shared<TargetInfo>(info);
  state->health.errors[0] = 3;
  const std::string page = Page(Format::kText, {state});
  EXPECT_THAT(page, HasSubstr("pgcheckpoint_up{target=\"new\"} 0\n"));
  EXPECT_THAT(page, Not(HasSubstr("last_poll_timestamp")));
  for (const ErrorCode code : kErrorCodes) {
    EXPECT_THAT(page, HasSubstr("pgcheckpoint_poll_errors_total{target=\"new\",code=\"" +
                                std::string(ErrorCodeName(code)) + "\"} " +
                                (code == ErrorCode::kConnection ? "3" : "0")));
  }
}

TEST(Exposition, FreshTargetsDoNotMakeStaleOnesFresh) {
  const std::string page = Page(Format::kText, {Target("old", seconds(60)), Target("new")});
  EXPECT_THAT(page, HasSubstr("up{target=\"old\",env=\"prod\"} 0\n"
                              "pgcheckpoint_up{target=\"new\",env=\"prod\"} 1\n"));
  EXPECT_THAT(page, Not(HasSubstr("checkpoints_total{target=\"old\"")));
  EXPECT_THAT(page, HasSubstr("checkpoints_total{target=\"new\""));
}

TEST(Exposition, TargetsStandInTheirOrderInEachFamily) {
  const std::string page = Page(Format::kText, {Target("b"), Target("a"), Target("c")});
  std::istringstream lines(page);
  std::string line;
  std::map<std::string, std::string> order;
  while (std::getline(lines, line)) {
    if (line.starts_with("#")) continue;
    const std::size_t at = line.find("target=\"");
    ASSERT_NE(at, std::string::npos) << line;
    std::string& seen = order[line.substr(0, line.find('{'))];
    const char target = line[at + 8];
    if (seen.empty() || seen.back() != target) seen += target;
  }
  EXPECT_GT(order.size(), 10U);
  for (const auto& [name, seen] : order) EXPECT_EQ(seen, "bac") << name;
}

ProcessState Process() {
  ProcessState process;
  process.version = "1.0";
  process.revision = "abc";
  process.compiler = "gcc";
  process.cpu_seconds = 1.5;
  process.config_reload_successful = false;
  return process;
}

TEST(Exposition, TheExportersOwnMetricsHaveNoTarget) {
  const std::string page = Page(Format::kText, {Target("db")}, Process());
  EXPECT_THAT(
      page,
      HasSubstr("pgcheckpoint_build_info{version=\"1.0\",revision=\"abc\",compiler=\"gcc\"} 1\n"));
  EXPECT_THAT(page, HasSubstr("\nprocess_cpu_seconds_total 1.5\n"));
  EXPECT_THAT(page, HasSubstr("\npgcheckpoint_config_last_reload_successful 0\n"));
  EXPECT_THAT(page, Not(HasSubstr("process_open_fds"))) << "not told, not shown";
}

TEST(Exposition, OpenMetricsEndsWithItsMark) {
  const std::string page = Page(Format::kOpenMetrics, {Target("db")}, Process());
  EXPECT_TRUE(page.ends_with("\n# EOF\n"));
  EXPECT_EQ(page.find("# EOF"), page.size() - 6);
  EXPECT_THAT(page, HasSubstr("# TYPE pgcheckpoint_checkpoints counter\n"
                              "pgcheckpoint_checkpoints_total{"));
  EXPECT_THAT(page, HasSubstr("# TYPE pgcheckpoint_server info\npgcheckpoint_server_info{"));
  EXPECT_THAT(page, HasSubstr("# TYPE process_cpu_seconds counter\n"
                              "# UNIT process_cpu_seconds seconds\n"));
  EXPECT_EQ(Page(Format::kOpenMetrics, {}), "# EOF\n");
  EXPECT_EQ(Page(Format::kText, {}), "");
}

// Both formats: a family once and in one piece, each series once.
TEST(Exposition, NeitherFamiliesNorSeriesComeTwice) {
  for (const Format format : {Format::kText, Format::kOpenMetrics}) {
    std::istringstream lines(
        Page(format, {Target("a"), Target("b"), Target("c", seconds(60))}, Process()));
    std::string line;
    std::set<std::string> series;
    std::set<std::string> families;
    std::string family;
    while (std::getline(lines, line)) {
      if (line.starts_with("# HELP ")) {
        family = line.substr(7, line.find(' ', 7) - 7);
        EXPECT_TRUE(families.insert(family).second) << family;
      } else if (!line.starts_with("#")) {
        EXPECT_TRUE(line.starts_with(family)) << line << " under " << family;
        EXPECT_TRUE(series.insert(line.substr(0, line.rfind(' '))).second) << line;
      }
    }
    EXPECT_GT(series.size(), 50U);
  }
}

TEST(Exposition, TellsOneFamilyAtATime) {
  Exposition exposition(Format::kOpenMetrics, {Target("db")}, Process(), kNow);
  std::string all;
  std::string part;
  int parts = 0;
  while (exposition.Next(&part)) {
    ++parts;
    std::size_t helps = 0;
    for (std::size_t at = part.find("# HELP"); at != std::string::npos;
         at = part.find("# HELP", at + 1)) {
      ++helps;
    }
    EXPECT_EQ(helps, part == "# EOF\n" ? 0U : 1U);
    all += part;
    part.clear();
  }
  EXPECT_GT(parts, 10);
  EXPECT_FALSE(exposition.Next(&part)) << "the end stays the end";
  EXPECT_EQ(part, "");
  EXPECT_EQ(all, Page(Format::kOpenMetrics, {Target("db")}, Process()));
}

TEST(ContentType, IsThatOfThePrometheusToolkit) {
  EXPECT_EQ(ContentType(Format::kText), "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_EQ(ContentType(Format::kOpenMetrics),
            "application/openmetrics-text; version=1.0.0; charset=utf-8");
}

}  // namespace
}  // namespace ckpt::metrics
