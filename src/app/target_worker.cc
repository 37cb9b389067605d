// SPDX-License-Identifier: Apache-2.0
#include "app/target_worker.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <iterator>
#include <utility>

#include "core/pulse_times.h"
#include "tail/sql_log_source.h"

namespace ckpt::app {
namespace {

using std::chrono::milliseconds;

// A server that is back shall be seen within two pulses.
milliseconds MostAway(std::chrono::nanoseconds pulse_interval) {
  return std::max(milliseconds(1500),
                  std::chrono::duration_cast<milliseconds>(pulse_interval * 3 / 2));
}

// Over SQL a log is read in this rhythm, with at most so many statements each time.
constexpr std::chrono::seconds kSqlLogInterval{5};
constexpr int kSqlLogTurns = 4;

// Who asks for a poll while as many wait already is turned away.
constexpr std::size_t kMostWaiting = 256;
// Of polls and of connects that are asked for: a client of ours must not be able to make us a
// nuisance to the server.
constexpr milliseconds kShortestPulse{200};
constexpr milliseconds kShortestConnect{1000};

// What a step may take at the most: a name lookup, which has only the resolver's own limits, and
// after it so many waits, each with a deadline. Far more than any healthy step needs.
constexpr std::chrono::minutes kLongestLookup{2};
constexpr int kMostWaits = 40;

std::size_t IndexOf(ErrorCode code) { return static_cast<std::size_t>(code); }

// The next of a series of times at equal distances that lies after `now`: a late step skips those
// that it has missed and does not hurry after them.
MonotonicTime NextAfter(MonotonicTime due, std::chrono::nanoseconds interval, MonotonicTime now) {
  if (due + interval > now) return due + interval;
  return due + interval * ((now - due) / interval + 1);
}

}  // namespace

TargetWorker::TargetWorker(WorkerOptions options, std::shared_ptr<const TargetInfo> info,
                           std::unique_ptr<Connector> connector, std::function<double()> random,
                           const Clock* clock, LogSink* log, StateStore* store)
    : options_(std::move(options)),
      info_(std::move(info)),
      connector_(std::move(connector)),
      away_(milliseconds(250), MostAway(options_.pulse_interval), random),
      refused_(milliseconds(2000), milliseconds(30000), random),
      clock_(clock),
      log_(log),
      store_(store),
      poller_(options_.poller, connector_.get(), clock, log),
      model_(info_, options_.events_kept),
      next_connect_(clock->Monotonic() + options_.phase),
      next_pulse_(next_connect_),
      next_survey_(next_connect_),
      next_log_(next_connect_) {
  if (options_.commit_probe) {
    commit_probe_.emplace(*options_.commit_probe, options_.poller.query_timeout, clock);
  }
  Publish();
}

TargetWorker::~TargetWorker() { Stop(); }

MonotonicTime TargetWorker::Step() {
  const MonotonicTime now = clock_->Monotonic();
  TakeAsked();
  if (!poller_.connected()) {
    if (now < ConnectTime()) {
      if (server_refused_) Answer(false);
      return ConnectTime();
    }
    Connect(now);
    if (!poller_.connected()) {
      Answer(false);
      return next_connect_;
    }
  }
  if (now >= PulseTime()) Answer(Poll(now));
  return poller_.connected() ? PulseTime() : ConnectTime();
}

MonotonicTime TargetWorker::ConnectTime() const {
  if (serving_.empty() || server_refused_) return next_connect_;
  if (!last_connect_) return std::min(next_connect_, clock_->Monotonic());
  return std::min(next_connect_, *last_connect_ + kShortestConnect);
}

MonotonicTime TargetWorker::PulseTime() const {
  if (serving_.empty()) return next_pulse_;
  if (!last_pulse_) return std::min(next_pulse_, clock_->Monotonic());
  return std::min(next_pulse_, *last_pulse_ + kShortestPulse);
}

bool TargetWorker::Collect(Collected done) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (stopping_ || asked_.size() >= kMostWaiting) return false;
    asked_.push_back(std::move(done));
  }
  wake_.notify_all();
  return true;
}

void TargetWorker::TakeAsked() {
  std::vector<Collected> asked;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    asked.swap(asked_);
  }
  std::move(asked.begin(), asked.end(), std::back_inserter(serving_));
}

