// SPDX-License-Identifier: Apache-2.0
#include "report/analysis_report.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/amounts.h"
#include "report/analysis_openmetrics.h"
#include "report/plain_text.h"

namespace ckpt::report {
namespace {

using Json = nlohmann::ordered_json;
using Table = std::vector<std::vector<std::string>>;  // the first row is its head

template <class Value>
std::string Text(const std::optional<Value>& value, std::string (*format)(double)) {
  return value ? format(static_cast<double>(*value)) : "-";
}
std::string Count(double value) { return NumberText(value); }

// "2026-11-30 23:59:59 UTC".
std::string TimeText(const std::optional<UnixSeconds>& time) {
  if (!time || !(*time >= 0 && *time < 2.5e11)) return "-";
  const auto seconds =
      std::chrono::sys_seconds(std::chrono::seconds(static_cast<std::int64_t>(*time)));
  const auto day = std::chrono::floor<std::chrono::days>(seconds);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(seconds - day);
  const auto two = [](long value) {
    return (value < 10 ? "0" : "") + NumberText(static_cast<double>(value));
  };
  return NumberText(static_cast<int>(date.year())) + "-" +
         two(static_cast<long>(static_cast<unsigned>(date.month()))) + "-" +
         two(static_cast<long>(static_cast<unsigned>(date.day()))) + " " +
         two(clock.hours().count()) + ":" + two(clock.minutes().count()) + ":" +
         two(clock.seconds().count()) + " UTC";
}

Table ReasonTable(const LogAnalysis& analysis) {
  Table table{{"kind", "reason", "completed", "mean write", "mean sync", "mean total",
               "longest total", "mean distance", "pages written"}};
  for (const EventKind kind : kEventKinds) {
    for (const ReasonInfo& info : kReasons) {
      double count = 0, write = 0, sync = 0, total = 0, longest = 0, pages = 0;
      double distance = 0, distances = 0;
      for (const CheckpointEvent& event : analysis.Completed(kind)) {
        if (event.reason != info.reason) continue;
        ++count;
        write += event.write_seconds.value_or(0);
        sync += event.sync_seconds.value_or(0);
        total += TotalSeconds(event);
        longest = std::max(longest, TotalSeconds(event));
        pages += static_cast<double>(event.buffers_written.value_or(0));
        if (event.distance_bytes) {
          distance += static_cast<double>(*event.distance_bytes);
          ++distances;
        }
      }
      if (count == 0) continue;
      table.push_back({std::string(EventKindName(kind)), std::string(info.label), Count(count),
                       DurationText(write / count), DurationText(sync / count),
                       DurationText(total / count), DurationText(longest),
                       distances > 0 ? BytesText(distance / distances) : "-", Count(pages)});
    }
  }
  return table;
}

// The five that took longest to sync, then to write.
Table WorstTable(const LogAnalysis& analysis) {
  std::vector<CheckpointEvent> events;
  for (const CheckpointEvent& event : analysis.checkpoints) {
    if (!event.failed) events.push_back(event);
  }
  std::stable_sort(events.begin(), events.end(), [](const auto& a, const auto& b) {
    const auto key = [](const CheckpointEvent& event) {
      return std::pair(event.sync_seconds.value_or(0), TotalSeconds(event));
    };
    return key(a) > key(b);
  });
  Table table{{"start", "reason", "write", "sync", "longest file", "total", "pages", "distance"}};
  for (std::size_t i = 0; i < std::min<std::size_t>(5, events.size()); ++i) {
    const CheckpointEvent& event = events[i];
    table.push_back(
        {TimeText(event.start ? event.start : event.end), std::string(ReasonLabel(event.reason)),
         Text(event.write_seconds, DurationText), Text(event.sync_seconds, DurationText),
         Text(event.longest_sync_seconds, DurationText), DurationText(TotalSeconds(event)),
         Text(event.buffers_written, Count), Text(event.distance_bytes, BytesText)});
  }
  return table;
}

// What there is to say in single lines: name and value.
std::vector<std::pair<std::string, std::string>> Summary(
    const LogAnalysis& analysis, const std::optional<BenchOverlay>& overlay) {
  const AdviceInput input = analysis.Input();
  const CheckpointFacts& facts = input.checkpoints;
  std::vector<std::pair<std::string, std::string>> lines{
      {"from", TimeText(analysis.first)},
      {"to", TimeText(analysis.last)},
      {"completed", SeenText(input)},
      {"failed", Count(facts.failed)},
      {"too frequent", Count(static_cast<double>(analysis.too_frequent_warnings)) + " warnings"},
      {"WAL rate", facts.wal_rate_mean ? BytesText(*facts.wal_rate_mean) +
                                             "/s between checkpoints, 95th percentile " +
                                             BytesText(facts.wal_rate_p95.value_or(0)) + "/s"
                                       : "-"},
      {"redo", input.redo_bytes_per_second ? BytesText(*input.redo_bytes_per_second) + "/s" : "-"},
      {"lines", Count(static_cast<double>(analysis.stats.lines_read)) + " read, " +
                    Count(static_cast<double>(analysis.stats.lines_matched)) + " understood, " +
                    Count(static_cast<double>(analysis.stats.lines_not_understood)) + " not"}};
  if (overlay) {
    lines.emplace_back("latency", "mean " + DurationText(overlay->running_mean) + " (worst " +
                                      DurationText(overlay->running_worst) +
                                      ") while a checkpoint ran, " +
                                      DurationText(overlay->idle_mean) + " (worst " +
                                      DurationText(overlay->idle_worst) + ") while none ran");
  }
  return lines;
}

std::string TextTable(const Table& table) {
  std::vector<std::size_t> widths(table.front().size());
  for (const auto& row : table) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string out;
  for (const auto& row : table) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line.append(row[i]).append(widths[i] - row[i].size() + 2, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += "  " + line + "\n";
  }
  return out;
}

std::string MarkdownTable(const Table& table) {
  std::string out;
  for (std::size_t row = 0; row < table.size(); ++row) {
    for (const std::string& cell : table[row]) out += "| " + Markdown(cell) + " ";
    out += "|\n";
    for (std::size_t i = 0; row == 0 && i < table[0].size(); ++i) out += "| --- ";
    if (row == 0) out += "|\n";
  }
  return out + "\n";
}

std::string Escaped(std::string_view text) {
  std::string out;
  for (const char c : Printable(text)) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string HtmlTable(const Table& table) {
  std::string out = "<table>\n";
  for (std::size_t row = 0; row < table.size(); ++row) {
    const std::string tag = row == 0 ? "th" : "td";
    out += "<tr>";
    for (const std::string& cell : table[row]) {
      out.append("<").append(tag).append(">").append(Escaped(cell));
      out.append("</").append(tag).append(">");
    }
    out += "</tr>\n";
  }
  return out + "</table>\n";
}

// Checkpoints as bands over time, with the latency of a benchmark as a line.
std::string Chart(const LogAnalysis& analysis, const std::vector<BenchSample>& bench,
                  UnixSeconds bench_start) {
  if (!analysis.first || !analysis.last || *analysis.last <= *analysis.first) return "";
  constexpr double kWidth = 1000, kHeight = 200;
  const double begin = *analysis.first;
  const double scale = kWidth / (*analysis.last - begin);
  constexpr std::array<std::string_view, kReasons.size()> kColours{"#888", "#d62728", "#9467bd",
                                                                   "#1f77b4"};
  std::string out =
      "<svg viewBox=\"0 0 1000 220\" role=\"img\" aria-label=\"Checkpoints over time\">\n";
  const auto n = [](double value) { return NumberText(value, 2); };
  for (const CheckpointEvent& event : analysis.checkpoints) {
    if (!event.start || !event.end || event.failed) continue;
    const double x = (*event.start - begin) * scale;
    out += "<rect x=\"" + n(x) + "\" y=\"0\" width=\"" +
           n(std::max(1.0, (*event.end - *event.start) * scale)) + "\" height=\"" + n(kHeight) +
           "\" fill=\"" + std::string(kColours[static_cast<std::size_t>(event.reason)]) +
           "\" fill-opacity=\"0.35\"><title>" +
           Escaped(TimeText(event.start) + ", " + std::string(ReasonLabel(event.reason)) + ", " +
                   DurationText(TotalSeconds(event))) +
           "</title></rect>\n";
  }
  double worst = 0;
  for (const BenchSample& sample : bench) worst = std::max(worst, sample.latency_seconds);
  if (worst > 0) {
    out += "<polyline fill=\"none\" stroke=\"#000\" points=\"";
    for (const BenchSample& sample : bench) {
      const double x = (bench_start + sample.at - begin) * scale;
      if (x < 0 || x > kWidth) continue;
      out += n(x) + "," + n(kHeight * (1 - sample.latency_seconds / worst)) + " ";
    }
    out += "\"/>\n<text x=\"4\" y=\"12\">" + Escaped(DurationText(worst)) + "</text>\n";
  }
  out += "<text x=\"0\" y=\"216\">" + Escaped(TimeText(analysis.first)) +
         "</text><text x=\"1000\" y=\"216\" text-anchor=\"end\">" +
         Escaped(TimeText(analysis.last)) + "</text>\n</svg>\n<p>";
  for (const ReasonInfo& info : kReasons) {
    out += "<span style=\"color:" + std::string(kColours[static_cast<std::size_t>(info.reason)]) +
           "\">&#9632; " + Escaped(info.label) + "</span> ";
  }
  return out + "</p>\n";
}

TargetAdvice AdviceOf(const LogAnalysis& analysis) {
  const AdviceInput input = analysis.Input();
  return {"advice from the log", "", SeenText(input), input.checkpoints.Enough(), Evaluate(input)};
}

std::string Html(const LogAnalysis& analysis, const std::vector<BenchSample>& bench,
                 UnixSeconds bench_start, const std::optional<BenchOverlay>& overlay) {
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'\"><title>PostgreSQL checkpoints</title>\n<style>body{font:14px sans-serif;"
      "margin:2em;max-width:1100px}table{border-collapse:collapse}td,th{padding:.2em .7em;"
      "text-align:left;border-bottom:1px solid #ddd}svg{width:100%}pre{white-space:pre-wrap}"
      "svg text{font-size:12px}</style></head><body>\n<h1>PostgreSQL checkpoints</h1>\n";
  out += Chart(analysis, bench, bench_start);
  Table summary{{"", ""}};
  for (const auto& [name, value] : Summary(analysis, overlay)) summary.push_back({name, value});
  out += HtmlTable(summary) + "<h2>By reason</h2>\n" + HtmlTable(ReasonTable(analysis));
  out += "<h2>Slowest</h2>\n" + HtmlTable(WorstTable(analysis));
  out += "<h2>Advice</h2>\n<pre>";
  std::string advice = AdviceReport({AdviceOf(analysis)}, ReportFormat::kText);
  std::size_t at = 0;
  while (at < advice.size()) {  // line by line: Escaped() takes line ends for control characters
    const std::size_t end = std::min(advice.find('\n', at), advice.size());
    out += Escaped(std::string_view(advice).substr(at, end - at)) + "\n";
    at = end + 1;
  }
  return out + "</pre>\n</body></html>\n";
}

Json AnalysisJson(const LogAnalysis& analysis, const std::optional<BenchOverlay>& overlay) {
  Json json;
  const auto put = [](Json& object, const char* name, const auto& value) {
    if (value) object[name] = *value;
  };
  put(json, "from", analysis.first);
  put(json, "to", analysis.last);
  json["too_frequent_warnings"] = analysis.too_frequent_warnings;
  json["lines_read"] = analysis.stats.lines_read;
  json["lines_matched"] = analysis.stats.lines_matched;
  json["lines_not_understood"] = analysis.stats.lines_not_understood;
  Json& totals = json["completed"] = Json::object();
  for (const EventKind kind : kEventKinds) {
    Json& one = totals[std::string(EventKindName(kind))] = Json::object();
    const auto completed = analysis.Completed(kind);
    for (const ReasonInfo& info : kReasons) {
      one[std::string(info.label)] =
          std::count_if(completed.begin(), completed.end(),
                        [&](const auto& event) { return event.reason == info.reason; });
    }
  }
  Json& events = json["events"] = Json::array();
  for (const CheckpointEvent& event : analysis.checkpoints) {
    Json one = {{"kind", EventKindName(event.kind)},
                {"reason", ReasonLabel(event.reason)},
                {"failed", event.failed}};
    put(one, "start", event.start);
    put(one, "end", event.end);
    put(one, "write_seconds", event.write_seconds);
    put(one, "sync_seconds", event.sync_seconds);
    put(one, "total_seconds", event.total_seconds);
    put(one, "buffers_written", event.buffers_written);
    put(one, "sync_files", event.sync_files);
    put(one, "longest_sync_seconds", event.longest_sync_seconds);
    put(one, "distance_bytes", event.distance_bytes);
    put(one, "estimate_bytes", event.estimate_bytes);
    events.push_back(std::move(one));
  }
  if (overlay) {
    json["latency"] = {{"running_mean_seconds", overlay->running_mean},
                       {"running_worst_seconds", overlay->running_worst},
                       {"idle_mean_seconds", overlay->idle_mean},
                       {"idle_worst_seconds", overlay->idle_worst}};
  }
  Json& advice = json["advice"] = Json::array();
  for (const Advice& one : AdviceOf(analysis).advice) advice.push_back(AdviceToJson(one));
  return json;
}

}  // namespace

std::optional<BenchOverlay> Overlay(const LogAnalysis& analysis,
                                    const std::vector<BenchSample>& bench,
                                    UnixSeconds bench_start) {
  BenchOverlay overlay;
  for (const BenchSample& sample : bench) {
    const double at = bench_start + sample.at;
    const bool running = std::any_of(
        analysis.checkpoints.begin(), analysis.checkpoints.end(), [at](const auto& event) {
          return event.start && event.end && *event.start <= at && at <= *event.end;
        });
    auto& count = running ? overlay.running : overlay.idle;
    auto& sum = running ? overlay.running_mean : overlay.idle_mean;
    auto& worst = running ? overlay.running_worst : overlay.idle_worst;
    ++count;
    sum += sample.latency_seconds;
    worst = std::max(worst, sample.latency_seconds);
  }
  if (overlay.running == 0 || overlay.idle == 0) return std::nullopt;
  overlay.running_mean /= static_cast<double>(overlay.running);
  overlay.idle_mean /= static_cast<double>(overlay.idle);
  return overlay;
}

std::string AnalysisReport(const LogAnalysis& analysis, const std::vector<BenchSample>& bench,
                           UnixSeconds bench_start, AnalysisFormat format) {
  const std::optional<BenchOverlay> overlay = Overlay(analysis, bench, bench_start);
  switch (format) {
    case AnalysisFormat::kJson:
      return AnalysisJson(analysis, overlay).dump(2, ' ', false, Json::error_handler_t::replace) +
             "\n";
    case AnalysisFormat::kHtml: return Html(analysis, bench, bench_start, overlay);
    case AnalysisFormat::kOpenMetrics: return AnalysisOpenMetrics(analysis);
    case AnalysisFormat::kMarkdown: {
      std::string out = "# PostgreSQL checkpoints\n\n";
      for (const auto& [name, value] : Summary(analysis, overlay)) {
        out += "- " + name + ": " + Markdown(value) + "\n";
      }
      out += "\n## By reason\n\n" + MarkdownTable(ReasonTable(analysis));
      out += "## Slowest\n\n" + MarkdownTable(WorstTable(analysis));
      return out + AdviceReport({AdviceOf(analysis)}, ReportFormat::kMarkdown);
    }
    case AnalysisFormat::kText: break;
  }
  std::string out;
  for (const auto& [name, value] : Summary(analysis, overlay)) {
    out += name + std::string(14 - name.size(), ' ') + value + "\n";
  }
  out += "\nBy reason\n" + TextTable(ReasonTable(analysis));
  out += "\nSlowest\n" + TextTable(WorstTable(analysis)) + "\n";
  return out + AdviceReport({AdviceOf(analysis)}, ReportFormat::kText);
}

}  // namespace ckpt::report
