// SPDX-License-Identifier: Apache-2.0
#include "logs/log_reader.h"

#include <algorithm>
#include <utility>

#include "logs/ascii.h"

namespace ckpt::logs {
namespace {

// The checkpointer also says things that hold nothing to read, "shutting down" in any language;
// what tells of a checkpoint has a number or a colon.
bool HoldsSomething(std::string_view message) {
  return std::any_of(message.begin(), message.end(), [](char c) { return IsDigit(c) || c == ':'; });
}

template <class Row, std::size_t kSize>
const Row* Named(const std::array<Row, kSize>& table, std::string_view name) {
  for (const Row& row : table) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

template <class Row, std::size_t kSize>
const Row& Sniffed(const std::array<Row, kSize>& table, std::string_view line) {
  for (const Row& row : table) {
    if (row.sniff(line)) return row;
  }
  return table.back();
}

}  // namespace

LogReader::LogReader(LogReaderOptions options)
    : options_(std::move(options)), assembler_(options_.max_line_bytes) {
  NextFile();
}

LogReader::~LogReader() = default;

std::vector<LogEvent> LogReader::Feed(std::string_view bytes) {
  stats_.bytes_read += bytes.size();
  assembler_.Feed(bytes, [this](std::string_view line) { OnPhysicalLine(line); });
  return std::exchange(events_, {});
}

std::vector<LogEvent> LogReader::Flush() {
  assembler_.Flush([this](std::string_view line) { OnPhysicalLine(line); });
  return std::exchange(events_, {});
}

void LogReader::Reset() {
  assembler_.Reset();
  if (transport_reader_) transport_reader_->Reset();
  if (parser_) parser_->Reset();
}

void LogReader::NextFile() {
  Reset();
  transport_ = nullptr;
  format_ = nullptr;
  tentative_ = true;
  transport_reader_.reset();
  parser_.reset();
  if (const Transport* row = Named(kTransports, options_.transport)) UseTransport(*row);
  if (const LogFormat* row = Named(kLogFormats, options_.format)) UseFormat(*row);
}

LogReaderStats LogReader::stats() const {
  LogReaderStats stats = stats_;
  stats.lines_too_long = assembler_.lines_too_long();
  return stats;
}

void LogReader::UseTransport(const Transport& transport) {
  transport_ = &transport;
  transport_reader_ = transport.make(options_.max_line_bytes);
}

void LogReader::UseFormat(const LogFormat& format) {
  format_ = &format;
  parser_ = format.make(options_.parsing);
}

void LogReader::OnPhysicalLine(std::string_view line) {
  ++stats_.lines_read;
  if (line.empty()) return;
  if (transport_ == nullptr || (options_.transport.empty() && tentative_)) {
    // What has no envelope of a transport is plain, but the first line need not be typical.
    const Transport& transport = Sniffed(kTransports, line);
    if (transport_ != &transport) UseTransport(transport);
  }
  if (transport_reader_->Line(line, *this) == LineVerdict::kMalformed) ++stats_.lines_malformed;
}

// stderr takes every line, so it is only what is left. Containers mix formats besides: a server's
// first lines are text, the rest is JSON.
bool LogReader::IsUndecided(std::string_view line) const {
  if (format_ == nullptr) return true;
  return SniffsFormat() && format_ == &kLogFormats.back() && (tentative_ || line.starts_with('{'));
}

void LogReader::SniffFormat(std::string_view line) {
  const LogFormat& format = Sniffed(kLogFormats, line);
  tentative_ = &format == &kLogFormats.back() && !FindMarker(line);
  if (format_ != &format) UseFormat(format);
}

void LogReader::OnLine(const TransportLine& line) {
  if (line.text.empty()) return;
  if (IsUndecided(line.text)) SniffFormat(line.text);
  if (parser_->Line(line, *this) != LineVerdict::kMalformed) return;
  ++stats_.lines_malformed;
  // Text between lines of JSON is another format's; a csvlog record can begin with any text where
  // we come in in its middle.
  const LogFormat& other = Sniffed(kLogFormats, line.text);
  const bool text_in_json = format_->sniff != &IsCsvLine && !line.text.starts_with('{');
  if (SniffsFormat() && &other != format_ && (&other != &kLogFormats.back() || text_in_json)) {
    SniffFormat(line.text);
    parser_->Line(line, *this);
  }
}

void LogReader::OnRecord(const LogRecord& record) {
  const ProcessRole role = RoleOf(record);
  if (role == ProcessRole::kOther && !MayBeCheckpointMessage(record.message)) return;
  std::optional<CheckpointMessage> message;
  if (IsFailure(record.severity)) {
    if (identity_.IsCheckpointer(record, role)) message = CheckpointerFailure{record.severity};
  } else {
    message = ParseCheckpointMessage(record.message, record.hint);
  }
  if (!message) {
    const bool is_log = record.severity == Severity::kLog || record.severity == Severity::kUnknown;
    if (role == ProcessRole::kCheckpointer && is_log && HoldsSomething(record.message)) {
      ++stats_.lines_not_understood;
    }
    return;
  }
  if (!identity_.MayHaveWritten(record, role, *message)) {
    if (std::holds_alternative<Starting>(*message) || std::holds_alternative<Complete>(*message)) {
      ++stats_.lines_rejected;
    }
    return;
  }
  // A mention is anybody's until its context proves it, so it does not make the parser healthy.
  if (!std::holds_alternative<LsnMention>(*message) &&
      !std::holds_alternative<TimeMention>(*message)) {
    ++stats_.lines_matched;
    if (record.time) stats_.last_match_time = record.time;
  }
  if (const auto* complete = std::get_if<Complete>(&*message)) {
    if (complete->unknown_clauses) ++stats_.unknown_clauses;
  }
  events_.push_back({record.time, record.pid, role, *message});
}

}  // namespace ckpt::logs
