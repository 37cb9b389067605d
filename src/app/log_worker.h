// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "app/log_follower.h"
#include "app/progress.h"
#include "core/clock.h"

namespace ckpt::app {

// Reads the local log files of all targets on one thread, in turns of bounded size, so that a log
// that grows fast delays the others by no more than one turn.
//
// Thread-safe. All the work is in Step(); Start() runs it every quarter of a second, at once again
// while something is waiting.
class LogWorker {
 public:
  // Both must outlive it.
  LogWorker(LogSink* log, const Clock* clock) : log_(log), clock_(clock) {}
  ~LogWorker();
  LogWorker(const LogWorker&) = delete;
  LogWorker& operator=(const LogWorker&) = delete;

  // From now on the follower's news go to the mailbox, which the caller shares.
  void Add(const std::string& target, std::unique_ptr<LogFollower> follower,
           std::shared_ptr<LogMailbox> mailbox);
  // Waits for the turn that is under way, if any.
  void Remove(const std::string& target);

  // One turn for every follower. True: more is waiting.
  bool Step();

  // Whether one Step() lasts longer than any file should keep it. From any thread.
  bool Stuck(MonotonicTime now) const;

  void Start();
  void Stop();

 private:
  struct Entry {
    std::unique_ptr<LogFollower> follower;
    std::shared_ptr<LogMailbox> mailbox;
  };
  void Run();

  LogSink* const log_;
  const Clock* const clock_;
  Progress progress_;
  std::mutex mutex_;
  std::map<std::string, Entry> entries_;  // guarded by mutex_
  std::condition_variable wake_;
  bool stopping_ = false;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace ckpt::app
