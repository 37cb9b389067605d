// SPDX-License-Identifier: Apache-2.0
#include "tail/sql_log_source.h"

#include <algorithm>
#include <utility>

#include "core/capability.h"
#include "core/numbers.h"
#include "tail/sql_log_queries.h"

namespace ckpt::tail {
namespace {

constexpr std::size_t kMaxPathBytes = 4096;
constexpr std::size_t kMaxBookmarks = 1024;

LogProblem WrongAnswer(const std::string& what) {
  return {LogErrorKind::kQuery, "cannot read the server log over SQL: the server answered " + what};
}

LogProblem FromError(const Error& error) {
  const bool permission = error.code == ErrorCode::kPermission;
  return {permission ? LogErrorKind::kPermission : LogErrorKind::kQuery,
          "cannot read the server log over SQL: " + error.message};
}

bool Lists(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    std::string_view item = list.substr(0, comma);
    list.remove_prefix(std::min(comma + 1, list.size()));
    const std::size_t first = item.find_first_not_of(" \"");
    const std::size_t last = item.find_last_not_of(" \"");
    if (first != std::string_view::npos && item.substr(first, last - first + 1) == word) {
      return true;
    }
  }
  return false;
}

}  // namespace

SqlLogSource::SqlLogSource(RunQuery run, const Clock& clock, SqlLogSourceOptions options)
    : run_(std::move(run)), clock_(clock), options_(std::move(options)) {}

LogSourceCounters SqlLogSource::Counters() const {
  LogSourceCounters counters = counters_;
  counters.name = path_;
  counters.offset = path_.empty() ? 0 : position_.offset();
  return counters;
}

LogSource::StepResult SqlLogSource::Step(const Sink& sink) {
  StepResult result;
  Failure failure = Follow(sink, result);
  Conclude(std::move(failure), result);
  return result;
}

void SqlLogSource::Conclude(Failure failure, StepResult& result) {
  if (!failure) {
    result.recovered = !told_.empty();
    told_.clear();
    return;
  }
  ++counters_.errors[static_cast<std::size_t>(failure->kind)];
  result.outcome = counters_.missing ? Outcome::kMissing : Outcome::kFailed;
  if (told_ == failure->message) return;
  told_ = failure->message;
  result.problem = std::move(failure);
}

SqlLogSource::Failure SqlLogSource::Follow(const Sink& sink, StepResult& result) {
  if (Failure failure = EnsureAccess()) return failure;
  if (path_.empty()) {
    if (Failure failure = Begin()) return failure;
  }
  std::optional<std::string> located;
  if (Failure failure = Read(sink, result, located)) return failure;
  counters_.missing = may_current_ && !located;
  // log_destination may have changed.
  if (counters_.missing) access_ = false;
  if (result.outcome == Outcome::kMore || !located || *located == path_) return std::nullopt;
  if (Failure failure = SwitchTo(std::move(*located))) return failure;
  result.outcome = Outcome::kMore;
  return std::nullopt;
}

Result<SqlLogSource::Row> SqlLogSource::QueryRow(const std::string& sql, std::size_t columns) {
  Result<RowSet> rows = run_(sql);
  if (!rows) return rows.error();
  if (rows.value().rows.size() != 1 || rows.value().rows[0].size() != columns) {
    return Error{ErrorCode::kProtocol,
                 "the answer is not one row of " + std::to_string(columns) + " columns"};
  }
  return std::move(rows.value().rows[0]);
}

SqlLogSource::Failure SqlLogSource::EnsureAccess() {
  if (access_) return std::nullopt;
  const MonotonicTime now = clock_.Monotonic();
  if (access_asked_at_ && now - *access_asked_at_ < options_.access_interval) {
    return refusal_;
  }
  Result<Row> row = QueryRow(AccessQuery(), 9);
  if (!row) return FromError(row.error());
  access_asked_at_ = now;
  refusal_ = JudgeAccess(row.value());
  access_ = !refusal_;
  return refusal_;
}

