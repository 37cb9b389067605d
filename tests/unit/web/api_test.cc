// SPDX-License-Identifier: Apache-2.0
#include "web/api.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "core/advice.h"
#include "unit/web/states.h"

namespace ckpt::web {
namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

Json Parsed(const Answer& answer) {
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.content_type, "application/json");
  return Json::parse(answer.body);
}

TEST(TargetsJson, TellsOfATargetThatNeverAnsweredOnlyWhatIsKnown) {
  TargetState state = NeverPolled("db");
  state.health.last_error = ErrorCode::kAuth;
  const Json json = Parsed(TargetsJson(Published({state}), {}, kNow));
  EXPECT_EQ(json["now"], kWall);
  const Json& target = json["targets"].at(0);
  EXPECT_EQ(target["name"], "db");
  EXPECT_EQ(target["up"], false);
  EXPECT_EQ(target["last_error"], "auth");
  for (const char* absent : {"version", "role", "phase", "in_progress", "forecast", "windows",
                             "last_event", "log", "settings", "missing_capabilities"}) {
    EXPECT_FALSE(target.contains(absent)) << absent;
  }
}

TEST(TargetsJson, TellsWhatATargetDoesNow) {
  TargetState state = Up("db");
  auto info = std::make_shared<TargetInfo>(*state.info);
  info->labels = {{"cluster", "a"}};
  state.info = info;
  state.activity = {Phase::kSync, true};
  state.derived.windows[1].requested = 0.75;
  state.forecast.next_forced = kWall + 300;
  state.forecast.redo_lsn = 0x1'0000'00FF;
  state.capabilities.Set(Capability::kCheckpointerActivity, false);
  state.log = LogHealth{};
  state.log->lines_read = 42;
  SetEvents(&state, {FullEvent(kWall, Reason::kTime), FullEvent(kWall + 50)});
  const Json json = Parsed(TargetsJson(Published({state}), {}, kNow));
  const Json& target = json["targets"].at(0);
  EXPECT_EQ(target["up"], true);
  EXPECT_EQ(target["labels"], Json({{"cluster", "a"}}));
  EXPECT_EQ(target["version"], "15.18");
  EXPECT_EQ(target["role"], "primary");
  EXPECT_EQ(target["flavor"], "postgresql");
  EXPECT_EQ(target["phase"], "sync");
  EXPECT_EQ(target["in_progress"], true);
  EXPECT_EQ(target["server_now"], kWall + 100);
  EXPECT_EQ(target["windows"]["1h"], Json({{"requested_ratio", 0.75}}));
  EXPECT_EQ(target["windows"]["5m"], Json::object());
  EXPECT_EQ(target["forecast"]["next_forced"], kWall + 300);
  EXPECT_EQ(target["forecast"]["redo_lsn"], "1/FF");
  EXPECT_FALSE(target["forecast"].contains("next_timed"));
  EXPECT_EQ(target["missing_capabilities"].size(), 1u);
  EXPECT_EQ(target["missing_capabilities"][0]["name"], "checkpointer_activity");
  EXPECT_EQ(target["missing_capabilities"][0]["cure"], "GRANT pg_monitor TO monitor;");
  EXPECT_EQ(target["log"]["lines_read"], 42);
  EXPECT_EQ(target["events_total"]["checkpoint"]["time"], 1);
  EXPECT_EQ(target["last_event"]["id"], 2);
}

TEST(TargetsJson, ShowsNoSampleOfAServerThatWentSilent) {
  TargetState state = Up("db");
  state.derived.windows[1].requested = 0.75;
  const Now later{kWall + 60, kMonotonic + std::chrono::seconds(60)};
  const Json target = Parsed(TargetsJson(Published({state}), {}, later))["targets"].at(0);
  EXPECT_EQ(target["up"], false);
  EXPECT_EQ(target["version"], "15.18");
  EXPECT_FALSE(target.contains("windows"));
  EXPECT_FALSE(target.contains("phase"));
  EXPECT_EQ(target["server_now"], kWall + 160);
}

