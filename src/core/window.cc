// SPDX-License-Identifier: Apache-2.0
#include "core/window.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ckpt {
namespace {

constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();

// Counters that one reset zeroes together.
enum Group : std::size_t { kCheckpointer, kBgwriter, kWal, kMix, kOther, kPosition };

constexpr std::array<Group, kWindowCounterCount> kGroupOf{
    kCheckpointer, kCheckpointer, kCheckpointer, kCheckpointer, kCheckpointer, kCheckpointer,
    kBgwriter,     kBgwriter,     kBgwriter,     kBgwriter,     kWal,          kWal,
    kWal,          kWal,          kWal,          kPosition,     kMix,          kMix,
    kMix,          kOther,        kOther,
};

constexpr std::size_t Index(WindowCounter counter) { return static_cast<std::size_t>(counter); }

template <class T>
double OrAbsent(const std::optional<T>& value) {
  return value ? static_cast<double>(*value) : kAbsent;
}

bool Changed(const OptionalReal& before, const OptionalReal& after) {
  return before.has_value() != after.has_value() || (before && *before != *after);
}

// The server's clock and ours may drift apart; a jump of this much between two pulses is somebody
// setting a clock, or a machine that slept.
constexpr double kClockStepSeconds = 5;

}  // namespace

void Window::Break(std::size_t group) {
  ++latest_.generation[group];
  // The mixture compares three views, so a break of any of them is a break of it.
  if (group == kCheckpointer || group == kBgwriter) ++latest_.generation[kMix];
}

void Window::BreakAll() {
  for (std::uint32_t& generation : latest_.generation) ++generation;
}

void Window::Add(const ServerIdentity& server, const PulseStats& pulse, const SurveyStats* survey) {
  Sample sample = latest_;  // keeps what only surveys tell
  sample.at = pulse.taken.monotonic;
  const auto set = [&sample](WindowCounter counter, double value) {
    sample.values[Index(counter)] = value;
  };
  if (!has_latest_) sample.values.fill(kAbsent);
  using C = WindowCounter;
  set(C::kCheckpointsTimed, OrAbsent(pulse.checkpoints_timed));
  set(C::kCheckpointsRequested, OrAbsent(pulse.checkpoints_requested));
  set(C::kCheckpointsDone, OrAbsent(pulse.checkpoints_done));
  set(C::kWriteSeconds, OrAbsent(pulse.write_seconds));
  set(C::kSyncSeconds, OrAbsent(pulse.sync_seconds));
  set(C::kBuffersCheckpointer, OrAbsent(pulse.buffers_checkpointer));
  set(C::kBuffersBgwriter, OrAbsent(pulse.buffers_bgwriter));
  set(C::kMaxwrittenClean, OrAbsent(pulse.maxwritten_clean));
  set(C::kBuffersAllocated, OrAbsent(pulse.buffers_allocated));
  if (pulse.backend_fsyncs) set(C::kBackendFsyncs, OrAbsent(pulse.backend_fsyncs));
  set(C::kWalRecords, OrAbsent(pulse.wal_records));
  set(C::kWalFpi, OrAbsent(pulse.wal_fpi));
  set(C::kWalBytes, OrAbsent(pulse.wal_bytes));
  set(C::kWalFpiBytes, OrAbsent(pulse.wal_fpi_bytes));
  set(C::kWalBuffersFull, OrAbsent(pulse.wal_buffers_full));
  set(C::kWalPosition, OrAbsent(pulse.insert_lsn ? pulse.insert_lsn : pulse.replay_lsn));
  const OptionalInt backend = pulse.buffers_backend
                                  ? pulse.buffers_backend
                                  : (survey != nullptr ? survey->backend_writes : std::nullopt);
  if (backend) {
    set(C::kMixCheckpointer, OrAbsent(pulse.buffers_checkpointer));
    set(C::kMixBgwriter, OrAbsent(pulse.buffers_bgwriter));
    set(C::kMixBackend, OrAbsent(backend));
  }
  if (survey != nullptr) {
    set(C::kCommits, OrAbsent(survey->commits));
    set(C::kArchiveFailures, OrAbsent(survey->archive_failures));
    if (survey->backend_fsyncs) set(C::kBackendFsyncs, OrAbsent(survey->backend_fsyncs));
  }

  std::array<OptionalReal, kGroups> resets = resets_;
  resets[kCheckpointer] = pulse.checkpointer_stats_reset;
  resets[kBgwriter] = pulse.bgwriter_stats_reset;
  resets[kWal] = pulse.wal_stats_reset;
  if (pulse.buffers_backend) resets[kMix] = pulse.bgwriter_stats_reset;
  if (survey != nullptr && survey->io_stats_reset) resets[kMix] = survey->io_stats_reset;

  if (has_latest_) {
    const double elapsed = std::chrono::duration<double>(sample.at - latest_.at).count();
    const bool clock_stepped =
        pulse.server_time && server_time_ &&
        std::abs(*pulse.server_time - *server_time_ - elapsed) > kClockStepSeconds;
    std::array<bool, kGroups> broken{};
    broken.fill(!(server == server_) || clock_stepped);
    for (std::size_t group = 0; group < kGroups; ++group) {
      // The mixture's reset time is first known with the first survey; that is no reset.
      if (resets_[group] && Changed(resets_[group], resets[group])) broken[group] = true;
    }
    for (std::size_t i = 0; i < kWindowCounterCount; ++i) {
      if (sample.values[i] < latest_.values[i]) broken[kGroupOf[i]] = true;
    }
    for (std::size_t group = 0; group < kGroups; ++group) {
      if (broken[group]) Break(group);
    }
  }
  sample.generation = latest_.generation;
  latest_ = sample;
  has_latest_ = true;
  server_ = server;
  resets_ = resets;
  server_time_ = pulse.server_time;

  for (Tier& tier : tiers_) {
    if (tier.samples.empty() || sample.at - tier.samples.back().at >= tier.step) {
      tier.samples.push_back(sample);
    }
    while (sample.at - tier.samples.front().at > tier.length) tier.samples.pop_front();
  }
}

