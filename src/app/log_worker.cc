// SPDX-License-Identifier: Apache-2.0
#include "app/log_worker.h"

#include <exception>
#include <utility>

namespace ckpt::app {
namespace {

constexpr std::chrono::milliseconds kInterval{250};
// A file on a dead network file system blocks for ever; a slow one does not for so long.
constexpr std::chrono::minutes kLongestStep{5};

}  // namespace

LogWorker::~LogWorker() { Stop(); }

void LogWorker::Add(const std::string& target, std::unique_ptr<LogFollower> follower,
                    std::shared_ptr<LogMailbox> mailbox) {
  const std::lock_guard<std::mutex> lock(mutex_);
  entries_.insert_or_assign(target, Entry{std::move(follower), std::move(mailbox)});
}

void LogWorker::Remove(const std::string& target) {
  const std::lock_guard<std::mutex> lock(mutex_);
  entries_.erase(target);
}

bool LogWorker::Step() {
  bool more = false;
  std::string last;
  for (;;) {
    // The lock is held for one turn at a time, so that adding and removing wait for one at most.
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto next = entries_.upper_bound(last);
    if (next == entries_.end()) return more;
    last = next->first;
    Entry& entry = next->second;
    entry.follower->SetContext(entry.mailbox->context());
    entry.mailbox->Post(entry.follower->Step());
    more = more || entry.follower->more();
  }
}

void LogWorker::Start() {
  thread_ = std::thread([this] { Run(); });
}

void LogWorker::Run() {
  for (;;) {
    bool more = false;
    progress_.Begin(clock_->Monotonic());
    try {
      more = Step();
    } catch (const std::exception& exception) {
      log_->Log(LogLevel::kError, "reading server logs failed", {{"error", exception.what()}});
    }
    std::unique_lock<std::mutex> lock(mutex_);
    const auto wait = more ? std::chrono::milliseconds(0) : kInterval;
    progress_.End(clock_->Monotonic() + wait);
    if (wake_.wait_for(lock, wait, [this] { return stopping_; })) return;
  }
}

bool LogWorker::Stuck(MonotonicTime now) const { return progress_.Stuck(now, kLongestStep); }

void LogWorker::Stop() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

}  // namespace ckpt::app
