// SPDX-License-Identifier: Apache-2.0
#include "core/window.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ckpt {
namespace {

constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();

// Counters that one reset zeroes together.
enum Group : std::size_t {
  kCheckpointer,
  kBgwriter,
  kBackendFsync,  // to 16 of pg_stat_bgwriter, later of pg_stat_io
  kWal,
  kMix,
  kDatabase,
  kArchiver,
  kPosition
};

using C = WindowCounter;
constexpr std::size_t Index(WindowCounter counter) { return static_cast<std::size_t>(counter); }

// TABLE: one row a counter.
struct CounterGroup {
  WindowCounter counter;
  Group group;
};
constexpr std::array<CounterGroup, kWindowCounterCount> kCounterGroups{{
    {C::kCheckpointsTimed, kCheckpointer},
    {C::kCheckpointsRequested, kCheckpointer},
    {C::kCheckpointsDone, kCheckpointer},
    {C::kWriteSeconds, kCheckpointer},
    {C::kSyncSeconds, kCheckpointer},
    {C::kBuffersCheckpointer, kCheckpointer},
    {C::kBuffersBgwriter, kBgwriter},
    {C::kMaxwrittenClean, kBgwriter},
    {C::kBuffersAllocated, kBgwriter},
    {C::kBackendFsyncs, kBackendFsync},
    {C::kWalRecords, kWal},
    {C::kWalFpi, kWal},
    {C::kWalBytes, kWal},
    {C::kWalFpiBytes, kWal},
    {C::kWalBuffersFull, kWal},
    {C::kWalPosition, kPosition},
    {C::kMixCheckpointer, kMix},
    {C::kMixBgwriter, kMix},
    {C::kMixBackend, kMix},
    {C::kCommits, kDatabase},
    {C::kArchiveFailures, kArchiver},
}};
constexpr bool InOrder() {
  for (std::size_t i = 0; i < kCounterGroups.size(); ++i) {
    if (Index(kCounterGroups[i].counter) != i) return false;
  }
  return true;
}
static_assert(InOrder(), "kCounterGroups must be in the order of the enumerators");

constexpr std::size_t GroupOf(WindowCounter counter) {
  return kCounterGroups[Index(counter)].group;
}

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

void Window::Add(const ServerIdentity& server, const PulseStats& pulse, const SurveyStats* survey) {
  Sample sample = latest_;  // keeps what only surveys tell
  sample.at = pulse.taken.monotonic;
  std::array<bool, kWindowCounterCount> told{};
  const auto set = [&](WindowCounter counter, double value) {
    sample.values[Index(counter)] = value;
    told[Index(counter)] = true;
  };
  if (!has_latest_) sample.values.fill(kAbsent);
  set(C::kCheckpointsTimed, OrAbsent(pulse.checkpoints_timed));
  set(C::kCheckpointsRequested, OrAbsent(pulse.checkpoints_requested));
  set(C::kCheckpointsDone, OrAbsent(pulse.checkpoints_done));
  set(C::kWriteSeconds, OrAbsent(pulse.write_seconds));
  set(C::kSyncSeconds, OrAbsent(pulse.sync_seconds));
  set(C::kBuffersCheckpointer, OrAbsent(pulse.buffers_checkpointer));
  set(C::kBuffersBgwriter, OrAbsent(pulse.buffers_bgwriter));
  set(C::kMaxwrittenClean, OrAbsent(pulse.maxwritten_clean));
  set(C::kBuffersAllocated, OrAbsent(pulse.buffers_allocated));
  set(C::kWalRecords, OrAbsent(pulse.wal_records));
  set(C::kWalFpi, OrAbsent(pulse.wal_fpi));
  set(C::kWalBytes, OrAbsent(pulse.wal_bytes));
  set(C::kWalFpiBytes, OrAbsent(pulse.wal_fpi_bytes));
  set(C::kWalBuffersFull, OrAbsent(pulse.wal_buffers_full));
  set(C::kWalPosition, OrAbsent(pulse.insert_lsn ? pulse.insert_lsn : pulse.replay_lsn));
  const OptionalInt backend = pulse.buffers_backend
                                  ? pulse.buffers_backend
                                  : (survey != nullptr ? survey->backend_writes : std::nullopt);
  if (backend || survey != nullptr) {
    set(C::kMixCheckpointer, OrAbsent(pulse.buffers_checkpointer));
    set(C::kMixBgwriter, OrAbsent(pulse.buffers_bgwriter));
    set(C::kMixBackend, OrAbsent(backend));
  }
  const OptionalInt fsyncs = pulse.backend_fsyncs
                                 ? pulse.backend_fsyncs
                                 : (survey != nullptr ? survey->backend_fsyncs : std::nullopt);
  if (fsyncs || survey != nullptr) set(C::kBackendFsyncs, OrAbsent(fsyncs));
  if (survey != nullptr) {
    set(C::kCommits, OrAbsent(survey->commits));
    set(C::kArchiveFailures, OrAbsent(survey->archive_failures));
  }

  std::array<OptionalReal, kGroups> resets = resets_;
  resets[kCheckpointer] = pulse.checkpointer_stats_reset;
  resets[kBgwriter] = pulse.bgwriter_stats_reset;
  resets[kWal] = pulse.wal_stats_reset;
  if (pulse.buffers_backend) {
    resets[kMix] = pulse.bgwriter_stats_reset;
  } else if (survey != nullptr) {
    resets[kMix] = survey->io_stats_reset;
  }
  if (pulse.backend_fsyncs) {
    resets[kBackendFsync] = pulse.bgwriter_stats_reset;
  } else if (survey != nullptr) {
    resets[kBackendFsync] = survey->io_stats_reset;
  }
  if (survey != nullptr) {
    resets[kArchiver] = survey->archiver_stats_reset;
    // From 15 empty until the first reset, which must be seen as one.
    resets[kDatabase] = survey->database_stats_reset.value_or(0);
  }

  if (has_latest_) {
    const double elapsed = std::chrono::duration<double>(sample.at - latest_.at).count();
    const bool clock_stepped =
        pulse.server_time && server_time_ &&
        std::abs(*pulse.server_time - *server_time_ - elapsed) > kClockStepSeconds;
    std::array<bool, kGroups> broken{};
    broken.fill(!(server == server_) || clock_stepped);
    for (std::size_t group = 0; group < kGroups; ++group) {
      // What surveys tell is first known with the first survey; that is no reset.
      if (resets_[group] && Changed(resets_[group], resets[group])) broken[group] = true;
    }
    for (std::size_t i = 0; i < kWindowCounterCount; ++i) {
      const bool lost = std::isnan(sample.values[i]) && !std::isnan(latest_.values[i]);
      if (lost || sample.values[i] < latest_.values[i]) broken[kCounterGroups[i].group] = true;
    }
    // The mixture compares three views, so a break of any of them is a break of it.
    if (broken[kCheckpointer] || broken[kBgwriter]) broken[kMix] = true;
    for (std::size_t group = 0; group < kGroups; ++group) {
      if (broken[group]) ++sample.generation[group];
    }
    // A survey's value of before the break must not be the first one after it.
    for (std::size_t i = 0; i < kWindowCounterCount; ++i) {
      if (broken[kCounterGroups[i].group] && !told[i]) sample.values[i] = kAbsent;
      if (broken[kCounterGroups[i].group]) since_break_[i].reset();
    }
  }
  for (std::size_t i = 0; i < kWindowCounterCount; ++i) {
    if (!since_break_[i] && !std::isnan(sample.values[i])) {
      since_break_[i] = Point{sample.at, sample.values[i]};
    }
  }
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

std::optional<Window::Point> Window::Oldest(WindowCounter counter,
                                            std::chrono::seconds length) const {
  const std::size_t index = Index(counter);
  if (!has_latest_ || !since_break_[index] || std::isnan(latest_.values[index])) {
    return std::nullopt;
  }
  if (latest_.at - since_break_[index]->at <= length) {
    return since_break_[index]->at < latest_.at ? since_break_[index] : std::nullopt;
  }
  const Tier& tier = length <= tiers_[0].length ? tiers_[0] : tiers_[1];
  for (const Sample& sample : tier.samples) {
    const bool stands =
        sample.at < latest_.at && latest_.at - sample.at <= length &&
        sample.generation[GroupOf(counter)] == latest_.generation[GroupOf(counter)] &&
        !std::isnan(sample.values[index]);
    if (stands) return Point{sample.at, sample.values[index]};
  }
  return std::nullopt;
}

std::optional<double> Window::Delta(WindowCounter counter, std::chrono::seconds length) const {
  const std::optional<Point> oldest = Oldest(counter, length);
  if (!oldest) return std::nullopt;
  return latest_.values[Index(counter)] - oldest->value;
}

std::optional<double> Window::Span(WindowCounter counter, std::chrono::seconds length) const {
  const std::optional<Point> oldest = Oldest(counter, length);
  if (!oldest) return std::nullopt;
  return std::chrono::duration<double>(latest_.at - oldest->at).count();
}

std::optional<double> Window::Total(WindowCounter counter) const {
  const double value = latest_.values[Index(counter)];
  if (!has_latest_ || std::isnan(value)) return std::nullopt;
  return value;
}

bool Window::SameReset(WindowCounter a, WindowCounter b) const {
  const OptionalReal& first = resets_[GroupOf(a)];
  const OptionalReal& second = resets_[GroupOf(b)];
  return first && second && std::abs(*first - *second) <= 2;
}

}  // namespace ckpt
