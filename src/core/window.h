// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>

#include "core/server_identity.h"
#include "core/stats.h"

namespace ckpt {

// Counters of a server that windows keep. One line each in kCounterGroups (window.cc), which says
// whose reset time it obeys.
enum class WindowCounter : std::uint8_t {
  kCheckpointsTimed,
  kCheckpointsRequested,
  kCheckpointsDone,
  kWriteSeconds,
  kSyncSeconds,
  kBuffersCheckpointer,
  kBuffersBgwriter,
  kMaxwrittenClean,
  kBuffersAllocated,
  kBackendFsyncs,
  kWalRecords,
  kWalFpi,
  kWalBytes,
  kWalFpiBytes,
  kWalBuffersFull,
  kWalPosition,  // insert position, on a standby the replay position
  // Who wrote, all three taken at the same moment, so that their shares are right.
  kMixCheckpointer,
  kMixBgwriter,
  kMixBackend,
  kCommits,
  kArchiveFailures,
};
inline constexpr std::size_t kWindowCounterCount = 21;

// The windows over which ratios are told; the value of the label `window`.
enum class WindowLength : std::uint8_t { kFiveMinutes, kOneHour, kSinceReset };
inline constexpr WindowLength kWindowLengths[] = {
    WindowLength::kFiveMinutes, WindowLength::kOneHour, WindowLength::kSinceReset};
constexpr std::string_view WindowLengthLabel(WindowLength length) {
  switch (length) {
    case WindowLength::kFiveMinutes: return "5m";
    case WindowLength::kOneHour: return "1h";
    case WindowLength::kSinceReset: return "since_reset";
  }
  return "";
}

// The recent past of a server's counters, small and in two tiers: every 5 s for five minutes, every
// minute for an hour; about 25 kB.
//
// A counter that goes down, a changed reset time of its view, a restart (postmaster start), another
// system identifier, or a server clock that leaves its pace ends the window for the counters
// concerned, and so does a value that is reported no more: what came before is not compared with
// what comes after, so no answer is ever negative or spans a break. What only surveys tell is
// unknown from a break to the next survey.
//
// Not thread-safe: owned by the thread that polls. Needs no clock: samples carry their times.
class Window {
 public:
  // Takes a pulse and, when one was made with it, a survey. Samples must come in order of time.
  void Add(const ServerIdentity& server, const PulseStats& pulse, const SurveyStats* survey);

  // How much the counter rose since the break or the beginning or, where that is longer ago, over
  // the last `length`; short of that by less than a step of the tier (5 s, for more than five
  // minutes 60 s). Empty when this server does not report it or fewer than two samples stand since
  // then. `length` is up to an hour.
  std::optional<double> Delta(WindowCounter counter, std::chrono::seconds length) const;

  // The time that Delta(counter, length) covers, in seconds.
  std::optional<double> Span(WindowCounter counter, std::chrono::seconds length) const;

  // The counter now, since its view's reset. Empty: not reported.
  std::optional<double> Total(WindowCounter counter) const;

  // Whether the views behind `a` and `b` were last reset at the same moment (within 2 s), so that
  // their totals can be compared.
  bool SameReset(WindowCounter a, WindowCounter b) const;

 private:
  static constexpr std::size_t kGroups = 8;
  struct Sample {
    MonotonicTime at{};
    std::array<double, kWindowCounterCount> values{};  // NaN: not reported
    std::array<std::uint32_t, kGroups> generation{};
  };
  struct Tier {
    std::chrono::seconds step;
    std::chrono::seconds length;
    std::deque<Sample> samples;
  };

  struct Point {
    MonotonicTime at{};
    double value = 0;
  };

  std::optional<Point> Oldest(WindowCounter counter, std::chrono::seconds length) const;

  Sample latest_;
  bool has_latest_ = false;
  // Where each counter stood when it was first told since its last break: nothing that happens soon
  // after a break is lost between two steps of a tier.
  std::array<std::optional<Point>, kWindowCounterCount> since_break_{};
  ServerIdentity server_;
  std::array<OptionalReal, kGroups> resets_{};
  OptionalReal server_time_;
  std::array<Tier, 2> tiers_{{{std::chrono::seconds(5), std::chrono::minutes(5), {}},
                              {std::chrono::seconds(60), std::chrono::hours(1), {}}}};
};

}  // namespace ckpt
