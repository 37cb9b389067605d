// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "core/clock.h"

namespace ckpt::app {

// What is to be done at some time, by the thread that calls RunDue(). Thread-safe: any thread may
// add and cancel. `wake` is called when something comes that is due before all the rest.
class DeadlineQueue {
 public:
  using Key = std::pair<MonotonicTime, std::uint64_t>;

  explicit DeadlineQueue(std::function<void()> wake) : wake_(std::move(wake)) {}

  Key Add(MonotonicTime at, std::function<void()> run);
  // Forgets it, if it has not been run.
  void Cancel(const Key& key);

  // When the next one is due. Empty: nothing waits.
  std::optional<MonotonicTime> Next() const;
  // Runs and forgets what is due at `now`, earliest first.
  void RunDue(MonotonicTime now);

 private:
  const std::function<void()> wake_;
  mutable std::mutex mutex_;
  std::uint64_t added_ = 0;                     // guarded by mutex_
  std::map<Key, std::function<void()>> queue_;  // guarded by mutex_
};

}  // namespace ckpt::app
