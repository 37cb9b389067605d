// SPDX-License-Identifier: Apache-2.0
#include "core/event_ring.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace ckpt {
namespace {

constexpr double kTick = 1e-4;  // seconds

// TABLES: the optional members of an event by the way they are kept. A member's bit in `present` is
// its place in these lists, one after the other.
using E = CheckpointEvent;
constexpr std::array kTimes = {&E::start, &E::end};
constexpr std::array kDurations = {&E::write_seconds, &E::sync_seconds, &E::total_seconds,
                                   &E::longest_sync_seconds, &E::average_sync_seconds};
constexpr std::array kReals = {&E::buffers_ratio};
constexpr std::array kSmall = {&E::buffers_written,   &E::slru_buffers_written, &E::wal_files_added,
                               &E::wal_files_removed, &E::wal_files_recycled,   &E::sync_files};
constexpr std::array kLarge = {&E::distance_bytes, &E::estimate_bytes, &E::lsn, &E::redo_lsn};

template <class Members, class Values, class Convert>
void Store(const E& event, const Members& members, Values* values, std::uint32_t* present,
           unsigned* bit, Convert convert) {
  for (std::size_t i = 0; i < members.size(); ++i, ++*bit) {
    const auto& member = event.*members[i];
    if (!member) continue;
    *present |= 1U << *bit;
    (*values)[i] = convert(*member);
  }
}

template <class Members, class Values, class Convert>
void Load(E* event, const Members& members, const Values& values, std::uint32_t present,
          unsigned* bit, Convert convert) {
  for (std::size_t i = 0; i < members.size(); ++i, ++*bit) {
    if ((present & (1U << *bit)) != 0) event->*members[i] = convert(values[i]);
  }
}

std::uint32_t Clamp32(double value) {
  constexpr double kMost = std::numeric_limits<std::uint32_t>::max();
  return static_cast<std::uint32_t>(std::clamp(value, 0.0, kMost));
}

}  // namespace

struct EventRing::Packed {
  std::uint64_t id = 0;
  std::array<double, kTimes.size()> times{};
  std::array<std::int64_t, kLarge.size()> large{};
  std::array<std::uint32_t, kSmall.size()> small{};
  std::array<std::uint32_t, kDurations.size()> durations{};
  std::array<float, kReals.size()> reals{};
  std::uint32_t present = 0;
  std::int32_t coalesced = 1;
  EventKind kind = EventKind::kCheckpoint;
  Reason reason = Reason::kRequest;
  EventOrigin origin = EventOrigin::kStats;
  bool failed = false;
  CheckpointFlags flags;
};

struct EventRing::Chunk {
  std::vector<Packed> events;
};

EventRing::Packed EventRing::Pack(const StoredEvent& stored) {
  const E& event = stored.event;
  Packed packed;
  packed.id = stored.id;
  packed.coalesced = event.coalesced;
  packed.kind = event.kind;
  packed.reason = event.reason;
  packed.origin = event.origin;
  packed.failed = event.failed;
  packed.flags = event.flags;
  unsigned bit = 0;
  const auto same = [](auto value) { return value; };
  Store(event, kTimes, &packed.times, &packed.present, &bit, same);
  Store(event, kDurations, &packed.durations, &packed.present, &bit,
        [](double value) { return Clamp32(std::round(value / kTick)); });
  Store(event, kReals, &packed.reals, &packed.present, &bit,
        [](double value) { return static_cast<float>(value); });
  Store(event, kSmall, &packed.small, &packed.present, &bit,
        [](std::int64_t value) { return Clamp32(static_cast<double>(value)); });
  Store(event, kLarge, &packed.large, &packed.present, &bit, same);
  return packed;
}

StoredEvent EventRing::Unpack(const Packed& packed) {
  StoredEvent stored;
  E& event = stored.event;
  stored.id = packed.id;
  event.coalesced = packed.coalesced;
  event.kind = packed.kind;
  event.reason = packed.reason;
  event.origin = packed.origin;
  event.failed = packed.failed;
  event.flags = packed.flags;
  unsigned bit = 0;
  const auto same = [](auto value) { return value; };
  Load(&event, kTimes, packed.times, packed.present, &bit, same);
  // Divided, not multiplied: 35.232 comes back as the nearest double to 35.232.
  Load(&event, kDurations, packed.durations, packed.present, &bit,
       [](std::uint32_t value) { return static_cast<double>(value) / (1 / kTick); });
  Load(&event, kReals, packed.reals, packed.present, &bit,
       [](float value) { return static_cast<double>(value); });
  Load(&event, kSmall, packed.small, packed.present, &bit,
       [](std::uint32_t value) { return static_cast<std::int64_t>(value); });
  Load(&event, kLarge, packed.large, packed.present, &bit, same);
  return stored;
}

void EventRing::Append(const StoredEvent& stored) {
  if (chunks_.empty() || chunks_.back()->events.size() >= kChunk) {
    auto chunk = std::make_shared<Chunk>();
    chunk->events.push_back(Pack(stored));
    chunks_.push_back(std::move(chunk));
  } else {
    // Others may be reading the chunk, so it is replaced, not changed.
    auto chunk = std::make_shared<Chunk>();
    chunk->events.reserve(chunks_.back()->events.size() + 1);
    chunk->events = chunks_.back()->events;
    chunk->events.push_back(Pack(stored));
    chunks_.back() = std::move(chunk);
  }
  ++size_;
  while (chunks_.size() > 1 && size_ - chunks_.front()->events.size() >= capacity_) {
    size_ -= chunks_.front()->events.size();
    chunks_.erase(chunks_.begin());
  }
}

bool EventRing::Replace(const StoredEvent& stored) {
  for (auto& chunk : chunks_) {
    const auto& events = chunk->events;
    const auto found = std::find_if(events.begin(), events.end(),
                                    [&stored](const Packed& each) { return each.id == stored.id; });
    if (found == events.end()) continue;
    auto copy = std::make_shared<Chunk>(*chunk);
    copy->events[static_cast<std::size_t>(found - events.begin())] = Pack(stored);
    chunk = std::move(copy);
    return true;
  }
  return false;
}

std::vector<StoredEvent> EventRing::Recent(std::size_t most) const {
  const std::size_t wanted = std::min(most, std::min(size_, capacity_));
  std::size_t skip = size_ - wanted;
  std::vector<StoredEvent> out;
  out.reserve(wanted);
  for (const auto& chunk : chunks_) {
    for (const Packed& packed : chunk->events) {
      if (skip > 0) {
        --skip;
        continue;
      }
      out.push_back(Unpack(packed));
    }
  }
  return out;
}

std::size_t EventRing::Bytes() const {
  std::size_t bytes = sizeof(*this) + chunks_.capacity() * sizeof(chunks_[0]);
  for (const auto& chunk : chunks_) {
    bytes += sizeof(Chunk) + 2 * sizeof(void*) + chunk->events.capacity() * sizeof(Packed);
  }
  return bytes;
}

}  // namespace ckpt
