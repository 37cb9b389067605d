// SPDX-License-Identifier: Apache-2.0
#include "web/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "core/advice.h"
#include "unit/web/markup.h"
#include "unit/web/states.h"
#include "web/assets.h"

namespace ckpt::web {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const PageInfo kInfo{.version = "pgcheckpoint_exporter, version 1.2.3",
                     .links = {{"metrics", "Metrics"}, {"api/v1/targets", "Targets"}}};

std::string Html(const Targets& targets, const Parameters& parameters = {}) {
  const Answer answer = Page(targets, parameters, kNow, kInfo);
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.content_type, "text/html; charset=utf-8");
  return answer.body;
}

// A target with all that a page can tell.
TargetState Busy(const std::string& name) {
  TargetState state = Up(name);
  state.activity = {Phase::kSync, true};
  state.derived.windows[1].requested = 0.83;
  state.derived.windows[1].wal_fpi = 0.41;
  state.derived.windows[1].span_seconds = 3600;
  state.forecast.next_forced = kWall + 100 + 180;
  state.forecast.next_timed = kWall + 100 + 250;
  state.forecast.remaining_bytes = 1000;
  state.forecast.wal_bytes_per_second = 12 * 1048576.0;
  state.pulse->buffers_checkpointer = 600;
  state.pulse->buffers_bgwriter = 300;
  state.pulse->buffers_backend = 100;
  state.capabilities.Set(Capability::kCheckpointerActivity, false);
  CheckpointEvent failed = FullEvent(kWall - 100, Reason::kRequest);
  failed.failed = true;
  SetEvents(&state, {FullEvent(kWall - 200, Reason::kTime), failed, FullEvent(kWall + 53.8)});
  Advice advice;
  advice.rule = "forced";
  advice.severity = Severity::kWarning;
  advice.title = "WAL volume forces checkpoints";
  advice.message = "max_wal_size is too small.";
  advice.evidence = {"83 % were forced."};
  advice.suggestions = {{"max_wal_size", "4GB", "ALTER SYSTEM SET max_wal_size = '4GB';", false}};
  state.advice = std::make_shared<const std::vector<Advice>>(1, advice);
  return state;
}

TEST(Page, IsWellFormedAndRunsNothingInline) {
  TargetState empty = Up("b");
  empty.advice = std::make_shared<const std::vector<Advice>>();
  const Targets several = Published({Busy("a"), empty, NeverPolled("c")});
  const std::string pages[] = {
      Html({}),
      Html(several),
      Html(several, {{"target", "a"}}),
      Html(several, {{"target", "b"}}),
      Html(several, {{"target", "c"}}),
      Page(several, {{"target", "x"}}, kNow, kInfo).body,
  };
  for (const std::string& html : pages) {
    const Markup markup = ReadMarkup(html);
    EXPECT_EQ(markup.fault, "");
    EXPECT_GT(markup.tags.size(), 10u);
    std::set<std::string> ids;
    std::set<std::string> assets;
    for (const Asset& asset : Assets()) assets.emplace(asset.path);
    int main = 0;
    int h1 = 0;
    for (const Tag& tag : markup.tags) {
      SCOPED_TRACE(tag.text);
      EXPECT_NE(tag.name, "style");
      EXPECT_EQ(tag.text.find(" style="), std::string::npos);
      EXPECT_FALSE(std::regex_search(tag.text, std::regex(" on[a-z]+=")));
      if (tag.name == "script") {
        EXPECT_NE(tag.Attribute("src"), "");
        EXPECT_THAT(html, HasSubstr(tag.text + "</script>"));
      }
      if (tag.name == "script" || tag.name == "link" || tag.name == "img") {
        const std::string path = tag.Attribute(tag.name == "link" ? "href" : "src");
        EXPECT_EQ(assets.count(path), 1u) << path;
      }
      if (const std::string id = tag.Attribute("id"); !id.empty()) {
        EXPECT_TRUE(ids.insert(id).second) << "twice: " << id;
      }
      main += tag.name == "main" ? 1 : 0;
      h1 += tag.name == "h1" ? 1 : 0;
    }
    EXPECT_EQ(main, 1);
    EXPECT_EQ(h1, 1);
    for (const Tag& tag : markup.tags) {
      for (const char* reference : {"aria-labelledby", "for"}) {
        const std::string id = tag.Attribute(reference);
        EXPECT_TRUE(id.empty() || ids.contains(id)) << tag.text;
      }
    }
    EXPECT_THAT(html, HasSubstr("<html lang=\"en\">"));
  }
}