void TargetWorker::Answer(bool polled) {
  for (const Collected& done : std::exchange(serving_, {})) done(polled);
}

void TargetWorker::Connect(MonotonicTime now) {
  const Status connected = poller_.Connect();
  const MonotonicTime after = clock_->Monotonic();
  if (!connected.ok()) {
    const ErrorCode code = connected.error().code;
    const bool away = code == ErrorCode::kConnection || code == ErrorCode::kTimeout;
    server_refused_ = !away;
    last_connect_ = after;
    next_connect_ = after + (away ? away_ : refused_).Next();
    Fail(connected.error(), "cannot connect");
    return;
  }
  away_.Reset();
  refused_.Reset();
  server_refused_ = false;
  ++health_.connects;
  health_.connect_seconds = std::chrono::duration<double>(after - now).count();
  log_->Log(LogLevel::kInfo, "connected",
            {{"target", info_->name},
             {"version", std::to_string(poller_.server().version.num)},
             {"flavor", poller_.server().flavor}});
  model_.OnConnect(poller_.server(), poller_.capabilities());
  // Everything is asked anew at once; the grid of times stays, so that targets stay apart.
  next_survey_ = after;
}

// One source for as long as it is the same server: it knows what it has read, so a new connection
// goes on there and reads nothing twice.
void TargetWorker::FollowSqlLog(const PulseStats& pulse) {
  if (!options_.sql_log) return;
  // Another node of the same system was already there when the last one answered.
  constexpr double kClockSlack = 2.0;
  const OptionalInt system = poller_.server().system_identifier;
  const bool another_node = pulse.postmaster_start && sql_log_server_.postmaster_start &&
                            *pulse.postmaster_start != *sql_log_server_.postmaster_start &&
                            *pulse.postmaster_start < sql_log_server_.last_time - kClockSlack;
  const bool same = sql_log_ && system == sql_log_server_.system_identifier && !another_node;
  sql_log_server_ = {system, pulse.postmaster_start, ServerTime(pulse)};
  if (same) return;
  const SqlLogOptions& wanted = *options_.sql_log;
  tail::SqlLogSourceOptions source;
  source.read_last = wanted.read_last;
  sql_log_ = std::make_unique<LogFollower>(
      info_->name,
      std::make_unique<tail::SqlLogSource>(
          [this](const std::string& sql) -> Result<RowSet> {
            if (poller_.session() == nullptr) {
              return Error{ErrorCode::kConnection, "not connected", ""};
            }
            return poller_.session()->Query(sql, options_.poller.query_timeout);
          },
          *clock_, std::move(source)),
      wanted.format, wanted.line_prefix, log_);
}

bool TargetWorker::Poll(MonotonicTime now) {
  // A pulse that was asked for leaves the grid of times as it is.
  if (now >= next_pulse_) next_pulse_ = NextAfter(next_pulse_, options_.pulse_interval, now);
  last_pulse_ = now;
  Result<PulseStats> pulse = poller_.Pulse();
  if (!pulse.ok()) {
    Fail(pulse.error(), "a pulse failed");
    return false;
  }
  ++health_.pulses;
  health_.last_good = pulse.value().taken;
  health_.pulse_seconds = pulse.value().round_trip_seconds;
  health_.last_error.reset();

  std::shared_ptr<const Survey> survey;
  if (now >= next_survey_) {
    next_survey_ = NextAfter(next_survey_, options_.survey_interval, now);
    Result<Survey> taken = poller_.TakeSurvey();
    if (taken.ok()) {
      ++health_.surveys;
      survey = std::make_shared<const Survey>(std::move(taken).value());
    } else {
      Fail(taken.error(), "a survey failed");
    }
  }
  FollowSqlLog(pulse.value());
  TellLogContext(pulse.value(), survey.get());
  // The log before the pulse: it tells in full what the pulse would have to infer.
  ReadLog(now);
  model_.SetCapabilities(poller_.capabilities());
  model_.OnPulse(pulse.value(), std::move(survey));
  ProbeCommit();
  Publish();
  return true;
}

