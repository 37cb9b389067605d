// SPDX-License-Identifier: Apache-2.0
#include "unit/logs/log_lines.h"

#include <gtest/gtest.h>

#include <array>
#include <charconv>
#include <fstream>
#include <iterator>

namespace ckpt::testing {
namespace {

void Add(std::string& out, std::string_view name, std::string_view value) {
  if (!out.empty()) out += ' ';
  out.append(name).append("=").append(value);
}

void Add(std::string& out, std::string_view name, const std::optional<std::int64_t>& value) {
  if (value) Add(out, name, std::to_string(*value));
}

void Add(std::string& out, std::string_view name, const std::optional<double>& value) {
  if (!value) return;
  std::array<char, 64> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), *value, std::chars_format::fixed, 3);
  Add(out, name, std::string_view(text.data(), static_cast<std::size_t>(end.ptr - text.data())));
}

}  // namespace

std::string ReadLog(const std::string& name) {
  std::ifstream file(std::string(CKPT_FIXTURES) + "/logs/" + name, std::ios::binary);
  EXPECT_TRUE(file.is_open()) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

ReadResult ReadAll(std::string_view bytes, const logs::LogReaderOptions& options,
                   std::size_t chunk) {
  logs::LogReader reader(options);
  logs::CheckpointTracker tracker;
  ReadResult result;
  const auto take = [&](const std::vector<logs::LogEvent>& events) {
    for (const logs::LogEvent& event : events) {
      const logs::TrackedEvents tracked = tracker.Observe(event);
      for (const CheckpointEvent& each : tracked.checkpoints) result.checkpoints.push_back(each);
      for (const RecoveryEvent& each : tracked.recoveries) result.recoveries.push_back(each);
      result.events.push_back(event);
    }
  };
  if (chunk == 0) chunk = bytes.size() + 1;
  for (std::size_t at = 0; at < bytes.size(); at += chunk) {
    take(reader.Feed(bytes.substr(at, chunk)));
  }
  take(reader.Flush());
  result.stats = reader.stats();
  result.format = reader.format();
  result.transport = reader.transport();
  return result;
}

std::string Describe(const CheckpointEvent& event) {
  std::string out(EventKindName(event.kind));
  Add(out, "reason", ReasonLabel(event.reason));
  std::string flags;
  for (const FlagWord& row : kFlagWords) {
    if (!event.flags.Has(row.flag)) continue;
    const bool first_spelling = &row == &kFlagWords[0] || (&row)[-1].flag != row.flag;
    if (first_spelling) flags.append(flags.empty() ? "" : ",").append(row.word);
  }
  if (!flags.empty()) Add(out, "flags", flags);
  if (event.failed) out += " failed";
  Add(out, "start", event.start);
  Add(out, "end", event.end);
  Add(out, "write", event.write_seconds);
  Add(out, "sync", event.sync_seconds);
  Add(out, "total", event.total_seconds);
  Add(out, "buffers", event.buffers_written);
  Add(out, "ratio", event.buffers_ratio);
  Add(out, "slru", event.slru_buffers_written);
  Add(out, "added", event.wal_files_added);
  Add(out, "removed", event.wal_files_removed);
  Add(out, "recycled", event.wal_files_recycled);
  Add(out, "files", event.sync_files);
  Add(out, "longest", event.longest_sync_seconds);
  Add(out, "average", event.average_sync_seconds);
  Add(out, "distance", event.distance_bytes);
  Add(out, "estimate", event.estimate_bytes);
  Add(out, "lsn", event.lsn);
  Add(out, "redo", event.redo_lsn);
  return out;
}

std::string Describe(const RecoveryEvent& event) {
  std::string out = event.crash ? "recovery crash" : "recovery archive";
  if (!event.finished) out += " unfinished";
  Add(out, "start", event.start);
  Add(out, "end", event.end);
  Add(out, "start_lsn", event.start_lsn);
  Add(out, "end_lsn", event.end_lsn);
  Add(out, "bytes", event.replayed_bytes);
  Add(out, "seconds", event.seconds);
  return out;
}

}  // namespace ckpt::testing
