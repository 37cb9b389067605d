// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string>

#include "logs/ascii.h"
#include "logs/envelope.h"

namespace ckpt::logs {
namespace {

using Json = nlohmann::json;

// TABLE: the keys of a record's parts in jsonlog and in CloudNativePG's record, which is csvlog
// with its columns' names.
struct RecordKeys {
  const char* time;
  const char* user;
  const char* database;
  const char* pid;
  const char* severity;
  const char* sqlstate;
  const char* function;
};
constexpr RecordKeys kJsonLogKeys{"timestamp",      "user",       "dbname",   "pid",
                                  "error_severity", "state_code", "func_name"};
constexpr RecordKeys kCloudNativePgKeys{"log_time",   "user_name",      "database_name",
                                        "process_id", "error_severity", "sql_state_code",
                                        "location"};

// Deeper values are none of PostgreSQL's, and are dropped while parsing.
constexpr int kMaxDepth = 4;

Json Parse(std::string_view text) {
  const auto shallow = [](int depth, Json::parse_event_t /*event*/, Json& /*value*/) {
    return depth <= kMaxDepth;
  };
  return Json::parse(text.begin(), text.end(), shallow, /*allow_exceptions=*/false);
}

// A string member, or "" if it is missing or something else. Lives as long as `object`.
std::string_view Text(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string()) return {};
  return found->get_ref<const std::string&>();
}

// jsonlog's pid is a number, CloudNativePG's a string.
std::optional<std::int64_t> Pid(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) return std::nullopt;
  if (found->is_number_integer()) return found->get<std::int64_t>();
  return ParseDecimal(Text(object, key));
}

// The value of a backend_type that tells of checkpoints or recovery ends so. An unescaped quote
// cannot come from a user's text. Lines of servers before 13 carry no backend_type at all.
bool MayConcernUs(std::string_view line) {
  constexpr std::array<std::string_view, 4> kBackends{"checkpointer\"", "startup\"", "postmaster\"",
                                                      "standalone backend\""};
  const auto holds = [&](std::string_view text) {
    return line.find(text) != std::string_view::npos;
  };
  return !holds("\"backend_type\"") || std::any_of(kBackends.begin(), kBackends.end(), holds);
}

// jsonlog, or CloudNativePG's object around a record. One object a line.
class JsonParser : public FormatParser {
 public:
  JsonParser(const FormatOptions& options, const RecordKeys& keys, const char* wrapper)
      : zone_(options.zone), keys_(keys), wrapper_(wrapper) {}

  LineVerdict Line(const TransportLine& line, RecordSink& sink) override {
    const std::string_view text = line.text;
    if (text.empty()) return LineVerdict::kTaken;
    if (text.front() != '{') return LineVerdict::kMalformed;
    // CloudNativePG's own messages stand between PostgreSQL's.
    if (wrapper_ != nullptr && !IsCloudNativePgLine(text)) return LineVerdict::kTaken;
    if (!MayConcernUs(text)) return LineVerdict::kTaken;
    Json object = Parse(text);
    if (object.is_discarded()) {
      // Bytes that are not UTF-8 (a SQL_ASCII database) are nothing we read.
      std::string ascii(text);
      std::replace_if(
          ascii.begin(), ascii.end(), [](char c) { return !IsAscii(c); }, '?');
      object = Parse(ascii);
    }
    if (!object.is_object()) return LineVerdict::kMalformed;
    if (wrapper_ == nullptr) return Record(object, line.received, sink);
    const auto record = object.find(wrapper_);
    if (record == object.end() || !record->is_object()) return LineVerdict::kMalformed;
    return Record(*record, line.received, sink);
  }

  void Reset() override {}

 private:
  LineVerdict Record(const Json& object, std::optional<UnixSeconds> received, RecordSink& sink) {
    LogRecord record;
    record.message = Text(object, "message");
    record.severity_text = Text(object, keys_.severity);
    if (record.severity_text.empty()) return LineVerdict::kMalformed;
    record.severity = SeverityOf(record.severity_text);
    record.time = BetterTime(ParseTimestamp(Text(object, keys_.time), zone_), received);
    record.pid = Pid(object, keys_.pid);
    record.is_session = !Text(object, keys_.user).empty() || !Text(object, keys_.database).empty();
    record.sqlstate = Text(object, keys_.sqlstate);
    record.backend_type = Text(object, "backend_type");
    record.detail = Text(object, "detail");
    record.hint = Text(object, "hint");
    const std::string_view function = Text(object, keys_.function);
    record.function = function.substr(0, function.find(','));
    sink.OnRecord(record);
    return LineVerdict::kTaken;
  }

  ZoneResolver zone_;
  const RecordKeys& keys_;
  const char* wrapper_;  // the member that holds the record; null: the object is the record
};

}  // namespace

bool IsCloudNativePgLine(std::string_view line) {
  return line.starts_with('{') && line.find("\"logger\":\"postgres\"") != std::string_view::npos &&
         line.find("\"record\":{") != std::string_view::npos;
}

bool IsJsonLine(std::string_view line) {
  return line.starts_with('{') && line.find("\"error_severity\":\"") != std::string_view::npos;
}

std::unique_ptr<FormatParser> MakeCloudNativePgParser(const FormatOptions& options) {
  return std::make_unique<JsonParser>(options, kCloudNativePgKeys, "record");
}

std::unique_ptr<FormatParser> MakeJsonParser(const FormatOptions& options) {
  return std::make_unique<JsonParser>(options, kJsonLogKeys, nullptr);
}

}  // namespace ckpt::logs
