// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/target_state.h"

namespace ckpt::app {

// The newest published state of every target, by name. Thread-safe: workers publish, scrapes and
// pages read; both hold the lock for the time of a pointer's copy.
class StateStore {
 public:
  void Publish(std::shared_ptr<const TargetState> state) {
    const std::lock_guard<std::mutex> lock(mutex_);
    states_.insert_or_assign(state->info->name, std::move(state));
  }
  void Remove(std::string_view name) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (const auto found = states_.find(name); found != states_.end()) states_.erase(found);
  }
  // In the order of names, so that expositions are reproducible.
  std::vector<std::shared_ptr<const TargetState>> All() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::vector<std::shared_ptr<const TargetState>> all;
    all.reserve(states_.size());
    for (const auto& [name, state] : states_) all.push_back(state);
    return all;
  }
  // Null: no such target.
  std::shared_ptr<const TargetState> Find(std::string_view name) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = states_.find(name);
    return found == states_.end() ? nullptr : found->second;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const TargetState>, std::less<>> states_;
};

}  // namespace ckpt::app
