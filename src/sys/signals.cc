// SPDX-License-Identifier: Apache-2.0
#include "sys/signals.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace ckpt::sys {
namespace {

sigset_t WatchedSignals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGHUP);
  return set;
}

}  // namespace

SignalWaiter::SignalWaiter() {
  struct sigaction ignore = {};
  ignore.sa_handler = SIG_IGN;  // NOLINT: the macro casts
  sigaction(SIGPIPE, &ignore, nullptr);

  const sigset_t watched = WatchedSignals();
  pthread_sigmask(SIG_BLOCK, &watched, &old_mask_);
  signal_fd_ = signalfd(-1, &watched, SFD_NONBLOCK | SFD_CLOEXEC);
  wake_fd_ = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (signal_fd_ >= 0 && wake_fd_ >= 0) return;
  const int problem = errno;
  if (signal_fd_ >= 0) close(signal_fd_);
  pthread_sigmask(SIG_SETMASK, &old_mask_, nullptr);
  throw std::system_error(problem, std::generic_category(), "cannot wait for signals");
}

SignalWaiter::~SignalWaiter() {
  close(signal_fd_);
  close(wake_fd_);
  pthread_sigmask(SIG_SETMASK, &old_mask_, nullptr);
}

Signal SignalWaiter::Wait(std::chrono::milliseconds timeout) {
  using std::chrono::steady_clock;
  const auto bounded = std::clamp(timeout, std::chrono::milliseconds(0),
                                  std::chrono::milliseconds(std::chrono::hours(24)));
  const auto deadline = steady_clock::now() + bounded;
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - steady_clock::now());
    pollfd fds[] = {{signal_fd_, POLLIN, 0}, {wake_fd_, POLLIN, 0}};
    const int ready = poll(fds, 2, static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return Signal::kNone;
    signalfd_siginfo info = {};
    if (read(signal_fd_, &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
      return info.ssi_signo == SIGHUP ? Signal::kReload : Signal::kTerminate;
    }
    std::uint64_t wakes = 0;
    if (read(wake_fd_, &wakes, sizeof wakes) == static_cast<ssize_t>(sizeof wakes)) {
      return Signal::kNone;
    }
  }
}

void SignalWaiter::Wake() {
  const std::uint64_t one = 1;
  // A full counter already means "wake".
  if (write(wake_fd_, &one, sizeof one) < 0) return;
}

}  // namespace ckpt::sys
