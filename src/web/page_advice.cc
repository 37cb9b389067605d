// SPDX-License-Identifier: Apache-2.0
#include "core/advice.h"
#include "web/html.h"
#include "web/page_parts.h"

namespace ckpt::web {
namespace {

std::string Item(const Advice& advice) {
  std::string out = "<li class=\"advice\">\n<h3><span class=\"severity " +
                    std::string(SeverityName(advice.severity)) + "\">" +
                    std::string(SeverityName(advice.severity)) + "</span> " + Escape(advice.title) +
                    "</h3>\n<p>" + Escape(advice.message) + "</p>\n";
  for (const Suggestion& suggestion : advice.suggestions) {
    out += "<p class=\"cure\"><code>" + Escape(suggestion.statement) + "</code></p>\n";
    if (suggestion.needs_restart) out += "<p class=\"note\">Takes effect at a restart.</p>\n";
  }
  const auto list = [&out](const std::vector<std::string>& texts) {
    if (texts.empty()) return;
    out += "<ul>";
    for (const std::string& text : texts) out += "<li>" + Escape(text) + "</li>";
    out += "</ul>\n";
  };
  list(advice.steps);
  out += "<details id=\"why-" + Escape(advice.rule) + "\"><summary>Evidence and cost</summary>\n";
  list(advice.evidence);
  if (!advice.cost.empty()) out += "<p>" + Escape(advice.cost) + "</p>";
  if (!advice.confidence.empty()) out += "<p>" + Escape(advice.confidence) + "</p>";
  return out + "</details>\n</li>\n";
}

}  // namespace

std::string AdviceList(const TargetState& state) {
  if (!state.advice) return "<p class=\"empty\">Not enough was seen to judge.</p>";
  if (state.advice->empty()) return "<p class=\"empty\">Nothing to change, by what was seen.</p>";
  std::string out = "<ul class=\"advices\">\n";
  for (const Advice& advice : *state.advice) out += Item(advice);
  return out + "</ul>";
}

}  // namespace ckpt::web