TEST(TargetsJson, ChoosesOneByName) {
  const Targets targets = Published({Up("a"), Up("b")});
  EXPECT_EQ(Parsed(TargetsJson(targets, {}, kNow))["targets"].size(), 2u);
  const Json one = Parsed(TargetsJson(targets, {{"target", "b"}}, kNow))["targets"];
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0]["name"], "b");
}

TEST(EventsJson, TellsEveryNumberUnderItsName) {
  TargetState state = Up("db");
  SetEvents(&state, {FullEvent(kWall)});
  const Json json = Parsed(EventsJson(Published({state}), {}, kNow));
  EXPECT_EQ(json["target"], "db");
  EXPECT_EQ(json["server_now"], kWall + 100);
  const Json expected = {{"id", 1},
                         {"kind", "checkpoint"},
                         {"reason", "wal"},
                         {"flags", {"immediate", "wal"}},
                         {"origin", "both"},
                         {"failed", false},
                         {"coalesced", 1},
                         {"start", kWall},
                         {"end", kWall + 4.2},
                         {"write_seconds", 3.5},
                         {"sync_seconds", 0.5},
                         {"total_seconds", 4.2},
                         {"buffers_written", 1638},
                         {"buffers_ratio", 0.1},
                         {"slru_buffers_written", 3},
                         {"wal_files_added", 1},
                         {"wal_files_removed", 2},
                         {"wal_files_recycled", 5},
                         {"sync_files", 17},
                         {"longest_sync_seconds", 0.25},
                         {"average_sync_seconds", 0.03},
                         {"distance_bytes", 50'331'648},
                         {"estimate_bytes", 60'000'000},
                         {"lsn", "16/B374D848"},
                         {"redo_lsn", "16/A"}};
  Json event = json["events"].at(0);
  // The ring keeps durations to 0.1 ms and ratios as floats.
  for (auto& [name, value] : event.items()) {
    if (!value.is_number_float()) continue;
    EXPECT_NEAR(value.get<double>(), expected[name].get<double>(), 1e-4) << name;
    value = expected[name];
  }
  EXPECT_EQ(event, expected);
}

TEST(EventsJson, LeavesOutWhatIsNotKnown) {
  TargetState state = Up("db");
  SetEvents(&state, {CheckpointEvent{}});
  const Json event = Parsed(EventsJson(Published({state}), {}, kNow))["events"].at(0);
  EXPECT_EQ(event.size(), 7u) << event;
  EXPECT_EQ(event["flags"], Json::array());
}

TEST(EventsJson, LimitsToTheNewestAndToATime) {
  TargetState state = Up("db");
  std::vector<CheckpointEvent> events;
  for (int i = 0; i < 10; ++i) events.push_back(FullEvent(kWall + 100 * i));
  SetEvents(&state, events);
  const Targets targets = Published({state});
  struct Case {
    const char* name;
    Parameters parameters;
    std::vector<int> ids;
  };
  const Case cases[] = {
      {"newest last", {{"limit", "2"}}, {9, 10}},
      {"from lies in an event", {{"from", "1800000902.5"}}, {10}},
      {"to is the start of an event", {{"to", "1800000100"}}, {1, 2}},
      {"both", {{"from", "1800000450"}, {"to", "1800000650"}}, {6, 7}},
      {"the newest of a time", {{"to", "1800000350"}, {"limit", "1"}}, {4}},
      {"none", {{"to", "1799999999"}}, {}},
  };
  for (const Case& test : cases) {
    SCOPED_TRACE(test.name);
    std::vector<int> ids;
    const Json json = Parsed(EventsJson(targets, test.parameters, kNow));
    for (const Json& event : json["events"]) {
      ids.push_back(event["id"]);
    }
    EXPECT_EQ(ids, test.ids);
  }
}

