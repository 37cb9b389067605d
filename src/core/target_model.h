// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "core/target_state.h"

namespace ckpt {

// All that is computed of one target: takes what polls bring and makes the state to publish.
// Pure: no I/O, no clock, no thread; everything comes with its time. Owned by the thread that
// polls the target.
class TargetModel {
 public:
  explicit TargetModel(std::shared_ptr<const TargetInfo> info) { state_.info = std::move(info); }

  // A connect has succeeded. What was known of another server is forgotten.
  void OnConnect(const ServerIdentity& server, const CapabilitySet& capabilities);
  // A good pulse; `survey` is null when none was made with it.
  void OnPulse(const PulseStats& pulse, std::shared_ptr<const Survey> survey);

  // How polling goes; kept by the caller, told here before each Snapshot().
  void SetHealth(const PollHealth& health) { state_.health = health; }

  // The state as of now, to be shared.
  std::shared_ptr<const TargetState> Snapshot() const {
    return std::make_shared<const TargetState>(state_);
  }

 private:
  TargetState state_;
  Window window_;
};

}  // namespace ckpt
