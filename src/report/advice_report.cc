// SPDX-License-Identifier: Apache-2.0
#include "report/advice_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/amounts.h"
#include "report/plain_text.h"

namespace ckpt::report {
namespace {

using Json = nlohmann::ordered_json;

std::string Upper(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return out;
}

// "  why    first line" and further lines below it.
void Field(std::string_view label, std::string_view text, std::string* out) {
  constexpr std::size_t kIndent = 11;
  std::string head = "  " + std::string(label);
  head.resize(kIndent, ' ');
  out->append(head).append(Wrap(text, kIndent)).append("\n");
}

std::string SetText(const Suggestion& suggestion) {
  return suggestion.setting + " = " + suggestion.value +
         (suggestion.needs_restart ? " (needs a restart)" : "");
}

std::string Nothing(const TargetAdvice& target) {
  return target.enough
             ? "Nothing to change."
             : "Nothing to change so far; too little was seen to judge checkpoints (four, "
               "or one hour, are needed).";
}

void Text(const TargetAdvice& target, std::string* out) {
  *out += Printable(target.target) + "\n";
  if (!target.problem.empty()) {
    Field("error", target.problem, out);
    return;
  }
  Field("seen", target.seen, out);
  if (target.advice.empty()) Field("", Nothing(target), out);
  for (const Advice& advice : target.advice) {
    out->append("\n").append(Upper(SeverityName(advice.severity))).append("  ");
    out->append(advice.title).append("  [").append(advice.rule).append("]\n");
    Field("finding", advice.message, out);
    std::string_view label = "evidence";
    for (const std::string& line : advice.evidence) {
      Field(label, "- " + line, out);
      label = "";
    }
    label = "set";
    for (const Suggestion& suggestion : advice.suggestions) {
      Field(label, SetText(suggestion), out);
      label = "";
    }
    label = "do";
    for (const std::string& step : advice.steps) {
      Field(label, "- " + step, out);
      label = "";
    }
    Field("cost", advice.cost, out);
    Field("how sure", advice.confidence, out);
    Field("more", advice.doc, out);
  }
  const std::vector<std::string> statements = StatementsOf(target.advice);
  if (statements.empty()) return;
  out->append("\nTo apply on ").append(Printable(target.target));
  out->append(" (as a superuser; a managed service has its own way to set them):\n\n");
  for (const std::string& statement : statements) out->append(statement).append("\n");
}

void MarkdownList(std::string_view head, const std::vector<std::string>& lines, std::string* out) {
  if (lines.empty()) return;
  out->append("**").append(head).append("**\n\n");
  for (const std::string& line : lines) out->append("- ").append(Markdown(line)).append("\n");
  *out += "\n";
}

void MarkdownTarget(const TargetAdvice& target, std::string* out) {
  *out += "# " + Markdown(target.target) + "\n\n";
  if (!target.problem.empty()) {
    *out += "Error: " + Markdown(target.problem) + "\n\n";
    return;
  }
  *out += "Seen: " + Markdown(target.seen) + "\n\n";
  if (target.advice.empty()) *out += Nothing(target) + "\n\n";
  for (const Advice& advice : target.advice) {
    out->append("## ").append(advice.title).append(" (").append(SeverityName(advice.severity));
    out->append(")\n\n").append(Markdown(advice.message)).append("\n\n");
    MarkdownList("Evidence", advice.evidence, out);
    MarkdownList("Do", advice.steps, out);
    *out += "**Cost:** " + Markdown(advice.cost) + "\n\n";
    *out += "**How sure:** " + Markdown(advice.confidence) + "\n\n";
  }
  const std::vector<std::string> statements = StatementsOf(target.advice);
  if (statements.empty()) return;
  *out += "```sql\n";
  for (const std::string& statement : statements) out->append(statement).append("\n");
  *out += "```\n\n";
}

Json SizingJson(const WalSizing& sizing) {
  return {{"need_bytes", sizing.need_bytes},
          {"recommended_bytes", sizing.recommended_bytes},
          {"limited_by", sizing.limited_by == WalSizeLimit::kDisk       ? "disk"
                         : sizing.limited_by == WalSizeLimit::kRecovery ? "recovery"
                                                                        : "none"},
          {"replay_bytes", sizing.replay_bytes},
          {"replay_seconds", sizing.replay_seconds},
          {"redo_observed", sizing.redo_observed},
          {"wal_saved_ratio", sizing.wal_saved_ratio},
          {"wal_saved_ratio_at_most", sizing.wal_saved_most}};
}

}  // namespace

std::string SeenText(const AdviceInput& input) {
  const CheckpointFacts& facts = input.checkpoints;
  std::string text =
      NumberText(facts.Total()) + (input.standby ? " restartpoints" : " checkpoints");
  text += " in " + DurationText(facts.span_seconds);
  if (facts.Total() == 0) return text;
  text += ": " + NumberText(facts.Of(Reason::kTime)) + " by the timer, " +
          NumberText(facts.Of(Reason::kWal)) + " by WAL volume, " +
          NumberText(facts.Of(Reason::kRequest)) + " asked for";
  if (facts.mean_interval) text += "; one every " + DurationText(*facts.mean_interval);
  return text;
}

bool NeedsAction(const std::vector<TargetAdvice>& targets) {
  return std::any_of(targets.begin(), targets.end(), [](const TargetAdvice& target) {
    return std::any_of(target.advice.begin(), target.advice.end(),
                       [](const Advice& advice) { return advice.severity != Severity::kInfo; });
  });
}

Json AdviceToJson(const Advice& advice) {
  Json json = {{"rule", advice.rule},
               {"severity", SeverityName(advice.severity)},
               {"title", advice.title},
               {"message", advice.message},
               {"evidence", advice.evidence}};
  Json& suggestions = json["suggestions"] = Json::array();
  for (const Suggestion& suggestion : advice.suggestions) {
    suggestions.push_back({{"setting", suggestion.setting},
                           {"value", suggestion.value},
                           {"statement", suggestion.statement},
                           {"needs_restart", suggestion.needs_restart}});
  }
  json["steps"] = advice.steps;
  json["cost"] = advice.cost;
  json["confidence"] = advice.confidence;
  if (advice.sizing) json["sizing"] = SizingJson(*advice.sizing);
  json["doc"] = advice.doc;
  return json;
}

std::string AdviceReport(const std::vector<TargetAdvice>& targets, ReportFormat format) {
  std::string out;
  if (format == ReportFormat::kJson) {
    Json list = Json::array();
    for (const TargetAdvice& target : targets) {
      Json one = {{"target", target.target}};
      if (!target.problem.empty()) {
        one["error"] = target.problem;
      } else {
        one["seen"] = target.seen;
        one["enough"] = target.enough;
        Json& advice = one["advice"] = Json::array();
        for (const Advice& each : target.advice) advice.push_back(AdviceToJson(each));
        one["statements"] = StatementsOf(target.advice);
      }
      list.push_back(std::move(one));
    }
    return Json{{"targets", std::move(list)}}.dump(2, ' ', false, Json::error_handler_t::replace) +
           "\n";
  }
  for (const TargetAdvice& target : targets) {
    if (!out.empty() && format == ReportFormat::kText) out += "\n";
    format == ReportFormat::kText ? Text(target, &out) : MarkdownTarget(target, &out);
  }
  return out;
}

}  // namespace ckpt::report
