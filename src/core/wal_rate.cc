// SPDX-License-Identifier: Apache-2.0
#include "core/wal_rate.h"

#include <algorithm>
#include <vector>

#include "core/pulse_times.h"

namespace ckpt {
namespace {

constexpr std::chrono::seconds kSlot{15};
// Pulses closer together than this are one step, so that memory is bounded whatever the interval.
constexpr std::chrono::milliseconds kShortestStep{400};

}  // namespace

void WalRate::Reset() {
  last_position_.reset();
  recent_.clear();
  slots_.clear();
}

void WalRate::Add(std::int64_t position, MonotonicTime now) {
  if (last_position_ && (position < *last_position_ || now - last_time_ > kLong)) Reset();
  if (!last_position_) {
    last_position_ = position;
    last_time_ = now;
    return;
  }
  if (now - last_time_ < kShortestStep) return;
  const Step step{now, static_cast<float>(Seconds(now - last_time_)),
                  static_cast<float>(position - *last_position_)};
  last_position_ = position;
  last_time_ = now;
  recent_.push_back(step);
  while (recent_.size() > 1 && now - recent_.front().end >= kShort) recent_.pop_front();

  if (slots_.empty() || slots_.back().seconds >= static_cast<float>(kSlot.count())) {
    slots_.push_back(step);
  } else {
    Step& slot = slots_.back();
    slot = {now, slot.seconds + step.seconds, slot.bytes + step.bytes};
  }
  while (slots_.size() > 1 && now - slots_.front().end >= kLong) slots_.pop_front();
}

double WalRate::CappedRate(const std::deque<Step>& steps) {
  std::vector<double> rates;
  rates.reserve(steps.size());
  double seconds = 0;
  for (const Step& step : steps) {
    rates.push_back(static_cast<double>(step.bytes) / static_cast<double>(step.seconds));
    seconds += static_cast<double>(step.seconds);
  }
  // With fewer than twenty steps there is no 95th percentile to cap at.
  const auto rank = rates.begin() + static_cast<std::ptrdiff_t>(rates.size() * 95 / 100);
  const auto last = std::prev(rates.end());
  const auto nth = std::min(rank, last);
  std::nth_element(rates.begin(), nth, rates.end());
  const double cap = *nth;
  double bytes = 0;
  for (const Step& step : steps) {
    const double rate = static_cast<double>(step.bytes) / static_cast<double>(step.seconds);
    bytes += std::min(rate, cap) * static_cast<double>(step.seconds);
  }
  return seconds > 0 ? bytes / seconds : 0;
}

OptionalReal WalRate::BytesPerSecond() const {
  if (recent_.empty()) return std::nullopt;
  const double rate = CappedRate(recent_);
  return rate > 0 ? rate : CappedRate(slots_);
}

}  // namespace ckpt