void TargetWorker::TellLogContext(const PulseStats& pulse, const Survey* survey) {
  log_context_.checkpointer_pid = poller_.checkpointer_pid();
  if (pulse.in_recovery) log_context_.in_recovery = *pulse.in_recovery != 0;
  if (survey != nullptr) {
    log_context_.line_prefix = survey->rows.settings.log_line_prefix;
    if (survey->stats.log_zone_offset) {
      log_context_.zone_offset =
          static_cast<std::int32_t>(std::lround(*survey->stats.log_zone_offset));
    }
  }
  if (options_.log) options_.log->SetContext(log_context_);
  if (sql_log_) sql_log_->SetContext(log_context_);
}

void TargetWorker::ReadLog(MonotonicTime now) {
  if (options_.log) {
    if (const std::optional<LogNews> news = options_.log->Take()) model_.OnLog(*news, now);
  }
  if (!sql_log_ || now < next_log_ || !poller_.connected()) return;
  next_log_ = now + kSqlLogInterval;
  for (int turn = 0; turn < kSqlLogTurns; ++turn) {
    model_.OnLog(sql_log_->Step(), now);
    if (!sql_log_->more() || !poller_.connected()) break;
  }
}

void TargetWorker::ProbeCommit() {
  const bool primary = log_context_.in_recovery == false;
  if (!commit_probe_ || !primary || !poller_.connected() ||
      !poller_.capabilities().Has(Capability::kEmitMessage)) {
    return;
  }
  const Result<std::optional<double>> seconds = commit_probe_->Step(poller_.session());
  if (!seconds.ok()) {
    Fail(seconds.error(), "a commit probe failed");
  } else if (seconds.value()) {
    model_.OnCommit(*seconds.value(), clock_->Monotonic());
  }
}

void TargetWorker::Fail(const Error& error, std::string_view doing) {
  ++health_.errors[IndexOf(error.code)];
  health_.last_error = error.code;
  if (!poller_.connected()) next_connect_ = std::max(next_connect_, clock_->Monotonic());
  log_->Log(
      LogLevel::kWarn, doing,
      {{"target", info_->name}, {"code", ErrorCodeName(error.code)}, {"error", error.message}});
  Publish();
}

void TargetWorker::Publish() {
  health_.connected = poller_.connected();
  health_.values_rejected = poller_.values_rejected();
  model_.SetHealth(health_);
  model_.SetAccess(poller_.capabilities(), poller_.role());
  auto snapshot = model_.Snapshot();
  // Under the lock: once a stop is asked for, the name may be another worker's.
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!stopping_) store_->Publish(std::move(snapshot));
}

void TargetWorker::Start() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ended_ = false;
  }
  thread_ = std::thread([this] { Run(); });
}

void TargetWorker::Run() {
  for (;;) {
    progress_.Begin(clock_->Monotonic());
    MonotonicTime next = clock_->Monotonic() + options_.pulse_interval;
    try {
      next = Step();
    } catch (const std::exception& exception) {
      // Steps report by value; what still throws is a fault of ours or want of memory. The target
      // goes on at its next pulse, and the others never notice.
      log_->Log(LogLevel::kError, "a step of a target failed",
                {{"target", info_->name}, {"error", exception.what()}});
      Answer(false);
    }
    progress_.End(next);
    std::unique_lock<std::mutex> lock(mutex_);
    wake_.wait_until(lock, next, [this] { return stopping_ || !asked_.empty(); });
    if (stopping_) break;
  }
  progress_.Rest();
  TakeAsked();
  Answer(false);
  const std::lock_guard<std::mutex> lock(mutex_);
  ended_ = true;
  wake_.notify_all();
}

bool TargetWorker::Stuck(MonotonicTime now) const {
  const auto wait = std::max(options_.connect_timeout, options_.poller.query_timeout);
  return progress_.Stuck(now, kLongestLookup + kMostWaits * wait);
}

void TargetWorker::RequestStop() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  connector_->Cancel();
}

bool TargetWorker::WaitEnded(std::chrono::steady_clock::time_point deadline) {
  std::unique_lock<std::mutex> lock(mutex_);
  return wake_.wait_until(lock, deadline, [this] { return ended_; });
}

void TargetWorker::Stop() {
  RequestStop();
  if (thread_.joinable()) thread_.join();
}

}  // namespace ckpt::app
