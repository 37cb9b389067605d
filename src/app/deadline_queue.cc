// SPDX-License-Identifier: Apache-2.0
#include "app/deadline_queue.h"

namespace ckpt::app {

DeadlineQueue::Key DeadlineQueue::Add(MonotonicTime at, std::function<void()> run) {
  Key key;
  bool first = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    key = {at, ++added_};
    queue_.emplace(key, std::move(run));
    first = queue_.begin()->first == key;
  }
  if (first) wake_();
  return key;
}

void DeadlineQueue::Cancel(const Key& key) {
  // Declared first, so that what it holds is destroyed after the lock is given back.
  std::map<Key, std::function<void()>>::node_type cancelled;
  const std::lock_guard<std::mutex> lock(mutex_);
  cancelled = queue_.extract(key);
}

std::optional<MonotonicTime> DeadlineQueue::Next() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (queue_.empty()) return std::nullopt;
  return queue_.begin()->first.first;
}

void DeadlineQueue::RunDue(MonotonicTime now) {
  for (;;) {
    std::function<void()> run;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (queue_.empty() || queue_.begin()->first.first > now) return;
      run = std::move(queue_.begin()->second);
      queue_.erase(queue_.begin());
    }
    run();
  }
}

}  // namespace ckpt::app
