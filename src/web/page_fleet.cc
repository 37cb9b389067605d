// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "web/html.h"
#include "web/page_parts.h"
#include "web/status_words.h"
#include "web/words.h"

namespace ckpt::web {
namespace {

struct Row {
  const TargetState* state;
  Status status;
  double requested;  // of the last hour; -1: not known
};

std::vector<Row> Sorted(const Targets& targets, const Now& now) {
  std::vector<Row> rows;
  rows.reserve(targets.size());
  for (const auto& state : targets) {
    const bool up = state->Fresh(now.monotonic);
    rows.push_back({state.get(), StatusOf(*state, now),
                    up ? state->derived.Of(WindowLength::kOneHour).requested.value_or(-1) : -1});
  }
  // Targets come by name, which so decides between equal ones.
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    if (a.status.trouble != b.status.trouble) return a.status.trouble < b.status.trouble;
    return a.requested > b.requested;
  });
  return rows;
}

std::string Summary(const std::vector<Row>& rows) {
  struct Count {
    Trouble trouble;
    std::string_view words;
  };
  constexpr std::array<Count, 4> kCounts{{{Trouble::kDown, "down"},
                                          {Trouble::kWaiting, "not yet answered"},
                                          {Trouble::kFailed, "with a failed checkpoint"},
                                          {Trouble::kRunning, "running a checkpoint"}}};
  std::string out =
      CountText(static_cast<double>(rows.size())) + (rows.size() == 1 ? " target" : " targets");
  std::string parts;
  for (const Count& count : kCounts) {
    const auto number = std::count_if(rows.begin(), rows.end(), [&](const Row& row) {
      return row.status.trouble == count.trouble;
    });
    if (number == 0) continue;
    parts += (parts.empty() ? ": " : ", ") + CountText(static_cast<double>(number)) + " " +
             std::string(count.words);
  }
  return out + parts + ".";
}

std::string FleetRow(const Row& row, const Now& now) {
  const TargetState& state = *row.state;
  const std::string name = Escape(state.info->name);
  std::string out = "<tr data-key=\"" + name + "\"><th scope=\"row\"><a href=\"" +
                    Escape(TargetHref(state.info->name)) + "\">" + name + "</a></th><td>" +
                    StatusChip(row.status.mark, row.status.text) + "</td><td>";
  if (state.server) {
    out += VersionText(state.server->version);
    if (state.pulse && state.pulse->in_recovery.value_or(0) != 0) out += " standby";
  }
  out += "</td><td>";
  const auto last = state.events->recent.Recent(1);
  if (!last.empty()) {
    const CheckpointEvent& event = last.back().event;
    if (const auto when = event.end ? event.end : event.start) {
      out += AboutText(ServerNow(state, now) - *when) + " ago, ";
    }
    out += ReasonWords(event.reason);
  }
  out += "</td><td class=\"number\">";
  if (row.requested >= 0) out += PercentText(row.requested);
  out += "</td><td class=\"number\">";
  if (state.Fresh(now.monotonic) && state.forecast.wal_bytes_per_second) {
    out += BytesText(*state.forecast.wal_bytes_per_second) + "/s";
  }
  return out + "</td></tr>\n";
}

}  // namespace

std::string FleetMain(const Targets& targets, const Now& now, std::string_view unknown) {
  const std::vector<Row> rows = Sorted(targets, now);
  std::string out = "<main id=\"main\" class=\"fleet\">\n<h1>Checkpoints</h1>\n";
  if (!unknown.empty()) {
    out += "<p class=\"notice\">No target is named <strong>" + Escape(unknown.substr(0, 200)) +
           "</strong>.</p>\n";
  }
  if (rows.empty()) {
    return out +
           "<p class=\"empty\">No target is configured. Name one in the configuration file or by "
           "DATA_SOURCE_NAME.</p>\n</main>\n";
  }
  out += "<div class=\"fleet-head\"><p id=\"summary\" data-live>" + Summary(rows) +
         "</p>\n<p class=\"filter\" id=\"filter-box\" hidden><label for=\"filter\">Filter</label> "
         "<input id=\"filter\" type=\"search\" autocomplete=\"off\" spellcheck=\"false\"> "
         "<span id=\"filter-count\" role=\"status\"></span></p></div>\n"
         "<div class=\"scroll\" role=\"region\" aria-label=\"All targets\" tabindex=\"0\">"
         "<table class=\"grid\"><caption class=\"visually-hidden\">All targets, those in trouble "
         "first</caption>\n<thead><tr><th scope=\"col\">Target</th><th scope=\"col\">Now</th>"
         "<th scope=\"col\">PostgreSQL</th><th scope=\"col\">Last checkpoint</th>"
         "<th scope=\"col\" class=\"number\">Requested, 1 h</th>"
         "<th scope=\"col\" class=\"number\">WAL</th></tr></thead>\n"
         "<tbody id=\"fleet\" data-live>\n";
  for (const Row& row : rows) out += FleetRow(row, now);
  return out + "</tbody></table></div>\n</main>\n";
}

}  // namespace ckpt::web
