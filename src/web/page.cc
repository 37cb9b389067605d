// SPDX-License-Identifier: Apache-2.0
#include "web/page.h"

#include "web/assets.h"
#include "web/html.h"
#include "web/page_parts.h"
#include "web/words.h"

namespace ckpt::web {
namespace {

std::string Head(const std::string& title, bool charts) {
  const auto path = [](std::string_view name) { return std::string(AssetPath(name)); };
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>" +
      Escape(title) + "</title>\n<link rel=\"icon\" type=\"image/svg+xml\" href=\"" +
      path("icon.svg") + "\">\n";
  if (charts) out += "<link rel=\"stylesheet\" href=\"" + path("uPlot.min.css") + "\">\n";
  // The script sets the media of the dark colours when somebody chooses.
  out += "<link rel=\"stylesheet\" href=\"" + path("style.css") +
         "\">\n<link rel=\"stylesheet\" id=\"dark\" media=\"(prefers-color-scheme: dark)\" "
         "href=\"" +
         path("dark.css") + "\">\n<script src=\"" + path("theme.js") + "\"></script>\n";
  if (charts) {
    out += "<script defer src=\"" + path("uPlot.iife.min.js") +
           "\"></script>\n<script defer src=\"" + path("bands.js") +
           "\"></script>\n<script defer src=\"" + path("charts.js") + "\"></script>\n";
  }
  return out + "<script defer src=\"" + path("live.js") + "\"></script>\n</head>\n";
}

// Finds a target by name: a plain form, which browsers complete from the list.
std::string Switcher(const Targets& targets) {
  if (targets.size() < 2) return "";
  std::string out =
      "<form class=\"switcher\" action=\"./\" method=\"get\" role=\"search\">\n"
      "<label class=\"visually-hidden\" for=\"switcher\">Go to target</label>\n"
      "<input id=\"switcher\" name=\"target\" list=\"targets\" autocomplete=\"off\" "
      "spellcheck=\"false\" required placeholder=\"Find one of " +
      CountText(static_cast<double>(targets.size())) + " targets\">\n<datalist id=\"targets\">";
  for (const auto& state : targets) {
    out += "<option value=\"" + Escape(state->info->name) + "\">";
  }
  return out + "</datalist>\n<button type=\"submit\">Go</button>\n</form>\n";
}

std::string Header(const Targets& targets) {
  return "<body>\n<a class=\"skip\" href=\"#main\">Skip to content</a>\n<header class=\"bar\">\n"
         "<a class=\"brand\" href=\"./\"><img src=\"" +
         std::string(AssetPath("icon.svg")) +
         "\" alt=\"\" width=\"20\" height=\"20\">pgcheckpoint</a>\n" + Switcher(targets) +
         "<p id=\"connection\" class=\"connection\" role=\"status\"></p>\n"
         "<div class=\"controls\"><button type=\"button\" id=\"pause\" hidden "
         "aria-pressed=\"false\">Pause</button><button type=\"button\" id=\"theme\" hidden>"
         "Theme: auto</button></div>\n</header>\n";
}

std::string Footer(const PageInfo& info) {
  std::string out = "<footer class=\"foot\">\n<p>" + Escape(info.version) + "</p>\n<ul>";
  for (const auto& [path, description] : info.links) {
    out += "<li><a href=\"" + Escape(path) + "\" title=\"" + Escape(description) + "\">" +
           Escape(path) + "</a></li>";
  }
  return out + "</ul>\n</footer>\n</body>\n</html>\n";
}

}  // namespace

std::string_view AssetPath(std::string_view name) {
  for (const Asset& asset : Assets()) {
    if (asset.name == name) return asset.path;
  }
  return "";
}

Answer Page(const Targets& targets, const Parameters& parameters, const Now& now,
            const PageInfo& info) {
  const std::string* name = nullptr;
  for (const auto& [key, value] : parameters) {
    if (key == "target") name = &value;
  }
  std::shared_ptr<const TargetState> chosen;
  for (const auto& state : targets) {
    if (name != nullptr ? state->info->name == *name : targets.size() == 1) chosen = state;
  }
  const bool unknown = name != nullptr && !chosen;

  Answer answer;
  answer.status = unknown ? 404 : 200;
  answer.content_type = "text/html; charset=utf-8";
  answer.body =
      Head(chosen ? chosen->info->name + " - checkpoints" : "Checkpoints", chosen != nullptr) +
      Header(targets) +
      (chosen ? TargetMain(*chosen, now)
              : FleetMain(targets, now, unknown ? std::string_view(*name) : "")) +
      Footer(info);
  return answer;
}

}  // namespace ckpt::web
