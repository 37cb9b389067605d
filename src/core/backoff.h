// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <utility>

namespace ckpt {

// How long to wait between attempts that fail: doubling from `first` up to `most`, each shortened
// by a random part of up to a half, so that many clients of one server that went away do not all
// come back in the same instant. Not thread-safe.
class Backoff {
 public:
  using Milliseconds = std::chrono::milliseconds;
  // Returns a number in [0, 1); evenly spread.
  using RandomSource = std::function<double()>;

  // REQUIRES: 0 < first <= most.
  Backoff(Milliseconds first, Milliseconds most, RandomSource random)
      : first_(first), most_(most), next_(first), random_(std::move(random)) {}

  // The wait before the next attempt: between a half and the whole of the current step.
  Milliseconds Next() {
    const Milliseconds step = next_;
    next_ = step > most_ / 2 ? most_ : step * 2;
    const double kept = 1.0 - 0.5 * std::clamp(random_(), 0.0, 1.0);
    return std::max(Milliseconds(1), std::chrono::duration_cast<Milliseconds>(
                                         std::chrono::duration<double, std::milli>(step) * kept));
  }

  // Call after a success: the next failure starts from `first` again.
  void Reset() { next_ = first_; }

 private:
  Milliseconds first_;
  Milliseconds most_;
  Milliseconds next_;
  RandomSource random_;
};

}  // namespace ckpt
