// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "logs/ascii.h"
#include "logs/checkpoint_message.h"
#include "logs/envelope.h"
#include "logs/line_prefix.h"

namespace ckpt::logs {
namespace {

// What is kept of a message for the lines that follow it.
constexpr std::size_t kMaxKeptBytes = 1024;

// log_error_verbosity=verbose prints "00000: " before the text.
std::string_view TakeSqlState(std::string_view* message) {
  constexpr std::size_t kLength = 5;
  if (message->size() < kLength + 2 || message->substr(kLength, 2) != ": ") return {};
  for (const char c : message->substr(0, kLength)) {
    if (!IsDigit(c) && !(c >= 'A' && c <= 'Z')) return {};
  }
  const std::string_view state = message->substr(0, kLength);
  message->remove_prefix(kLength + 2);
  return state;
}

// The stderr format: "<log_line_prefix><SEVERITY>:  <text>", its HINT, STATEMENT and other lines
// with the same prefix, and continuations that begin with a tab.
class StderrParser : public FormatParser {
 public:
  explicit StderrParser(const FormatOptions& options) : zone_(options.zone) {
    if (options.log_line_prefix) prefix_.emplace(*options.log_line_prefix);
  }

  LineVerdict Line(const TransportLine& line, RecordSink& sink) override {
    if (line.text.empty()) return LineVerdict::kTaken;
    if (line.text.front() == '\t') {
      // A newline inside a message, as in the French "too frequently".
      if (!kept_.empty() && kept_.size() + line.text.size() <= kMaxKeptBytes) {
        kept_.append(line.text);
      }
      return LineVerdict::kTaken;
    }
    const auto marker = FindMarker(line.text);
    if (!marker) {
      // Turkish of old has no spaces after "HINT:".
      OfferHint(line, line.text, sink);
      return LineVerdict::kTaken;
    }
    if (marker->kind == MarkerKind::kOtherLabel) return LineVerdict::kTaken;
    const std::string_view text = line.text.substr(marker->text);
    if (marker->kind == MarkerKind::kHint || marker->severity == Severity::kUnknown) {
      if (OfferHint(line, text, sink)) return LineVerdict::kTaken;
    }
    if (marker->kind == MarkerKind::kSeverity) Message(line, *marker, sink);
    return LineVerdict::kTaken;
  }

  void Reset() override { kept_.clear(); }

 private:
  void Message(const TransportLine& line, const Marker& marker, RecordSink& sink) {
    kept_.clear();
    std::string_view message = line.text.substr(marker.text);
    const std::string_view sqlstate = TakeSqlState(&message);
    if (!IsFailure(marker.severity) && !MayBeCheckpointMessage(message)) {
      // It may yet prove to be a translated "too frequently", by the hint that follows.
      if (line.text.size() <= kMaxKeptBytes && !IsSettled(marker.severity)) kept_ = line.text;
      return;
    }
    LogRecord record = Envelope(line, line.text, marker);
    if (record.sqlstate.empty()) record.sqlstate = sqlstate;
    record.message = message;
    sink.OnRecord(record);
  }

  // Severities that "too frequently", a LOG message, cannot have.
  static bool IsSettled(Severity severity) {
    return severity != Severity::kLog && severity != Severity::kUnknown;
  }

  // Passes on the message kept before if `hint` makes it a "too frequently".
  bool OfferHint(const TransportLine& line, std::string_view hint, RecordSink& sink) {
    if (kept_.empty() || !IsMaxWalSizeHint(hint)) return false;
    const std::string kept = std::move(kept_);
    kept_.clear();
    const auto marker = FindMarker(kept);
    if (!marker) return false;
    std::string_view message = std::string_view(kept).substr(marker->text);
    TakeSqlState(&message);
    if (!OnlyInteger(message)) return false;
    LogRecord record = Envelope(line, kept, *marker);
    record.message = message;
    record.hint = hint;
    sink.OnRecord(record);
    return true;
  }

  LogRecord Envelope(const TransportLine& line, std::string_view text, const Marker& marker) const {
    const std::string_view prefix = text.substr(0, marker.begin);
    std::optional<PrefixFields> fields;
    if (prefix_) fields = prefix_->Match(prefix, zone_);
    if (!fields) fields = SearchPrefix(prefix, zone_);
    LogRecord record;
    record.time = BetterTime(fields->time, line.received);
    record.pid = fields->pid ? fields->pid : line.pid;
    record.severity = marker.severity;
    record.severity_text = text.substr(marker.begin, marker.end - marker.begin);
    record.sqlstate = fields->sqlstate;
    record.backend_type = fields->backend_type;
    record.is_session = fields->is_session;
    return record;
  }

  ZoneResolver zone_;
  std::optional<LinePrefix> prefix_;
  std::string kept_;  // the last message's line, if a hint may yet identify it
};

}  // namespace

bool IsStderrLine(std::string_view /*line*/) { return true; }

std::unique_ptr<FormatParser> MakeStderrParser(const FormatOptions& options) {
  return std::make_unique<StderrParser>(options);
}

}  // namespace ckpt::logs
