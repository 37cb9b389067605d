// SPDX-License-Identifier: Apache-2.0
#include "pg/watchdog.h"

#include <fcntl.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace ckpt::pg {
namespace {

// Payload bytes that a TCP socket has received in its life; empty for other sockets.
std::optional<std::int64_t> BytesReceived(int fd) {
  tcp_info info{};
  socklen_t length = sizeof info;
  if (::getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length) != 0) return std::nullopt;
  if (length < offsetof(tcp_info, tcpi_bytes_received) + sizeof info.tcpi_bytes_received) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(info.tcpi_bytes_received);
}

}  // namespace

Watchdog::Guard::Guard(Guard&& other) noexcept
    : dog_(std::exchange(other.dog_, nullptr)), id_(other.id_) {}

Watchdog::Guard::~Guard() {
  if (dog_ == nullptr) return;
  const std::lock_guard<std::mutex> lock(dog_->mutex_);
  const auto found = dog_->entries_.find(id_);
  ::close(found->second.fd);
  dog_->entries_.erase(found);
}

Watchdog::Verdict Watchdog::Guard::verdict() const {
  const std::lock_guard<std::mutex> lock(dog_->mutex_);
  return dog_->entries_.at(id_).verdict;
}

Watchdog::~Watchdog() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Watchdog::Start() {
  thread_ = std::thread([this] { Run(); });
}

std::optional<Watchdog::Guard> Watchdog::Watch(int fd, MonotonicTime deadline,
                                               std::int64_t max_bytes, const void* owner) {
  Entry entry;
  entry.fd = ::fcntl(fd, F_DUPFD_CLOEXEC, 0);
  if (entry.fd < 0) return std::nullopt;
  entry.deadline = deadline;
  entry.owner = owner;
  if (const std::optional<std::int64_t> received = BytesReceived(entry.fd)) {
    entry.counts_bytes = true;
    entry.byte_limit = *received + max_bytes;
  }
  const MonotonicTime first_look =
      entry.counts_bytes ? std::min(deadline, clock_.Monotonic() + kVolumeInterval) : deadline;

  const std::lock_guard<std::mutex> lock(mutex_);
  const std::int64_t id = next_id_++;
  entries_.emplace(id, entry);
  // Most answers arrive long before the first look: the thread then sleeps through them, and one
  // that is due to look soon anyway is not woken.
  if (!next_look_ || first_look < *next_look_) {
    next_look_ = first_look;
    wake_.notify_one();
  }
  return Guard(this, id);
}

void Watchdog::BreakEntry(Entry& entry, Verdict verdict) {
  if (entry.verdict != Verdict::kNone) return;
  entry.verdict = verdict;
  ::shutdown(entry.fd, SHUT_RDWR);
}

void Watchdog::Break(const void* owner) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (auto& [id, entry] : entries_) {
    if (entry.owner == owner) BreakEntry(entry, Verdict::kCancelled);
  }
}

std::optional<MonotonicTime> Watchdog::Step() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return StepLocked();
}

std::optional<MonotonicTime> Watchdog::StepLocked() {
  const MonotonicTime now = clock_.Monotonic();
  std::optional<MonotonicTime> next;
  for (auto& [id, entry] : entries_) {
    if (entry.verdict != Verdict::kNone) continue;
    if (now >= entry.deadline) {
      BreakEntry(entry, Verdict::kDeadline);
      continue;
    }
    MonotonicTime look = entry.deadline;
    if (entry.counts_bytes) {
      if (BytesReceived(entry.fd).value_or(0) > entry.byte_limit) {
        BreakEntry(entry, Verdict::kVolume);
        continue;
      }
      look = std::min(look, now + kVolumeInterval);
    }
    if (!next || look < *next) next = look;
  }
  return next;
}

void Watchdog::Run() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!stopping_) {
    next_look_ = StepLocked();
    if (!next_look_) {
      wake_.wait(lock);
    } else {
      const auto left = *next_look_ - clock_.Monotonic();
      if (left.count() > 0) wake_.wait_for(lock, left);
    }
  }
}

}  // namespace ckpt::pg
