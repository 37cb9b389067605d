// SPDX-License-Identifier: Apache-2.0
#include "core/advice.h"

#include <algorithm>
#include <utility>

#include "core/advice_rules.h"

namespace ckpt {

bool AdviceRule::Applies(const ServerIdentity& server, bool standby) const {
  if (!server.HasCheckpoints() || !versions.Contains(server.version)) return false;
  switch (role) {
    case AdviceRole::kAny: return true;
    case AdviceRole::kPrimary: return !standby;
    case AdviceRole::kStandby: return standby;
  }
  return false;
}

std::span<const AdviceRule> AdviceRules() {
  static const std::vector<AdviceRule> rules = [] {
    std::vector<AdviceRule> all;
    for (const auto part : {advice::SettingRules(), advice::CheckpointRules(), advice::WalRules(),
                            advice::WriterRules()}) {
      all.insert(all.end(), part.begin(), part.end());
    }
    std::stable_sort(all.begin(), all.end(), [](const AdviceRule& a, const AdviceRule& b) {
      return a.severity < b.severity;
    });
    return all;
  }();
  return rules;
}

const AdviceRule* FindAdviceRule(std::string_view id) {
  for (const AdviceRule& rule : AdviceRules()) {
    if (rule.id == id) return &rule;
  }
  return nullptr;
}

std::vector<Advice> Evaluate(const AdviceInput& input) {
  std::vector<Advice> found;
  for (const AdviceRule& rule : AdviceRules()) {
    if (!rule.Applies(input.server, input.standby) || !rule.holds(input)) continue;
    Advice advice{rule.explain(input), rule.id, rule.severity, rule.title, {}};
    advice.doc = "docs/advice.md#" + std::string(rule.id);
    found.push_back(std::move(advice));
  }
  return found;
}

OptionalReal RecommendedMaxWalSize(const AdviceInput& input, std::span<const Advice> advice) {
  for (const Advice& one : advice) {
    if (one.sizing) return one.sizing->recommended_bytes;
  }
  if (input.standby || !input.server.HasCheckpoints() || !input.checkpoints.Enough()) {
    return std::nullopt;
  }
  return input.settings.max_wal_size;
}

std::vector<std::string> StatementsOf(std::span<const Advice> advice) {
  std::vector<std::string> statements;
  std::vector<std::string> settings;
  for (const Advice& one : advice) {
    for (const Suggestion& suggestion : one.suggestions) {
      // Where two findings want the same setting, the more severe has the word.
      if (std::find(settings.begin(), settings.end(), suggestion.setting) != settings.end()) {
        continue;
      }
      settings.push_back(suggestion.setting);
      statements.push_back(suggestion.statement);
    }
  }
  if (!statements.empty()) statements.emplace_back("SELECT pg_reload_conf();");
  return statements;
}

std::string DescribeAdvice() {
  std::string out =
      "# Advice\n\n"
      "What `pgcheckpoint_exporter advise`, `analyze`, `/api/v1/advice` and the metric\n"
      "`pgcheckpoint_advice{rule,severity}` can say. A rule is silent until enough was seen: four\n"
      "completed checkpoints or one hour, counted from the last restart and never across a reset.\n"
      "A server without checkpoints of its own (Aurora) gets no advice. The exporter changes\n"
      "nothing: the statements are for you to run.\n\n"
      "This page is generated: `pgcheckpoint_exporter --describe advice`.\n\n"
      "| rule | severity | for | finds |\n| --- | --- | --- | --- |\n";
  const auto applies = [](const AdviceRule& rule) {
    std::string text = rule.role == AdviceRole::kPrimary   ? "primary"
                       : rule.role == AdviceRole::kStandby ? "standby"
                                                           : "any server";
    if (rule.versions.since > 10) text += ", " + std::to_string(rule.versions.since) + "+";
    return text;
  };
  for (const AdviceRule& rule : AdviceRules()) {
    out.append("| [`").append(rule.id).append("`](#").append(rule.id).append(") | ");
    out.append(SeverityName(rule.severity)).append(" | ").append(applies(rule)).append(" | ");
    out.append(rule.title).append(" |\n");
  }
  for (const AdviceRule& rule : AdviceRules()) {
    out.append("\n## ").append(rule.id).append("\n\n**").append(rule.title).append("** (");
    out.append(SeverityName(rule.severity)).append(", ").append(applies(rule)).append(")\n\n");
    out.append("* Fires when: ").append(rule.fires).append("\n");
    out.append("* Means: ").append(rule.meaning).append("\n");
    out.append("* Costs: ").append(rule.cost).append("\n");
  }
  out +=
      "\n## The size model\n\n"
      "A checkpoint is forced when the WAL since the last redo point reaches `max_wal_size / (1 +\n"
      "checkpoint_completion_target)` (PostgreSQL 10: `2 + target`), counted in whole segments. "
      "For\n"
      "the timer to come first, the WAL of one `checkpoint_timeout` has to fit below that:\n\n"
      "    max_wal_size >= rate x checkpoint_timeout x (1 + checkpoint_completion_target)\n\n"
      "`rate` is the WAL rate between checkpoints that is exceeded in 5 % of the time. Longer\n"
      "intervals save full page images; how many depends on how often the same pages are written.\n"
      "The model takes them to fall with the square root of the interval, between none (each page\n"
      "is written once) and in proportion (the same pages in every interval), and tells the most\n"
      "that it could be. The size is rounded up to a step, then held below 60 % of "
      "`wal_disk_size`\n"
      "and below what redo replays within `recovery_time_objective`, where these are "
      "configured.\n\n"
      "After a crash at the worst moment the whole of `max_wal_size` may have to be replayed. Its\n"
      "time comes from the speed of recoveries that the server log has shown; where none was "
      "seen,\n"
      "WAL is taken to be replayed as fast as it was written, and the advice says so. A busy "
      "server\n"
      "writes WAL with many processes and replays it with one, an idle one replays far faster.\n";
  return out;
}

}  // namespace ckpt