SqlLogSource::Failure SqlLogSource::JudgeAccess(const Row& row) {
  const auto is_true = [](const std::optional<std::string>& text) { return text == "t"; };
  const std::string role = row[3].value_or("");
  const std::string database = row[4].value_or("");
  const std::optional<std::string>& log_directory =
      options_.log_directory ? options_.log_directory : row[5];
  const std::optional<std::string>& log_filename =
      options_.log_filename ? options_.log_filename : row[6];
  const std::string destination = row[8].value_or("");

  may_current_ = is_true(row[1]);
  may_list_ = is_true(row[2]) && log_directory && log_filename;
  std::string grants;
  if (!is_true(row[0])) grants += " " + CureFor(InfoOf(Capability::kReadLog), role);
  if (!may_current_ && !may_list_) {
    grants += " " + CureFor(InfoOf(Capability::kCurrentLogfile), role);
  }
  if (!grants.empty()) {
    return LogProblem{LogErrorKind::kPermission,
                      "may not read the server log over SQL; as a superuser in the database " +
                          database + ":" + grants + " (PostgreSQL 10 allows only superusers)"};
  }
  if (row[7] != "on") {
    return LogProblem{LogErrorKind::kConfig,
                      "the server keeps no log files: set logging_collector = on (needs a "
                      "restart), or read the file that its stderr goes to"};
  }
  const auto format =
      std::find_if(options_.formats.begin(), options_.formats.end(),
                   [&](const std::string& wanted) { return Lists(destination, wanted); });
  if (format == options_.formats.end()) {
    return LogProblem{
        LogErrorKind::kConfig,
        "log_destination = '" + destination + "' has none of the wanted formats; add " +
            (options_.formats.empty() ? std::string("jsonlog") : options_.formats.front())};
  }
  format_ = *format;
  directory_ = log_directory.value_or("");
  pattern_ = LogNamePattern(log_filename.value_or(""), format_);
  return std::nullopt;
}

std::string SqlLogSource::ListExpression() const {
  return ListedLogfileExpression(directory_, pattern_, path_);
}

std::string SqlLogSource::PathExpression() const {
  return may_current_ ? CurrentLogfileExpression(format_) : ListExpression();
}

SqlLogSource::Failure SqlLogSource::TakePath(const std::optional<std::string>& text,
                                             std::optional<std::string>& path) const {
  path.reset();
  if (!text) return std::nullopt;
  if (text->empty() || text->size() > kMaxPathBytes || text->find('\0') != std::string::npos) {
    return WrongAnswer("with a log file name that cannot be one");
  }
  path = *text;
  return std::nullopt;
}

SqlLogSource::Failure SqlLogSource::Begin() {
  Result<Row> row = QueryRow(LocateQuery(PathExpression()), 1);
  if (!row) return FromError(row.error());
  std::optional<std::string> located;
  if (Failure failure = TakePath(row.value()[0], located)) return failure;
  counters_.missing = !located;
  if (!located) {
    at_start_ = false;
    // log_destination may have changed.
    access_ = false;
    return LogProblem{LogErrorKind::kMissing,
                      "the server names no current log file for " + format_ +
                          "; it will be read from its first byte when it appears"};
  }
  if (at_start_) {
    if (Failure failure = LearnSizes()) return failure;
    bookmarks_.erase(*located);
  }
  return Open(*located);
}

SqlLogSource::Failure SqlLogSource::LearnSizes() {
  if (!may_list_) return std::nullopt;
  const Result<RowSet> rows = run_(SizesQuery(directory_, pattern_, kMaxBookmarks / 2));
  if (!rows) return FromError(rows.error());
  for (const Row& row : rows.value().rows) {
    std::optional<std::string> path;
    const auto size = row.size() == 2 && row[1] ? ParseInt(*row[1]) : std::nullopt;
    if (!size || *size < 0) return WrongAnswer("with a list of logs without sizes");
    if (Failure failure = TakePath(row[0], path)) return failure;
    if (path && bookmarks_.size() < kMaxBookmarks) {
      bookmarks_[*path] = {static_cast<std::uint64_t>(*size), ""};
    }
  }
  return std::nullopt;
}

SqlLogSource::Failure SqlLogSource::SwitchTo(std::string located) {
  if (may_current_ && may_list_) {
    // There may be files between the two.
    Result<Row> row = QueryRow(LocateQuery(ListExpression()), 1);
    if (!row) return FromError(row.error());
    std::optional<std::string> next;
    if (Failure failure = TakePath(row.value()[0], next)) return failure;
    if (next) located = std::move(*next);
  }
  return Open(located);
}