TEST(Page, TellsInPlainWordsWhatATargetDoes) {
  const std::string html = Html(Published({Busy("db")}));
  EXPECT_THAT(html, HasSubstr("Checkpoint running: syncing files"));
  EXPECT_THAT(html, HasSubstr("Last checkpoint ended 42 s ago, forced by WAL volume, took 4.2 s."));
  EXPECT_THAT(html, HasSubstr("Next: forced in about 3 min at 12.0 MB/s; timer in 4:10."));
  EXPECT_THAT(html, HasSubstr("<strong>83 %</strong><span class=\"note\">of the last hour</span>"));
  EXPECT_THAT(html, HasSubstr("of the last hour, estimate"));
  EXPECT_THAT(html, HasSubstr("GRANT pg_monitor TO monitor;"));
  EXPECT_THAT(html, HasSubstr("ALTER SYSTEM SET max_wal_size = &#39;4GB&#39;;"));
  EXPECT_THAT(html, HasSubstr("<time datetime=\"2027-01-15T07:56:40Z\">2027-01-15 07:56:40 UTC"));
  EXPECT_THAT(html, HasSubstr("<span class=\"reason failed\">failed, request</span>"));
  // The newest first.
  EXPECT_LT(html.find("data-key=\"3\""), html.find("data-key=\"1\""));
}

TEST(Page, SaysWhatIsMissingInsteadOfShowingNothing) {
  TargetState silent = Up("db");
  silent.health.last_error = ErrorCode::kTimeout;
  silent.health.last_good->monotonic -= std::chrono::seconds(34);
  silent.health.last_good->wall -= 34;
  TargetState refused = NeverPolled("db");
  refused.health.last_error = ErrorCode::kAuth;
  TargetState aurora = Up("db");
  aurora.server->flavor = "aurora";
  TargetState blind = Up("db");
  blind.activity = {};
  TargetState failing = Up("db");
  CheckpointEvent failed = FullEvent(kWall);
  failed.failed = true;
  SetEvents(&failing, {failed});
  struct Case {
    TargetState state;
    std::vector<std::string> expected;
  };
  const Case cases[] = {
      {NeverPolled("db"),
       {"Waiting for the first answer", "No checkpoint was seen yet.", "None yet.",
        "Not enough was seen to judge.", "not known yet"}},
      {refused, {"Down: login refused"}},
      {silent, {"Down: no answer in time", "Last answer 34 s ago."}},
      {Up("db"), {"No checkpoint running", "The role may read all that is wanted."}},
      {aurora, {"This server has no checkpoints of its own", "aurora 15.18"}},
      {blind, {"this role may not see whether a checkpoint runs"}},
      {failing, {"The last checkpoint failed"}},
  };
  for (const Case& test : cases) {
    const std::string html = Html(Published({test.state}));
    for (const std::string& text : test.expected) EXPECT_THAT(html, HasSubstr(text));
  }
  EXPECT_THAT(Html({}), HasSubstr("No target is configured."));
}

TEST(Page, ListsThoseInTroubleFirst) {
  TargetState down = NeverPolled("e-down");
  down.health.last_error = ErrorCode::kConnection;
  TargetState failing = Up("d-failing");
  CheckpointEvent failed = FullEvent(kWall);
  failed.failed = true;
  SetEvents(&failing, {failed});
  TargetState running = Up("c-running");
  running.activity = {Phase::kWrite, true};
  TargetState forced = Up("b-forced");
  forced.derived.windows[1].requested = 0.9;
  const std::string html =
      Html(Published({Up("a-quiet"), forced, running, failing, down, NeverPolled("f-waiting")}));
  std::size_t last = 0;
  for (const char* name :
       {"e-down", "f-waiting", "d-failing", "c-running", "b-forced", "a-quiet"}) {
    const std::size_t at = html.find("data-key=\"" + std::string(name));
    ASSERT_NE(at, std::string::npos) << name;
    EXPECT_GT(at, last) << name;
    last = at;
  }
  EXPECT_THAT(html, HasSubstr("6 targets: 1 down, 1 not yet answered, 1 with a failed checkpoint, "
                              "1 running a checkpoint."));
  EXPECT_THAT(html, HasSubstr("href=\"?target=e-down\""));
}