const Window::Sample* Window::Oldest(WindowCounter counter, std::chrono::seconds length) const {
  if (!has_latest_) return nullptr;
  const std::size_t index = Index(counter);
  const Tier& tier = length <= tiers_[0].length ? tiers_[0] : tiers_[1];
  const auto stands = [&](const Sample& sample) {
    return sample.at < latest_.at && latest_.at - sample.at <= length &&
           sample.generation[kGroupOf[index]] == latest_.generation[kGroupOf[index]] &&
           !std::isnan(sample.values[index]);
  };
  const auto found = std::find_if(tier.samples.begin(), tier.samples.end(), stands);
  if (found != tier.samples.end()) return &*found;
  // The coarse tier may have nothing yet since a break that the fine one has seen.
  const auto fine = std::find_if(tiers_[0].samples.begin(), tiers_[0].samples.end(), stands);
  return fine != tiers_[0].samples.end() ? &*fine : nullptr;
}

std::optional<double> Window::Delta(WindowCounter counter, std::chrono::seconds length) const {
  const Sample* oldest = Oldest(counter, length);
  if (oldest == nullptr || std::isnan(latest_.values[Index(counter)])) return std::nullopt;
  return latest_.values[Index(counter)] - oldest->values[Index(counter)];
}

std::optional<double> Window::Span(WindowCounter counter, std::chrono::seconds length) const {
  const Sample* oldest = Oldest(counter, length);
  if (oldest == nullptr) return std::nullopt;
  return std::chrono::duration<double>(latest_.at - oldest->at).count();
}

std::optional<double> Window::Total(WindowCounter counter) const {
  const double value = latest_.values[Index(counter)];
  if (!has_latest_ || std::isnan(value)) return std::nullopt;
  return value;
}

bool Window::SameReset(WindowCounter a, WindowCounter b) const {
  const OptionalReal& first = resets_[kGroupOf[Index(a)]];
  const OptionalReal& second = resets_[kGroupOf[Index(b)]];
  return first && second && std::abs(*first - *second) <= 2;
}

}  // namespace ckpt