SqlLogSource::Failure SqlLogSource::Open(const std::string& path) {
  LogPosition position;
  const auto bookmark = bookmarks_.find(path);
  if (at_start_) {
    const Result<Row> row =
        QueryRow(SizeQuery(path, options_.read_last, LogPosition::kMarkerBytes), 3);
    if (!row) return FromError(row.error());
    const auto start = ParseInt(row.value()[1].value_or(""));
    const auto before = DecodeBase64(row.value()[2].value_or(""));
    if (!start || *start < 0 || !before || (*start > 0 && before->empty())) {
      return WrongAnswer("with a size that cannot be one");
    }
    position.StartAt(static_cast<std::uint64_t>(*start), *before);
  } else if (bookmark != bookmarks_.end() && bookmark->second.offset > 0) {
    const std::uint64_t offset = bookmark->second.offset;
    const std::size_t wanted = std::min<std::uint64_t>(offset, LogPosition::kMarkerBytes);
    const Result<Row> row = QueryRow(ReadQuery("NULL", path, offset - wanted, wanted), 2);
    if (!row) return FromError(row.error());
    const auto before = DecodeBase64(row.value()[1].value_or(""));
    if (!before) return WrongAnswer("with bytes that are not base64");
    if (before->size() != wanted || !before->ends_with(bookmark->second.marker)) {
      position.StartAfterTruncation();
    } else {
      position.StartAt(offset, *before);
    }
  }
  if (!path_.empty()) {
    ++counters_.rotations;
    // Names with a time in them: the first is the oldest.
    if (bookmarks_.size() >= kMaxBookmarks) bookmarks_.erase(bookmarks_.begin());
    bookmarks_[path_] = {position_.offset(), std::string(position_.marker())};
  }
  at_start_ = false;
  path_ = path;
  position_ = std::move(position);
  ++counters_.opens;
  return std::nullopt;
}

SqlLogSource::Failure SqlLogSource::Read(const Sink& sink, StepResult& result,
                                         std::optional<std::string>& located) {
  const std::string marker(position_.marker());
  const std::size_t length = marker.size() + options_.bytes_per_step;
  Result<Row> row =
      QueryRow(ReadQuery(PathExpression(), path_, position_.offset() - marker.size(), length), 2);
  if (!row) {
    const ErrorCode code = row.error().code;
    if (code == ErrorCode::kPermission) {
      access_ = false;
      access_asked_at_.reset();
    } else if (code != ErrorCode::kConnection && code != ErrorCode::kTimeout) {
      LeaveDeletedFile();
    }
    return FromError(row.error());
  }
  if (Failure failure = TakePath(row.value()[0], located)) return failure;
  const std::optional<std::string> bytes = DecodeBase64(row.value()[1].value_or(""));
  if (!bytes) return WrongAnswer("with bytes that are not base64");
  if (bytes->size() > length) return WrongAnswer("with more bytes than were asked for");
  if (!bytes->starts_with(marker)) {
    position_.StartAfterTruncation();
    ++counters_.truncations;
    result.outcome = Outcome::kMore;
    return std::nullopt;
  }
  const std::string_view fresh = std::string_view(*bytes).substr(marker.size());
  if (bytes->size() == length) result.outcome = Outcome::kMore;
  const std::string_view handed_on = position_.Accept(fresh);
  if (handed_on.empty()) return std::nullopt;
  if (result.outcome == Outcome::kIdle) result.outcome = Outcome::kRead;
  result.bytes = handed_on.size();
  counters_.bytes += handed_on.size();
  sink({handed_on, position_.TakeStartsFresh(), path_});
  return std::nullopt;
}

void SqlLogSource::LeaveDeletedFile() {
  const Result<Row> row = QueryRow(LocateQuery(PathExpression()), 1);
  std::optional<std::string> located;
  if (!row || TakePath(row.value()[0], located)) return;
  counters_.missing = !located;
  // What fails here fails again in the next step, which tells.
  if (located && *located != path_) static_cast<void>(SwitchTo(std::move(*located)));
}

}  // namespace ckpt::tail
