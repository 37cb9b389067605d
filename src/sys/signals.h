// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <csignal>
#include <cstdint>

namespace ckpt::sys {

// What an operator or a supervisor asks of the process.
enum class Signal : std::uint8_t {
  kNone,       // the time was up
  kTerminate,  // SIGTERM, SIGINT
  kReload,     // SIGHUP
};

// The signals of the process, taken by a waiting thread rather than by handlers.
//
// Make one in main before any thread: it blocks SIGTERM, SIGINT and SIGHUP for this thread and all
// that it starts, and ignores SIGPIPE for the process. There is one per process; destroying it
// gives the calling thread its old mask back. Wait() is for one thread at a time, Wake() for any.
class SignalWaiter {
 public:
  // Throws std::system_error if the process has no file descriptor left.
  SignalWaiter();
  ~SignalWaiter();
  SignalWaiter(const SignalWaiter&) = delete;
  SignalWaiter& operator=(const SignalWaiter&) = delete;

  // The next signal, or kNone after `timeout` or a Wake(). Signals that came before are kept, one
  // of each kind.
  Signal Wait(std::chrono::milliseconds timeout);

  // Ends the current or next Wait(), for events of our own (a reload over HTTP). Thread-safe.
  void Wake();

 private:
  sigset_t old_mask_ = {};
  int signal_fd_ = -1;
  int wake_fd_ = -1;
};

}  // namespace ckpt::sys
