// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "web/html.h"
#include "web/page_parts.h"
#include "web/status_words.h"
#include "web/words.h"

namespace ckpt::web {
namespace {

constexpr std::size_t kEventsShown = 50;

std::string Bytes(const std::optional<std::int64_t>& bytes) {
  return bytes ? BytesText(static_cast<double>(*bytes)) : std::string();
}
std::string Count(const std::optional<std::int64_t>& count) {
  return count ? CountText(static_cast<double>(*count)) : std::string();
}
std::string Seconds(const std::optional<double>& seconds) {
  return seconds ? SecondsText(*seconds) : std::string();
}

std::string BeganCell(const CheckpointEvent& event) {
  if (event.start) return TimeElement(*event.start);
  return event.end ? "before " + TimeElement(*event.end) : std::string();
}

std::string ReasonCell(const CheckpointEvent& event) {
  std::string out = "<span class=\"reason " +
                    std::string(event.failed ? "failed" : ReasonLabel(event.reason)) + "\">" +
                    std::string(event.failed ? "failed, " : "") +
                    std::string(ReasonLabel(event.reason)) + "</span>";
  std::string flags;
  for (const std::string_view word : FlagWords(event.flags)) {
    if (word != ReasonLabel(event.reason)) flags += " " + std::string(word);
  }
  if (!flags.empty()) out += "<span class=\"note\">" + flags + "</span>";
  if (event.coalesced > 1) {
    out += "<span class=\"note\"> " + CountText(event.coalesced) + " in a row</span>";
  }
  return out;
}

std::string BuffersCell(const CheckpointEvent& event) {
  std::string out = Count(event.buffers_written);
  if (!out.empty() && event.buffers_ratio) {
    out += "<span class=\"note\"> " + PercentText(*event.buffers_ratio) + "</span>";
  }
  return out;
}

std::string WalFilesCell(const CheckpointEvent& event) {
  if (!event.wal_files_added && !event.wal_files_removed && !event.wal_files_recycled) return "";
  const auto number = [](const std::optional<std::int64_t>& files) {
    return files ? CountText(static_cast<double>(*files)) : std::string("?");
  };
  return number(event.wal_files_added) + " / " + number(event.wal_files_removed) + " / " +
         number(event.wal_files_recycled);
}

struct Column {
  std::string_view title;
  bool number;
  std::string (*cell)(const CheckpointEvent&);
};
// TABLE: the columns of the table of checkpoints.
constexpr std::array<Column, 10> kColumns{{
    {"Began", false, BeganCell},
    {"Reason", false, ReasonCell},
    {"Took", true, [](const CheckpointEvent& e) { return Seconds(e.total_seconds); }},
    {"Write", true, [](const CheckpointEvent& e) { return Seconds(e.write_seconds); }},
    {"Sync", true, [](const CheckpointEvent& e) { return Seconds(e.sync_seconds); }},
    {"Longest sync", true,
     [](const CheckpointEvent& e) { return Seconds(e.longest_sync_seconds); }},
    {"Buffers", true, BuffersCell},
    {"WAL distance", true, [](const CheckpointEvent& e) { return Bytes(e.distance_bytes); }},
    {"WAL files +/&minus;/&#8635;", true, WalFilesCell},
    {"Known from", false,
     [](const CheckpointEvent& e) {
       return std::string(e.origin == EventOrigin::kBoth  ? "both"
                          : e.origin == EventOrigin::kLog ? "log"
                                                          : "statistics");
     }},
}};

std::string EventRow(const StoredEvent& stored) {
  std::string out = "<tr data-key=\"" + std::to_string(stored.id) + "\">";
  for (const Column& column : kColumns) {
    const std::string cell = column.cell(stored.event);
    out += column.number ? "<td class=\"number\">" : "<td>";
    out += (cell.empty() ? "<span class=\"none\">&ndash;</span>" : cell) + "</td>";
  }
  return out + "</tr>\n";
}

// A bar of a share; the number stands beside it.
std::string Bar(std::string_view writer, double share) {
  const std::string width = CountText(std::clamp(share * 100, 0.0, 100.0));
  return "<svg class=\"share " + std::string(writer) +
         "\" viewBox=\"0 0 100 6\" preserveAspectRatio=\"none\" aria-hidden=\"true\"><rect "
         "width=\"" +
         width + "\" height=\"6\"/></svg>";
}

}  // namespace

std::string EventsTable(const TargetState& state) {
  std::vector<StoredEvent> events = state.events->recent.Recent(kEventsShown);
  if (events.empty()) {
    return "<p class=\"empty\">None yet. One appears here when it is complete; an idle server "
           "makes "
           "none.</p>";
  }
  std::string out =
      "<div class=\"scroll\" role=\"region\" aria-labelledby=\"events-title\" tabindex=\"0\">"
      "<table class=\"grid\"><thead><tr>";
  for (const Column& column : kColumns) {
    out += std::string("<th scope=\"col\"") + (column.number ? " class=\"number\">" : ">") +
           std::string(column.title) + "</th>";
  }
  out += "</tr></thead>\n<tbody>\n";
  std::reverse(events.begin(), events.end());
  for (const StoredEvent& stored : events) out += EventRow(stored);
  return out + "</tbody></table></div>";
}

std::string WritersTable(const TargetState& state) {
  if (!state.pulse) return "<p class=\"empty\">Not known yet.</p>";
  struct Writer {
    std::string_view id;
    std::string_view name;
    OptionalInt pages;
  };
  OptionalInt backends = state.pulse->buffers_backend;
  if (!backends && state.survey) backends = state.survey->stats.backend_writes;
  const std::array<Writer, 3> writers{{
      {"checkpointer", "Checkpointer", state.pulse->buffers_checkpointer},
      {"bgwriter", "Background writer", state.pulse->buffers_bgwriter},
      {"backend", "Backends", backends},
  }};
  double total = 0;
  for (const Writer& writer : writers) total += static_cast<double>(writer.pages.value_or(0));
  std::string out =
      "<table class=\"grid writers\"><thead><tr><th scope=\"col\">Writer</th>"
      "<th scope=\"col\" class=\"number\">Pages since reset</th>"
      "<th scope=\"col\" class=\"number\">Share</th><td></td></tr></thead>\n<tbody>\n";
  for (const Writer& writer : writers) {
    out += "<tr><th scope=\"row\">" + std::string(writer.name) + "</th><td class=\"number\">" +
           (writer.pages ? Count(writer.pages) : "<span class=\"none\">&ndash;</span>") +
           "</td><td class=\"number\">";
    const double share = total > 0 ? static_cast<double>(writer.pages.value_or(0)) / total : 0;
    if (writer.pages && total > 0) out += PercentText(share);
    out += "</td><td>" + Bar(writer.id, share) + "</td></tr>\n";
  }
  out += "</tbody></table>\n";

  std::string notes;
  const WindowRatios& since = state.derived.Of(WindowLength::kSinceReset);
  if (state.pulse->wal_fpi) {
    notes += Count(state.pulse->wal_fpi) + " full page images";
    if (since.wal_fpi) notes += ", " + PercentText(*since.wal_fpi) + " of the WAL";
    if (state.pulse->wal_bytes) notes += " of " + Bytes(state.pulse->wal_bytes);
    notes += ", since the reset of that view. ";
  }
  if (state.pulse->maxwritten_clean.value_or(0) > 0) {
    notes += "The background writer stopped at bgwriter_lru_maxpages " +
             Count(state.pulse->maxwritten_clean) + " times. ";
  }
  const OptionalInt fsyncs = state.pulse->backend_fsyncs ? state.pulse->backend_fsyncs
                             : state.survey              ? state.survey->stats.backend_fsyncs
                                                         : OptionalInt();
  if (fsyncs.value_or(0) > 0) notes += "Backends had to sync files " + Count(fsyncs) + " times.";
  return notes.empty() ? out : out + "<p class=\"note\">" + notes + "</p>";
}

std::string MissingPrivileges(const TargetState& state) {
  if (!state.server) return "";
  std::string out;
  for (const CapabilityInfo& info : Capabilities()) {
    if (info.opt_in || !info.versions.Contains(state.server->version) ||
        state.capabilities.Has(info.capability)) {
      continue;
    }
    out += "<li><p>" + Escape(info.gives) + "</p><p class=\"cure\"><code>" +
           Escape(CureFor(info, state.session_role)) + "</code></p></li>\n";
  }
  if (out.empty()) return "<p>The role may read all that is wanted.</p>";
  return "<p>The role may not read everything. What is missing, and what gives it:</p>\n"
         "<ul class=\"missing\">\n" +
         out + "</ul>";
}

}  // namespace ckpt::web