TEST(TimelineJson, GivesColumnsWithNullForTheUnknown) {
  Timeline timeline;
  TimelineSample sample;
  sample.Set(TimelineSeries::kLatencyMax, 0.0012);
  timeline.Add(kWall, sample);
  sample.Set(TimelineSeries::kWalRate, 3e9);
  timeline.Add(kWall + 1, sample);
  TargetState state = Up("db");
  state.timeline = timeline.Snapshot();
  const Answer answer = TimelineJson(Published({state}), {}, kNow);
  const Json json = Parsed(answer);
  EXPECT_EQ(json["time"], Json({kWall, kWall + 1}));
  EXPECT_EQ(json["to"], kWall + 100);
  EXPECT_EQ(json["from"], kWall + 100 - 3600);
  ASSERT_EQ(json["series"].size(), kTimelineSeriesCount);
  for (const TimelineSeriesInfo& info : kTimelineSeries) {
    const Json& series = json["series"][std::string(info.name)];
    EXPECT_EQ(series["unit"], std::string(info.unit));
    EXPECT_EQ(series["values"].size(), 2u);
  }
  EXPECT_EQ(json["series"]["wal_rate"]["values"], Json::parse("[null,3000000000.0]"));
  EXPECT_THAT(answer.body, HasSubstr("[0.0012,0.0012]"));
}

TEST(TimelineJson, KeepsToTheTimeAndThePoints) {
  Timeline timeline;
  for (int i = 0; i < 100; ++i) timeline.Add(kWall + i, {});
  TargetState state = Up("db");
  state.timeline = timeline.Snapshot();
  const Targets targets = Published({state});
  const auto count = [&](const Parameters& parameters) {
    return Parsed(TimelineJson(targets, parameters, kNow))["time"].size();
  };
  EXPECT_EQ(count({}), 100u);
  EXPECT_EQ(count({{"from", "1800000090"}}), 10u);
  EXPECT_EQ(count({{"from", "1800000010"}, {"to", "1800000019"}}), 10u);
  EXPECT_EQ(count({{"points", "10"}}), 10u);
}

TEST(TimelineJson, IsEmptyJustAfterTheStart) {
  const Json json = Parsed(TimelineJson(Published({NeverPolled("db")}), {}, kNow));
  EXPECT_EQ(json["time"], Json::array());
  EXPECT_EQ(json["series"]["phase"]["values"], Json::array());
}

TEST(AdviceJson, TellsWhatHoldsAndTellsNothingBeforeTheFirstSurvey) {
  TargetState state = Up("db");
  Advice advice;
  advice.rule = "wal_forced_checkpoints";
  advice.severity = Severity::kWarning;
  advice.evidence = {"83 % were forced."};
  advice.suggestions = {{"max_wal_size", "4GB", "ALTER SYSTEM SET max_wal_size = '4GB';", false}};
  state.advice = std::make_shared<const std::vector<Advice>>(1, advice);
  state.recommended_max_wal_size = 4e9;
  const Targets targets = Published({state, Up("new")});
  const Json json = Parsed(AdviceJson(targets, {}, kNow));
  ASSERT_EQ(json["targets"].size(), 2u);
  const Json& told = json["targets"][0];
  EXPECT_EQ(told["target"], "db");
  EXPECT_EQ(told["recommended_max_wal_size_bytes"], 4e9);
  EXPECT_EQ(told["advice"].at(0)["rule"], "wal_forced_checkpoints");
  EXPECT_EQ(told["advice"].at(0)["severity"], "warning");
  EXPECT_EQ(told["statements"].at(0), "ALTER SYSTEM SET max_wal_size = '4GB';");
  EXPECT_EQ(json["targets"][1], Json({{"target", "new"}}));
  EXPECT_EQ(Parsed(AdviceJson(targets, {{"target", "new"}}, kNow))["targets"].size(), 1u);
}

