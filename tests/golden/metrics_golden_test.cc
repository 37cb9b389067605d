// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clocale>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>
#include <string>

#include "core/numbers.h"
#include "core/target_model.h"
#include "golden/fixture.h"
#include "metrics/describe.h"
#include "metrics/exposition.h"

// Recorded rows -> FillRecord -> TargetModel -> Exposition, compared byte by byte with the pages
// beside this file. CKPT_UPDATE_GOLDEN=1 writes the pages (and docs/metrics.md) anew.
namespace ckpt::golden {
namespace {

using metrics::Exposition;
using metrics::Format;

bool Updating() { return std::getenv("CKPT_UPDATE_GOLDEN") != nullptr; }

std::string Read(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// The whole text would drown what differs, so the first line that does is shown.
void ExpectGolden(const std::filesystem::path& path, const std::string& actual) {
  if (Updating()) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << actual;
    return;
  }
  const std::string expected = Read(path);
  if (expected == actual) return;
  std::istringstream want(expected);
  std::istringstream have(actual);
  std::string want_line;
  std::string have_line;
  int number = 0;
  do {
    ++number;
    if (!std::getline(want, want_line)) want_line = "(end)";
    if (!std::getline(have, have_line)) have_line = "(end)";
  } while (want_line == have_line && want_line != "(end)");
  ADD_FAILURE() << path.string() << ":" << number << ": differs\n  file: " << want_line
                << "\n  now:  " << have_line
                << "\nIf that is meant, run golden_metrics with CKPT_UPDATE_GOLDEN=1.";
}

constexpr MonotonicTime kStart{std::chrono::hours(1)};
constexpr std::chrono::seconds kBetween{60};

nlohmann::json Fixture(const std::string& name) {
  return nlohmann::json::parse(
      Read(std::filesystem::path(CKPT_FIXTURES) / "rows" / (name + ".json")));
}

// "expression FROM view" of facts that came after the recordings and are NULL in them. Better run
// record.py again than add here.
const std::set<std::string> kNotRecorded{};

// The target as it stands after both polls of a fixture.
std::shared_ptr<const TargetState> Replay(const std::string& name, const std::string& target) {
  const nlohmann::json fixture = Fixture(name);
  const ServerCatalog catalog = CatalogOf(fixture);
  const auto pulse_plan = PlanPulse(catalog);
  const auto survey_plan = PlanSurvey(catalog);
  const auto rows_plan = PlanRows(catalog);
  const auto& sql = fixture.at("sql");
  // A setting more or less changes no place of a row; anything else does.
  const auto without_settings = [](const std::string& text) {
    return text.substr(0, text.find("SELECT 'setting'"));
  };
  EXPECT_EQ(without_settings(sql.at("rows")), without_settings(rows_plan.sql))
      << "run record.py again";
  std::vector<std::string> missing;

  TargetModel model(std::make_shared<TargetInfo>(TargetInfo{target, {{"env", "test"}}}));
  ServerIdentity server;
  server.version = catalog.version;
  server.system_identifier = ParseInt(fixture.at("system_identifier").get<std::string>());
  server.postmaster_start = ParseReal(fixture.at("postmaster_start").get<std::string>());
  model.OnConnect(server, catalog.capabilities);

  SampleTime taken{1'800'000'000.25, kStart};
  PollHealth health;
  health.connected = true;
  health.connects = 1;
  health.connect_seconds = 0.0125;
  health.pulse_seconds = 0.0005;
  double first_server_time = 0;
  for (const auto& poll : fixture.at("polls")) {
    PulseStats pulse;
    auto survey = std::make_shared<Survey>();
    EXPECT_EQ(
        FillRecord(pulse_plan,
                   Reorder(pulse_plan.sql, sql.at("pulse"), RowsOf(poll.at("pulse")), &missing),
                   &pulse),
        0);
    EXPECT_EQ(
        FillRecord(survey_plan,
                   Reorder(survey_plan.sql, sql.at("survey"), RowsOf(poll.at("survey")), &missing),
                   &survey->stats),
        0);
    EXPECT_EQ(FillRows(rows_plan, RowsOf(poll.at("rows")), &survey->rows), 0);
    // The recording's own pace is of no interest; the server's clock goes with ours.
    if (first_server_time == 0) first_server_time = pulse.server_time.value_or(1);
    pulse.server_time =
        first_server_time + std::chrono::duration<double>(taken.monotonic - kStart).count();
    pulse.taken = taken;
    survey->stats.taken = taken;
    model.OnPulse(pulse, survey);
    health.last_good = taken;
    ++health.pulses;
    ++health.surveys;
    taken.wall += std::chrono::duration<double>(kBetween).count();
    taken.monotonic += kBetween;
  }
  for (const std::string& expression : missing) {
    EXPECT_TRUE(kNotRecorded.contains(expression)) << expression << ": run record.py again";
  }
  model.SetHealth(health);
  return model.Snapshot();
}

std::string Page(Format format, std::vector<std::shared_ptr<const TargetState>> targets,
                 std::optional<metrics::ProcessState> process) {
  return Exposition(format, std::move(targets), process, kStart + kBetween).All();
}

class MetricsGolden : public ::testing::TestWithParam<const char*> {};

TEST_P(MetricsGolden, TextPageIsExact) {
  const std::string name = GetParam();
  ExpectGolden(std::filesystem::path(CKPT_GOLDEN) / (name + ".prom"),
               Page(Format::kText, {Replay(name, name)}, std::nullopt));
}

INSTANTIATE_TEST_SUITE_P(Versions, MetricsGolden,
                         ::testing::Values("pg10", "pg11", "pg12", "pg13", "pg14", "pg15",
                                           "pg15_standby", "pg16", "pg17", "pg18", "pg18_standby",
                                           "pg18_plain", "pg19"),
                         [](const auto& test) { return std::string(test.param); });

// Every recording is tested, so that none lies about unread.
TEST(MetricsGoldenFiles, EveryFixtureIsReplayed) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(CKPT_FIXTURES "/rows")) {
    if (entry.path().extension() == ".json") ++files;
  }
  EXPECT_EQ(files, 13U);
}

// Primary and standby together, with the exporter's own metrics, in OpenMetrics.
TEST(MetricsGoldenFiles, OpenMetricsPageIsExact) {
  metrics::ProcessState process;
  process.version = "1.2.3";
  process.revision = "abcdef0";
  process.compiler = "gcc 12";
  process.config_reload_successful = true;
  process.config_reload_time = 1'800'000'000.5;
  process.cpu_seconds = 1.25;
  process.resident_bytes = 12'345'344;
  process.virtual_bytes = 212'345'344;
  process.open_fds = 12;
  process.max_fds = 1024;
  process.threads = 4;
  process.start_time = 1'799'999'000.75;
  ExpectGolden(std::filesystem::path(CKPT_GOLDEN) / "pg18.openmetrics",
               Page(Format::kOpenMetrics,
                    {Replay("pg18", "primary"), Replay("pg18_standby", "standby")}, process));
}

TEST(MetricsGoldenFiles, DocumentationIsGenerated) {
  ExpectGolden(std::filesystem::path(CKPT_DOCS) / "metrics.md", metrics::DescribeMarkdown());
}

}  // namespace
}  // namespace ckpt::golden

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  // The product never calls setlocale; a library in its process might.
  if (const char* name = std::getenv("CKPT_TEST_LOCALE"); name != nullptr) {
    if (std::setlocale(LC_ALL, name) == nullptr ||
        std::string(std::localeconv()->decimal_point) != ",") {
      std::cerr << "the locale " << name << " with a decimal comma is missing; install `locales`\n";
      return 1;
    }
  }
  return RUN_ALL_TESTS();
}
