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

#include "app/log_follower.h"
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
// whatever it waits for.
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
  // Asks the thread to end; returns at once. From any thread.
  void RequestStop();
  // RequestStop, and waits for the thread.
  void Stop();

 private:
  void Run();
  void Connect(MonotonicTime now);
  void FollowSqlLog(const PulseStats& pulse);
  void Poll(MonotonicTime now);
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

  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace ckpt::app
