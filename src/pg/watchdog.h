// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "core/clock.h"

namespace ckpt::pg {

// Breaks waits for an answer that takes too long. libpq waits without a limit for a server that
// is frozen (stopped, a dead disk, a paused machine): statement_timeout does not fire there, the
// kernel still answers keepalives, and a cancel request waits for the same server. Shutting down
// the socket from another thread ends the wait at once.
//
// It also breaks an answer that has grown beyond a byte limit, because libpq keeps a whole answer
// in memory before it hands over any of it. The volume is the kernel's count for a TCP socket, and
// is looked at every kVolumeInterval; a Unix-domain socket has no such count, there only the
// deadline bounds an answer.
//
// Safe against descriptor reuse: it acts on a duplicate of its own, which names the same socket
// for as long as it is open, even when libpq has closed and the process has reused the number.
//
// One object and one thread serve all sessions. Threading: every member from any thread; Start
// and the destructor from one. Guards must not outlive it.
class Watchdog {
 public:
  static constexpr std::chrono::milliseconds kVolumeInterval{50};

  enum class Verdict : std::uint8_t {
    kNone,       // the wait ended by itself
    kDeadline,   // broken: the deadline passed
    kVolume,     // broken: more bytes than allowed
    kCancelled,  // broken by Break()
  };

  // Watches from construction to destruction. Movable so that Watch can return it.
  class Guard {
   public:
    Guard(Guard&& other) noexcept;
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;
    Guard& operator=(Guard&&) = delete;
    ~Guard();
    // Whether and why the socket was shut down so far.
    Verdict verdict() const;

   private:
    friend class Watchdog;
    Guard(Watchdog* dog, std::int64_t id) : dog_(dog), id_(id) {}
    Watchdog* dog_;
    std::int64_t id_;
  };

  explicit Watchdog(const Clock& clock) : clock_(clock) {}
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
  ~Watchdog();

  // Starts the thread. Tests call Step() instead.
  void Start();

  // Watches the socket `fd` until the guard is destroyed. `owner` groups guards for Break.
  // Empty when no descriptor is left to duplicate: the caller must then not wait.
  std::optional<Guard> Watch(int fd, MonotonicTime deadline, std::int64_t max_bytes,
                             const void* owner);

  // Shuts down every socket now watched for `owner`.
  void Break(const void* owner);

  // Breaks what is due. Returns when to look again, empty when nothing is watched.
  std::optional<MonotonicTime> Step();

 private:
  struct Entry {
    int fd = -1;
    MonotonicTime deadline;
    std::int64_t byte_limit = 0;  // of the kernel's count, start included
    bool counts_bytes = false;
    const void* owner = nullptr;
    Verdict verdict = Verdict::kNone;
  };

  static void BreakEntry(Entry& entry, Verdict verdict);
  std::optional<MonotonicTime> StepLocked();
  void Run();

  const Clock& clock_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::map<std::int64_t, Entry> entries_;
  std::int64_t next_id_ = 1;
  // When the thread will look again; empty: only when woken.
  std::optional<MonotonicTime> next_look_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace ckpt::pg
