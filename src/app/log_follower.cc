// SPDX-License-Identifier: Apache-2.0
#include "app/log_follower.h"

#include <iterator>
#include <utility>

namespace ckpt::app {
namespace {

template <class T>
void Append(std::vector<T>* to, std::vector<T> from) {
  to->insert(to->end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

template <class T>
void KeepNewest(std::vector<T>* list, std::size_t most) {
  if (list->size() > most) list->erase(list->begin(), list->end() - static_cast<long>(most));
}

LoggedStart StartOf(const logs::CheckpointInProgress& running) {
  return {running.kind, running.reason, running.start};
}

}  // namespace

LogFollower::LogFollower(std::string target, std::unique_ptr<LogSource> source, std::string format,
                         std::optional<std::string> line_prefix, LogSink* log)
    : target_(std::move(target)),
      source_(std::move(source)),
      format_(std::move(format)),
      own_prefix_(std::move(line_prefix)),
      log_(log) {
  MakeReader();
}

void LogFollower::MakeReader() {
  if (reader_) {
    const logs::LogReaderStats stats = reader_->stats();
    earlier_.lines_read += stats.lines_read;
    earlier_.lines_matched += stats.lines_matched;
    earlier_.lines_not_understood += stats.lines_not_understood;
    earlier_.lines_rejected += stats.lines_rejected;
    earlier_.lines_malformed += stats.lines_malformed;
    earlier_.lines_too_long += stats.lines_too_long;
    if (stats.last_match_time) earlier_.last_match_time = stats.last_match_time;
  }
  logs::LogReaderOptions options;
  options.format = format_;
  options.parsing.log_line_prefix = own_prefix_ ? own_prefix_ : context_.line_prefix;
  if (context_.zone_offset) options.parsing.zone = logs::FixedZone(*context_.zone_offset);
  reader_ = std::make_unique<logs::LogReader>(std::move(options));
  if (context_.checkpointer_pid) reader_->SetCheckpointerPid(*context_.checkpointer_pid);
}

void LogFollower::SetContext(const LogContext& context) {
  if (context == context_) return;
  const bool parses_otherwise =
      context.line_prefix != context_.line_prefix || context.zone_offset != context_.zone_offset;
  context_ = context;
  if (parses_otherwise) MakeReader();
  if (context_.checkpointer_pid) reader_->SetCheckpointerPid(*context_.checkpointer_pid);
  if (context_.in_recovery) tracker_.SetInRecovery(*context_.in_recovery);
}

LogNews LogFollower::Step() {
  LogNews news;
  std::vector<logs::LogEvent> events;
  const LogSource::StepResult result = source_->Step([&](const LogSource::Chunk& chunk) {
    if (file_ != chunk.name) {
      // The last line of a file that will not grow counts though it has no line end.
      if (!file_.empty()) Append(&events, reader_->Flush());
      file_ = std::string(chunk.name);
      reader_->NextFile();
    } else if (chunk.starts_fresh) {
      reader_->Reset();
    }
    Append(&events, reader_->Feed(chunk.bytes));
  });
  using Outcome = LogSource::Outcome;
  more_ = result.outcome == Outcome::kMore;
  reading_ = result.outcome != Outcome::kFailed && result.outcome != Outcome::kMissing;
  if (result.problem) {
    log_->Log(LogLevel::kWarn, "the server log cannot be read",
              {{"target", target_},
               {"kind", LogErrorKindName(result.problem->kind)},
               {"error", result.problem->message}});
  } else if (result.recovered) {
    log_->Log(LogLevel::kInfo, "the server log is read again", {{"target", target_}});
  }

  for (const logs::LogEvent& event : events) {
    logs::TrackedEvents tracked = tracker_.Observe(event);
    Append(&news.checkpoints, std::move(tracked.checkpoints));
    Append(&news.recoveries, std::move(tracked.recoveries));
  }
  news.too_frequent_warnings = tracker_.too_frequent_warnings() - warnings_told_;
  warnings_told_ = tracker_.too_frequent_warnings();
  if (tracker_.in_progress()) news.in_progress = StartOf(*tracker_.in_progress());

  const logs::LogReaderStats stats = reader_->stats();
  news.health.source = source_->Counters();
  news.health.lines_read = earlier_.lines_read + stats.lines_read;
  news.health.lines_matched = earlier_.lines_matched + stats.lines_matched;
  news.health.lines_not_understood = earlier_.lines_not_understood + stats.lines_not_understood;
  news.health.lines_rejected = earlier_.lines_rejected + stats.lines_rejected;
  news.health.lines_malformed = earlier_.lines_malformed + stats.lines_malformed;
  news.health.lines_too_long = earlier_.lines_too_long + stats.lines_too_long;
  news.health.last_match_time =
      stats.last_match_time ? stats.last_match_time : earlier_.last_match_time;
  news.health.reading = reading_;
  return news;
}

void LogMailbox::Post(LogNews news) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (news_) {
    Append(&news_->checkpoints, std::move(news.checkpoints));
    Append(&news_->recoveries, std::move(news.recoveries));
    KeepNewest(&news_->checkpoints, kMostEvents);
    KeepNewest(&news_->recoveries, kMostEvents);
    news_->too_frequent_warnings += news.too_frequent_warnings;
    news_->in_progress = news.in_progress;
    news_->health = std::move(news.health);
  } else {
    news_ = std::move(news);
  }
}

std::optional<LogNews> LogMailbox::Take() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return std::exchange(news_, std::nullopt);
}

void LogMailbox::SetContext(const LogContext& context) {
  const std::lock_guard<std::mutex> lock(mutex_);
  context_ = context;
}

LogContext LogMailbox::context() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return context_;
}

}  // namespace ckpt::app
