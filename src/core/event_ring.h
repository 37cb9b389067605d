// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/checkpoint_event.h"

namespace ckpt {

struct StoredEvent {
  std::uint64_t id = 0;
  CheckpointEvent event;
};

// The last events of a target, packed: about 130 bytes each. Durations are kept to 0.1 ms.
// A value: copies share their chunks, so that a copy costs a few pointers; a copy may be read in
// any thread while the original goes on.
class EventRing {
 public:
  explicit EventRing(std::size_t capacity = 500) : capacity_(capacity) {}

  // Drops the oldest chunk when there are more than `capacity` events without it.
  void Append(const StoredEvent& stored);
  // Replaces the event of this id. False: it is no longer there.
  bool Replace(const StoredEvent& stored);

  std::size_t size() const { return size_; }
  // The newest `most`, oldest first.
  std::vector<StoredEvent> Recent(std::size_t most) const;
  // Memory of what the ring holds, by counting.
  std::size_t Bytes() const;

 private:
  struct Packed;
  struct Chunk;
  static constexpr std::size_t kChunk = 25;
  static Packed Pack(const StoredEvent& stored);
  static StoredEvent Unpack(const Packed& packed);

  std::size_t capacity_;
  std::size_t size_ = 0;
  std::vector<std::shared_ptr<const Chunk>> chunks_;
};

}  // namespace ckpt
