// SPDX-License-Identifier: Apache-2.0
#include "app/landing_page.h"

#include "app/build_info.h"

namespace ckpt::app {
namespace {

std::string Escape(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string StateText(const TargetState& state, MonotonicTime now) {
  if (state.Fresh(now)) return "up";
  if (state.health.last_error) {
    return "down (" + std::string(ErrorCodeName(*state.health.last_error)) + ")";
  }
  return "not yet polled";
}

}  // namespace

std::string LandingPage(const std::vector<LandingLink>& links,
                        const std::vector<std::shared_ptr<const TargetState>>& targets,
                        MonotonicTime now) {
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width\">"
      "<title>pgcheckpoint_exporter</title></head><body><main>\n"
      "<h1>pgcheckpoint_exporter</h1>\n<p>";
  out += Escape(VersionText()) + "</p>\n<ul>\n";
  for (const LandingLink& link : links) {
    out += "<li><a href=\"" + Escape(link.path) + "\">" + Escape(link.path) + "</a> " +
           Escape(link.description) + "</li>\n";
  }
  out +=
      "</ul>\n<table><caption>Targets</caption><thead><tr><th scope=\"col\">target</th>"
      "<th scope=\"col\">PostgreSQL</th><th scope=\"col\">state</th></tr></thead><tbody>\n";
  for (const auto& state : targets) {
    const std::string version = state->server
                                    ? std::to_string(state->server->version.major()) + "." +
                                          std::to_string(state->server->version.minor())
                                    : "";
    out += "<tr><td>" + Escape(state->info->name) + "</td><td>" + version + "</td><td>" +
           StateText(*state, now) + "</td></tr>\n";
  }
  return out + "</tbody></table>\n</main></body></html>\n";
}

}  // namespace ckpt::app
