// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string>

#include "logs/ascii.h"
#include "logs/envelope.h"

namespace ckpt::logs {
namespace {

// Positions of the columns we read; 23 columns to 12, 24 in 13, 26 from 14.
enum Column : std::size_t {
  kLogTime = 0,
  kUserName = 1,
  kDatabaseName = 2,
  kProcessId = 3,
  kErrorSeverity = 11,
  kSqlStateCode = 12,
  kMessage = 13,
  kDetail = 14,
  kHint = 15,
  kLocation = 21,
  kBackendType = 23,
};
constexpr std::size_t kMinColumns = 23;
constexpr std::size_t kMaxColumns = 40;

struct Fields {
  std::array<std::string_view, kMaxColumns> raw{};  // without their outer quotes
  std::size_t count = 0;
};

// Splits a whole record; false if it breaks the grammar or has too few or too many columns.
bool Split(std::string_view record, Fields* fields) {
  fields->count = 0;
  std::size_t at = 0;
  while (fields->count < kMaxColumns) {
    std::size_t begin = at;
    std::size_t end = 0;
    if (at < record.size() && record[at] == '"') {
      begin = at + 1;
      end = record.find('"', begin);
      // A doubled quote is part of the text.
      while (end != std::string_view::npos && record.substr(end + 1).starts_with('"')) {
        end = record.find('"', end + 2);
      }
      if (end == std::string_view::npos) return false;
      at = end + 1;
    } else {
      end = std::min(record.find(',', at), record.size());
      if (record.substr(begin, end - begin).find('"') != std::string_view::npos) return false;
      at = end;
    }
    fields->raw[fields->count++] = record.substr(begin, end - begin);
    if (at == record.size()) return fields->count >= kMinColumns;
    if (record[at] != ',') return false;
    ++at;
  }
  return false;
}

bool HasOddQuotes(std::string_view line) {
  bool odd = false;
  for (std::size_t at = line.find('"'); at != std::string_view::npos; at = line.find('"', at + 1)) {
    odd = !odd;
  }
  return odd;
}

std::string_view Unquoted(std::string_view field, std::string* scratch) {
  if (field.find('"') == std::string_view::npos) return field;
  scratch->clear();
  for (std::size_t i = 0; i < field.size(); ++i) {
    scratch->push_back(field[i]);
    if (field[i] == '"') ++i;
  }
  return *scratch;
}

// csvlog names a session's user in its second column, and always in quotes.
bool IsSessionRecord(std::string_view line) {
  const std::size_t comma = line.find(',');
  return comma != std::string_view::npos && comma + 1 < line.size() && line[comma + 1] == '"';
}

// The csvlog format. A record ends at a line end outside quotes, so lines are joined until their
// quotes are even; of client sessions' records only the quotes are counted.
class CsvParser : public FormatParser {
 public:
  explicit CsvParser(const FormatOptions& options)
      : zone_(options.zone), max_record_bytes_(options.max_record_bytes) {}

  LineVerdict Line(const TransportLine& line, RecordSink& sink) override {
    const std::string_view text = line.text;
    if (open_) return Continuation(line, sink);
    if (!IsCsvLine(text)) return text.empty() ? LineVerdict::kTaken : LineVerdict::kMalformed;
    skipping_ = IsSessionRecord(text);
    if (HasOddQuotes(text)) {
      open_ = true;
      if (!skipping_) pending_ = text;
      return LineVerdict::kTaken;
    }
    return skipping_ ? LineVerdict::kTaken : Record(text, line.received, sink);
  }

  void Reset() override {
    open_ = false;
    skipping_ = false;
    pending_ = {};
  }

 private:
  LineVerdict Continuation(const TransportLine& line, RecordSink& sink) {
    const std::string_view text = line.text;
    // A record broke off (a crash, a full disk) if a whole one stands inside its quotes. No text
    // that a user logs can look so: its quotes are doubled.
    Fields fields;
    if (IsCsvLine(text) && !HasOddQuotes(text) && Split(text, &fields)) {
      Reset();
      if (!IsSessionRecord(text)) Record(text, line.received, sink);
      return LineVerdict::kMalformed;
    }
    if (!skipping_) {
      if (pending_.size() + text.size() + 1 > max_record_bytes_) {
        pending_ = {};
        skipping_ = true;
        if (HasOddQuotes(text)) open_ = false;
        return LineVerdict::kMalformed;
      }
      pending_.push_back('\n');
      pending_.append(text);
    }
    if (!HasOddQuotes(text)) return LineVerdict::kTaken;
    open_ = false;
    if (skipping_) return LineVerdict::kTaken;
    const std::string whole = std::move(pending_);
    pending_ = {};
    return Record(whole, line.received, sink);
  }

  LineVerdict Record(std::string_view text, std::optional<UnixSeconds> received, RecordSink& sink) {
    Fields fields;
    if (!Split(text, &fields)) return LineVerdict::kMalformed;
    const auto& raw = fields.raw;
    LogRecord record;
    record.time = BetterTime(ParseTimestamp(raw[kLogTime], zone_), received);
    record.pid = ParseDecimal(raw[kProcessId]);
    record.is_session = !raw[kUserName].empty() || !raw[kDatabaseName].empty();
    record.severity_text = raw[kErrorSeverity];
    record.severity = SeverityOf(record.severity_text);
    record.sqlstate = raw[kSqlStateCode];
    std::string message;
    std::string detail;
    std::string hint;
    record.message = Unquoted(raw[kMessage], &message);
    record.detail = Unquoted(raw[kDetail], &detail);
    record.hint = Unquoted(raw[kHint], &hint);
    record.function = raw[kLocation].substr(0, raw[kLocation].find(','));
    if (fields.count > kBackendType) record.backend_type = raw[kBackendType];
    sink.OnRecord(record);
    return LineVerdict::kTaken;
  }

  ZoneResolver zone_;
  std::size_t max_record_bytes_;
  bool open_ = false;      // inside a quoted field
  bool skipping_ = false;  // of a record that we do not want
  std::string pending_;    // its lines so far
};

}  // namespace

bool IsCsvLine(std::string_view line) {
  if (!LooksLikeTimestamp(line) || line[10] != ' ') return false;
  // "2026-11-30 21:02:37.048 UTC,": nothing but the zone before the first comma.
  const std::size_t comma = line.substr(0, 60).find(',');
  if (comma == std::string_view::npos) return false;
  const auto time = ParseTimestamp(line.substr(0, comma), nullptr);
  if (!time || time->length != comma) return false;
  // A quoted user, or none and no database either, and then the pid. A log_line_prefix with commas
  // does not look so.
  const std::string_view rest = line.substr(comma + 1);
  if (rest.starts_with('"')) return std::count(rest.begin(), rest.end(), ',') >= 8;
  return rest.size() > 2 && rest[0] == ',' && (rest[1] == ',' || rest[1] == '"') &&
         (rest[1] == '"' || IsDigit(rest[2]));
}

std::unique_ptr<FormatParser> MakeCsvParser(const FormatOptions& options) {
  return std::make_unique<CsvParser>(options);
}

}  // namespace ckpt::logs