TEST(Api, RefusesWhatItDoesNotUnderstandAndNamesIt) {
  using View = Answer (*)(const Targets&, const Parameters&, const Now&);
  struct Case {
    View view;
    Parameters parameters;
    int status;
    const char* named;
  };
  const Case cases[] = {
      {EventsJson, {}, 400, "'target' is missing"},
      {TimelineJson, {}, 400, "'target' is missing"},
      {EventsJson, {{"target", "nobody"}}, 404, "'nobody'"},
      {EventsJson, {{"target", ""}}, 404, "''"},
      {TimelineJson, {{"target", "A"}}, 404, "'A'"},
      {AdviceJson, {{"target", "nobody"}}, 404, "'nobody'"},
      {TargetsJson, {{"target", "nobody"}}, 404, "'nobody'"},
      {TargetsJson, {{"name", "a"}}, 400, "'name'"},
      {EventsJson, {{"target", "a"}, {"target", "b"}}, 400, "twice"},
      {EventsJson, {{"target", "a"}, {"limit", "0"}}, 400, "'limit'"},
      {EventsJson, {{"target", "a"}, {"limit", "10001"}}, 400, "'limit'"},
      {EventsJson, {{"target", "a"}, {"limit", "1.5"}}, 400, "'limit'"},
      {EventsJson, {{"target", "a"}, {"limit", "-1"}}, 400, "'limit'"},
      {EventsJson, {{"target", "a"}, {"limit", ""}}, 400, "'limit'"},
      {EventsJson, {{"target", "a"}, {"limit", "99999999999999999999"}}, 400, "'limit'"},
      {EventsJson, {{"target", "a"}, {"from", "now"}}, 400, "'from'"},
      {EventsJson, {{"target", "a"}, {"to", "nan"}}, 400, "'to'"},
      {EventsJson, {{"target", "a"}, {"to", "inf"}}, 400, "'to'"},
      {EventsJson, {{"target", "a"}, {"from", "2"}, {"to", "1"}}, 400, "'from'"},
      {EventsJson, {{"target", "a"}, {"form", "2"}}, 400, "'form'"},
      {TimelineJson, {{"target", "a"}, {"from", "2"}, {"to", "1"}}, 400, "'from'"},
      {TimelineJson, {{"target", "a"}, {"from", "1e13"}}, 400, "'from'"},
      {TimelineJson, {{"target", "a"}, {"points", "0"}}, 400, "'points'"},
      {TimelineJson, {{"target", "a"}, {"points", "5001"}}, 400, "'points'"},
      {TimelineJson, {{"target", "a"}, {"limit", "5"}}, 400, "'limit'"},
  };
  const Targets targets = Published({Up("a"), Up("b")});
  for (const Case& test : cases) {
    const Answer answer = test.view(targets, test.parameters, kNow);
    SCOPED_TRACE(answer.body);
    EXPECT_EQ(answer.status, test.status);
    EXPECT_EQ(answer.content_type, "application/json");
    const Json json = Json::parse(answer.body);
    EXPECT_THAT(json["error"].get<std::string>(), HasSubstr(test.named));
  }
  EXPECT_EQ(EventsJson({}, {}, kNow).status, 400);
}

TEST(Api, SurvivesHostileTexts) {
  const std::string hostile = "\"</script><script>alert(1)</script>\\\n\x01\xff\xc3";
  TargetState state = Up(hostile);
  auto info = std::make_shared<TargetInfo>(*state.info);
  info->labels = {{"label", hostile}};
  state.info = info;
  state.session_role = hostile;
  state.server->flavor = hostile;
  state.log = LogHealth{};
  state.log->source.name = hostile;
  state.capabilities = {};
  state.derived.windows[0].requested = std::numeric_limits<double>::quiet_NaN();
  state.forecast.next_timed = std::numeric_limits<double>::infinity();
  const Targets targets = Published({state});
  const Json target = Parsed(TargetsJson(targets, {}, kNow))["targets"].at(0);
  EXPECT_THAT(target["name"].get<std::string>(), HasSubstr("\"</script>"));
  EXPECT_FALSE(target["windows"]["5m"].contains("requested_ratio"));
  EXPECT_FALSE(target["forecast"].contains("next_timed"));
  EXPECT_EQ(Parsed(EventsJson(targets, {}, kNow))["target"], target["name"]);
  EXPECT_EQ(Parsed(TimelineJson(targets, {}, kNow))["target"], target["name"]);
  const Answer answer = EventsJson(targets, {{"target", hostile + "x"}}, kNow);
  EXPECT_EQ(answer.status, 404);
  EXPECT_NO_THROW(Json::parse(answer.body));
  EXPECT_LT(EventsJson(targets, {{"target", std::string(5000, 'x')}}, kNow).body.size(), 200u);
}

}  // namespace
}  // namespace ckpt::web
