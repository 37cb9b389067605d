// SPDX-License-Identifier: Apache-2.0
#include "report/log_analysis.h"

#include <algorithm>
#include <utility>

#include "core/numbers.h"

namespace ckpt::report {
namespace {

logs::LogReaderOptions OptionsFor(std::optional<std::int32_t> zone_offset) {
  logs::LogReaderOptions options;
  if (zone_offset) options.parsing.zone = logs::FixedZone(*zone_offset);
  return options;
}

// The number that follows `before` in a line; `at` moves behind it.
std::optional<double> NumberAfter(std::string_view line, std::string_view before) {
  const std::size_t found = line.find(before);
  if (found == std::string_view::npos) return std::nullopt;
  std::size_t begin = found + before.size();
  while (begin < line.size() && line[begin] == ' ') ++begin;
  const std::size_t end = std::min(line.find_first_not_of("0123456789.", begin), line.size());
  return ParseReal(line.substr(begin, end - begin));
}

}  // namespace

std::vector<CheckpointEvent> LogAnalysis::Completed(EventKind kind) const {
  std::vector<CheckpointEvent> completed;
  std::copy_if(checkpoints.begin(), checkpoints.end(), std::back_inserter(completed),
               [kind](const auto& event) { return event.kind == kind && !event.failed; });
  return completed;
}

AdviceInput LogAnalysis::Input() const {
  AdviceInput input;
  input.basis = AdviceBasis::kLog;
  // A log does not tell the version; with this one no rule says anything of later ones.
  input.server.version = {140000};
  input.settings = settings;
  const auto restartpoints = Completed(EventKind::kRestartpoint).size();
  input.standby = restartpoints > Completed(EventKind::kCheckpoint).size();
  input.checkpoints =
      FoldEvents(checkpoints, input.standby ? EventKind::kRestartpoint : EventKind::kCheckpoint, 0,
                 last.value_or(0));
  double bytes = 0;
  double seconds = 0;
  for (const RecoveryEvent& recovery : recoveries) {
    if (!recovery.crash || !recovery.finished || !recovery.replayed_bytes || !recovery.seconds) {
      continue;
    }
    bytes += static_cast<double>(*recovery.replayed_bytes);
    seconds += *recovery.seconds;
  }
  if (bytes > 0 && seconds > 0) input.redo_bytes_per_second = bytes / seconds;
  return input;
}

LogAnalyzer::LogAnalyzer(std::optional<std::int32_t> zone_offset)
    : reader_(OptionsFor(zone_offset)) {}

void LogAnalyzer::NextFile() {
  if (in_file_) {
    Take(reader_.Flush());
    result_.formats.emplace_back(reader_.format());
  }
  reader_.NextFile();
  in_file_ = true;
}

void LogAnalyzer::Feed(std::string_view bytes) { Take(reader_.Feed(bytes)); }

void LogAnalyzer::Take(const std::vector<logs::LogEvent>& events) {
  for (const logs::LogEvent& event : events) {
    logs::TrackedEvents tracked = tracker_.Observe(event);
    for (CheckpointEvent& checkpoint : tracked.checkpoints) {
      result_.checkpoints.push_back(std::move(checkpoint));
    }
    for (RecoveryEvent& recovery : tracked.recoveries) {
      result_.recoveries.push_back(std::move(recovery));
    }
  }
}

LogAnalysis LogAnalyzer::Finish() {
  if (in_file_) {
    Take(reader_.Flush());
    result_.formats.emplace_back(reader_.format());
    in_file_ = false;
  }
  result_.too_frequent_warnings = tracker_.too_frequent_warnings();
  result_.stats = reader_.stats();
  for (const CheckpointEvent& event : result_.checkpoints) {
    for (const auto& time : {event.start, event.end}) {
      if (!time) continue;
      if (!result_.first || *time < *result_.first) result_.first = time;
      if (!result_.last || *time > *result_.last) result_.last = time;
    }
  }
  return std::move(result_);
}

std::vector<BenchSample> ReadBench(std::string_view text) {
  std::vector<BenchSample> samples;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const auto at = NumberAfter(line, "progress:");
    const auto latency = NumberAfter(line, "lat");
    if (!at || !latency) continue;
    // "progress: 5.0 s, 1234.5 tps, lat 3.2 ms stddev 1.1": the rate stands before its unit.
    const auto tps = NumberAfter(line, " s,");
    if (tps) samples.push_back({*at, *tps, *latency / 1000});
  }
  return samples;
}

}  // namespace ckpt::report
