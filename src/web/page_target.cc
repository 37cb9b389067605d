// SPDX-License-Identifier: Apache-2.0
#include "web/html.h"
#include "web/page_parts.h"
#include "web/status_words.h"
#include "web/words.h"

namespace ckpt::web {
namespace {

std::string Meta(const TargetState& state) {
  std::string out;
  const auto add = [&out](const std::string& text) {
    out += (out.empty() ? "<li>" : "</li><li>") + Escape(text);
  };
  if (state.server) {
    const bool real = state.server->HasCheckpoints();
    add((real ? std::string("PostgreSQL") : state.server->flavor) + " " +
        VersionText(state.server->version));
  }
  if (state.pulse && state.pulse->in_recovery) {
    add(*state.pulse->in_recovery != 0 ? "standby" : "primary");
  }
  for (const auto& [name, value] : state.info->labels) add(name + "=" + value);
  return out.empty() ? "" : out + "</li>";
}

std::string Figure(std::string_view id, std::string_view label, const std::string& value,
                   const std::string& note) {
  return "<div id=\"figure-" + std::string(id) + "\" data-live><dt>" + std::string(label) +
         "</dt><dd><strong>" +
         (value.empty() ? "<span class=\"none\">not known yet</span>" : value) + "</strong>" +
         (note.empty() ? "" : "<span class=\"note\">" + note + "</span>") + "</dd></div>\n";
}

std::string Figures(const TargetState& state, const Now& now) {
  const bool up = state.Fresh(now.monotonic);
  const WindowRatios window = up ? state.derived.Of(WindowLength::kOneHour) : WindowRatios{};
  const auto ratio = [](const std::optional<double>& value) {
    return value ? PercentText(*value) : std::string();
  };
  const std::string span = WindowWords(window);
  std::string out = "<dl class=\"figures\">\n";
  out += Figure("requested", "Requested checkpoints", ratio(window.requested), span);
  const bool exact = state.server && state.server->version.major() >= 19;
  out += Figure("fpi", "Full page images in WAL", ratio(window.wal_fpi),
                span.empty() || exact ? span : span + ", estimate");
  out += Figure("backend", "Pages written by backends", ratio(window.backend_write), span);

  const Forecast& forecast = state.forecast;
  std::string since;
  std::string of;
  if (up && forecast.wal_since_redo_bytes) {
    since = BytesText(static_cast<double>(*forecast.wal_since_redo_bytes));
    if (forecast.forced_trigger_bytes) {
      of = "of " + BytesText(static_cast<double>(*forecast.forced_trigger_bytes)) +
           " that force one";
    }
  }
  out += Figure("wal", "WAL since redo", since, of);

  const ProbeLatency& query = state.latency->of(Probe::kQuery);
  std::string impact;
  std::string detail;
  if (query.impact_ratio && query.p95[0] && query.p95[1]) {
    impact = "&times;" + FactorText(*query.impact_ratio);
    detail = "p95 " + MillisecondsText(*query.p95[0]) + " idle, " +
             MillisecondsText(*query.p95[1]) + " in checkpoints";
  }
  out += Figure("latency", "Latency in checkpoints", impact, detail);
  return out + "</dl>\n";
}

// Drawn by page/charts.js.
constexpr std::string_view kCharts =
    R"(<section class="charts" aria-labelledby="charts-title">
<div class="section-head"><h2 id="charts-title">Checkpoints over latency, WAL and writes</h2>
<div class="tools" id="chart-tools" hidden><button type="button" id="scale" aria-pressed="false">Log scale</button>
<div class="ranges" role="group" aria-label="Time range"><button type="button" data-range="600" aria-pressed="true">10 min</button><button type="button" data-range="3600" aria-pressed="false">1 h</button><button type="button" data-range="21600" aria-pressed="false">6 h</button></div></div></div>
<noscript><p class="empty">The charts need JavaScript. All else on this page does not; reload it for new numbers.</p></noscript>
<ul class="legend" id="bands-legend" aria-label="Checkpoints, by reason"></ul>
<figure role="group" aria-labelledby="caption-latency" hidden><figcaption id="caption-latency"><b>Latency</b> <span>of a query that reads nothing from disk</span> <span class="values"></span></figcaption><div class="plot tall" id="plot-latency"></div></figure>
<figure role="group" aria-labelledby="caption-wal" hidden><figcaption id="caption-wal"><b>WAL since redo</b> <span>a checkpoint is forced at the dashed line</span> <span class="values"></span></figcaption><div class="plot" id="plot-wal"></div></figure>
<figure role="group" aria-labelledby="caption-writes" hidden><figcaption id="caption-writes"><b>Pages written</b> <span>per second, stacked by writer</span> <span class="values"></span></figcaption><div class="plot" id="plot-writes"></div></figure>
<p class="empty" id="charts-empty" hidden>No samples yet. The first ones come within seconds of the first answer.</p>
</section>
)";

std::string LogWords(const TargetState& state, const Now& now) {
  if (!state.log) {
    return "No server log is followed. Start, end and reason of checkpoints are told by statistics "
           "alone, without sync times and WAL files.";
  }
  const LogHealth& log = *state.log;
  std::string out = log.reading ? "Reads the server log" : "Cannot read the server log";
  if (!log.source.name.empty()) out += " <code>" + Escape(log.source.name) + "</code>";
  out += ": " + CountText(static_cast<double>(log.lines_read)) + " lines, " +
         CountText(static_cast<double>(log.lines_matched)) + " of them about checkpoints, " +
         CountText(static_cast<double>(log.lines_not_understood)) + " not understood";
  if (log.last_match_time) {
    out += "; the last one " + AboutText(ServerNow(state, now) - *log.last_match_time) + " ago";
  }
  return out + ".";
}

}  // namespace