TEST(Page, NamesWhatDoesNotExist) {
  const Answer answer = Page(Published({Up("a")}), {{"target", "<b>"}}, kNow, kInfo);
  EXPECT_EQ(answer.status, 404);
  EXPECT_THAT(answer.body, HasSubstr("No target is named <strong>&lt;b&gt;</strong>."));
  EXPECT_THAT(answer.body, HasSubstr("href=\"?target=a\""));
}

TEST(Page, EscapesEverythingFromOutside) {
  const std::string hostile = "\"'><script>alert(1)</script>&amp;<img src=x onerror=alert(1)>";
  TargetState state = Busy(hostile);
  auto info = std::make_shared<TargetInfo>(*state.info);
  info->labels = {{hostile, hostile}};
  state.info = info;
  state.server->flavor = hostile;
  state.session_role = hostile;
  state.log = LogHealth{};
  state.log->source.name = hostile;
  Advice advice = state.advice->front();
  advice.message = advice.cost = advice.confidence = hostile;
  advice.evidence = advice.steps = {hostile};
  advice.suggestions = {{hostile, hostile, hostile, true}};
  state.advice = std::make_shared<const std::vector<Advice>>(1, advice);
  const PageInfo hostile_info{.version = hostile, .links = {{hostile, hostile}}};
  for (const Targets& targets : {Published({state}), Published({state, Up("b")})}) {
    const std::string html = Page(targets, {}, kNow, hostile_info).body;
    EXPECT_EQ(ReadMarkup(html).fault, "");
    EXPECT_THAT(html, AllOf(Not(HasSubstr("<script>")), Not(HasSubstr("<img src=x"))));
  }
  // The link leads back to the same name.
  EXPECT_THAT(Html(Published({state, Up("b")})), HasSubstr("href=\"?target=%22%27%3E%3Cscript%3E"));
}

TEST(Page, StaysUsableWithAThousandTargets) {
  Targets targets;
  for (int i = 0; i < 1000; ++i) {
    targets.push_back(
        std::make_shared<const TargetState>(Busy("db-" + std::to_string(10'000 + i))));
  }
  const std::string html = Html(targets);
  EXPECT_EQ(ReadMarkup(html).fault, "");
  EXPECT_THAT(html, AllOf(HasSubstr("1,000 targets"), HasSubstr("<option value=\"db-10999\">")));
  EXPECT_LT(html.size(), 700'000u);
}

TEST(Assets, HaveTheirHashInTheirPathAndNoWayToMakeMarkup) {
  std::set<std::string_view> paths;
  for (const Asset& asset : Assets()) {
    SCOPED_TRACE(asset.name);
    EXPECT_TRUE(paths.insert(asset.path).second);
    EXPECT_EQ(AssetPath(asset.name), asset.path);
    const std::string hash(asset.etag.substr(1, asset.etag.size() - 2));
    EXPECT_EQ(hash.size(), 16u);
    EXPECT_THAT(std::string(asset.path), HasSubstr("-" + hash + "."));
    EXPECT_GT(asset.size, 0u);
    const std::string content = asset.Content();
    for (const char* forbidden : {"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write",
                                  "eval(", "new Function"}) {
      EXPECT_THAT(content, Not(HasSubstr(forbidden)));
    }
  }
  EXPECT_EQ(AssetPath("nothing"), "");
}

TEST(PageHeaders, AllowNothingInlineAndNothingFromElsewhere) {
  std::string policy;
  for (const auto& [name, value] : kPageHeaders) {
    if (name == "Content-Security-Policy") policy = value;
  }
  EXPECT_THAT(policy, AllOf(HasSubstr("default-src 'none'"), HasSubstr("script-src 'self';"),
                            HasSubstr("style-src 'self';"), HasSubstr("frame-ancestors 'none'"),
                            HasSubstr("require-trusted-types-for 'script'")));
  EXPECT_THAT(policy, AllOf(Not(HasSubstr("unsafe")), Not(HasSubstr("http")), Not(HasSubstr("*"))));
}

}  // namespace
}  // namespace ckpt::web
