// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/log_follower.h"
#include "app/progress.h"
#include "app/state_store.h"
#include "core/backoff.h"
#include "core/target_model.h"
#include "pg/commit_probe.h"
#include "pg/poller.h"

namespace ckpt::app {

struct SqlLogOptions {
  std::uint64_t read_last = 0;             // bytes of the log that is there at the start
  std::string format;                      // of logs::kLogFormats; empty: find out
  std::optional<std::string> line_prefix;  // overrides the server's
};

struct WorkerOptions {
  std::chrono::nanoseconds pulse_interval{std::chrono::seconds(1)};
  std::chrono::nanoseconds survey_interval{std::chrono::seconds(15)};
  // Delay of the first pulse, so that many targets do not poll at the same moment.
  std::chrono::nanoseconds phase{0};
  // Of the connector, for one host; only to judge whether a step gets on.
  std::chrono::milliseconds connect_timeout{3000};
  pg::PollerOptions poller;
  std::size_t events_kept = 500;
  // The server's log, read by another thread. Null: none, or over SQL.
  std::shared_ptr<LogMailbox> log;
  // How to read the server's log through this connection; empty: not so.
  std::optional<SqlLogOptions> sql_log;
  // How often to measure a commit; empty: never.
  std::optional<std::chrono::milliseconds> commit_probe;
};

// Watches one target: connects, pulses, surveys, feeds the model and publishes its state. All the
// work is in Step(); Start() runs it on a thread of the worker's own, Stop() ends that at once,
// whatever it waits for, but for a name lookup, which nothing can break off.
//
// Owns its connector, poller and model, which only the stepping thread touches. Everything that it
// meets ends in the published health and a log record; nothing throws out of Step().
class TargetWorker {
 public:
  TargetWorker(WorkerOptions options, std::shared_ptr<const TargetInfo> info,
               std::unique_ptr<Connector> connector, std::function<double()> random,
               const Clock* clock, LogSink* log, StateStore* store);
  ~TargetWorker();
  TargetWorker(const TargetWorker&) = delete;
  TargetWorker& operator=(const TargetWorker&) = delete;

  // Does what is due now and returns when to be called again.
  MonotonicTime Step();

  void Start();
  // Asks the thread to end; returns at once. Nothing is published any more. From any thread.
  void RequestStop();
  // After RequestStop: whether the thread has ended, waiting for that until `deadline`.
  bool WaitEnded(std::chrono::steady_clock::time_point deadline);
  // RequestStop, and waits for the thread.
  void Stop();

  // Asks for a poll now rather than at the next pulse. `done` is called once, from the worker's
  // thread, when the state that follows from it has been published: true if the server answered.
  // All who wait share one poll, and a server is polled for them no more often than the shortest
  // pulse interval allows; one that could not be reached is tried again at most once a second, and
  // one that refused us when its time has come. False: too many wait, or the worker is stopping;
  // `done` is dropped. From any thread.
  using Collected = std::function<void(bool polled)>;
  bool Collect(Collected done);

  // Whether a step lasts longer than all its deadlines together. From any thread.
  bool Stuck(MonotonicTime now) const;

 private:
  void Run();
  void TakeAsked();
  // Tells all who wait for a poll how it went.
  void Answer(bool polled);
  MonotonicTime ConnectTime() const;
  MonotonicTime PulseTime() const;
  void Connect(MonotonicTime now);
  void FollowSqlLog(const PulseStats& pulse);
  // False: the server did not answer.
  bool Poll(MonotonicTime now);
  void ReadLog(MonotonicTime now);
  void ProbeCommit();
  void TellLogContext(const PulseStats& pulse, const Survey* survey);
  void Fail(const Error& error, std::string_view doing);
  void Publish();

  const WorkerOptions options_;
  const std::shared_ptr<const TargetInfo> info_;
  const std::unique_ptr<Connector> connector_;
  Backoff away_;     // the server cannot be reached: soon again, it may come back any moment
  Backoff refused_;  // the server said no: rarely, each try is a line in its log
  const Clock* const clock_;
  LogSink* const log_;
  StateStore* const store_;

  pg::Poller poller_;
  TargetModel model_;
  PollHealth health_;
  MonotonicTime next_connect_;
  MonotonicTime next_pulse_;
  MonotonicTime next_survey_;
  MonotonicTime next_log_;
  LogContext log_context_;
  std::unique_ptr<LogFollower> sql_log_;  // made anew for each server that answers
  struct {
    OptionalInt system_identifier;
    OptionalReal postmaster_start;
    UnixSeconds last_time = 0;  // of its last pulse, by its clock
  } sql_log_server_;            // whose log sql_log_ reads
  std::optional<pg::CommitProbe> commit_probe_;
  std::vector<Collected> serving_;  // those whom the next poll is for
  bool server_refused_ = false;     // the last connect failed for a reason that will not pass soon
  std::optional<MonotonicTime> last_connect_;  // end of the last try that failed
  std::optional<MonotonicTime> last_pulse_;

  Progress progress_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Collected> asked_;  // guarded by mutex_
  bool stopping_ = false;         // guarded by mutex_
  bool ended_ = true;             // guarded by mutex_; no thread runs
  std::thread thread_;
};

}  // namespace ckpt::app