std::string StatusChip(std::string_view mark, std::string_view text) {
  return "<span class=\"chip " + std::string(mark) + "\">" + Escape(text) + "</span>";
}

std::string TargetMain(const TargetState& state, const Now& now) {
  const Status status = StatusOf(state, now);
  const std::string name = Escape(state.info->name);
  const auto last = state.events->recent.Recent(1);
  std::string out = "<main id=\"main\" class=\"target\" data-target=\"" + name + "\">\n";
  out += "<section class=\"status\" aria-labelledby=\"title\">\n<h1 id=\"title\">" + name +
         "</h1>\n<ul class=\"meta\" id=\"meta\" data-live>" + Meta(state) + "</ul>\n";
  out += "<p id=\"phase\" class=\"phase\" role=\"status\" data-live>" +
         StatusChip(status.mark, status.text) + "</p>\n";
  std::string story = LastCheckpointWords(state, now);
  if (story.empty()) story = "No checkpoint was seen yet.";
  out += "<p id=\"story\" class=\"story\" data-live>";
  for (const std::string& words : {SilenceWords(state, now), story, ForecastWords(state, now)}) {
    if (!words.empty()) out += "<span>" + Escape(words) + "</span> ";
  }
  out += "</p>\n";
  out += Figures(state, now) + "</section>\n";
  out += kCharts;
  out +=
      "<section aria-labelledby=\"advice-title\">\n<h2 id=\"advice-title\">Advice</h2>\n"
      "<div id=\"advice\" data-live>" +
      AdviceList(state) + "</div>\n</section>\n";
  out +=
      "<section aria-labelledby=\"events-title\">\n<h2 id=\"events-title\">Last checkpoints"
      "</h2>\n<div id=\"events\" data-live data-last=\"" +
      (last.empty() ? std::string("0") : std::to_string(last.back().id)) + "\">" +
      EventsTable(state) + "</div>\n</section>\n";
  out +=
      "<div class=\"columns\">\n<section aria-labelledby=\"writers-title\">\n"
      "<h2 id=\"writers-title\">Who writes the pages</h2>\n<div id=\"writers\" data-live>" +
      WritersTable(state) +
      "</div>\n</section>\n"
      "<section aria-labelledby=\"sources-title\">\n<h2 id=\"sources-title\">What is seen</h2>\n"
      "<p id=\"log\" data-live>" +
      LogWords(state, now) +
      "</p>\n"
      "<div id=\"privileges\" data-live>" +
      MissingPrivileges(state) +
      "</div>\n</section>\n"
      "</div>\n";
  return out + "</main>\n";
}

}  // namespace ckpt::web
