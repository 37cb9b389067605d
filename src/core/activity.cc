// SPDX-License-Identifier: Apache-2.0
#include "core/activity.h"

namespace ckpt {
namespace {

constexpr int kNewest = VersionRange::kNewest;
constexpr VersionRange kTo12{10, 12};
constexpr VersionRange kTo15{10, 15};
constexpr VersionRange kTo16{10, 16};
constexpr VersionRange kFrom14{14, kNewest};
constexpr VersionRange kFrom16{16, kNewest};
constexpr VersionRange kFrom17{17, kNewest};
constexpr VersionRange kFrom18{18, kNewest};

constexpr auto kWaits = std::to_array<CheckpointerWait>({
    {"CheckpointerMain", Phase::kIdle},
    {"CheckpointerShutdown", Phase::kShutdown, kFrom18},

    // Before the buffers: sessions in their commit, slots, logical decoding's files.
    {"CheckpointDelayStart", Phase::kWrite, kFrom17},
    {"ReplicationSlotRestoreSync", Phase::kWrite},
    {"ReplicationSlotSync", Phase::kWrite},
    {"ReplicationSlotWrite", Phase::kWrite, kFrom17},
    {"SnapbuildSync", Phase::kWrite},
    {"LogicalRewriteCheckpointSync", Phase::kWrite},
    {"RelationMapSync", Phase::kWrite, kTo15},
    {"RelationMapReplace", Phase::kWrite, kFrom16},
    // The buffers.
    {"CheckpointWriteDelay", Phase::kWrite, kFrom14},
    {"DataFileWrite", Phase::kWrite},
    {"DataFileFlush", Phase::kWrite},
    {"DataFileExtend", Phase::kWrite},
    {"SLRUWrite", Phase::kWrite, kTo16},
    {"SlruWrite", Phase::kWrite, kFrom17},
    // To 12 each SLRU is flushed on its own, before the buffers are written.
    {"SLRUFlushSync", Phase::kWrite, kTo12},

    {"DataFileSync", Phase::kSync},
    {"DataFileImmediateSync", Phase::kSync},
    {"SLRUSync", Phase::kSync, kTo16},
    {"SlruSync", Phase::kSync, kFrom17},
    {"SLRUFlushSync", Phase::kSync, {13, 16}},
    {"SlruFlushSync", Phase::kSync, kFrom17},

    {"CheckpointDelayComplete", Phase::kFinish, kFrom17},
    {"TwophaseFileSync", Phase::kFinish},
    {"TwophaseFileWrite", Phase::kFinish, kFrom17},
    {"ControlFileSync", Phase::kFinish},
    {"ControlFileSyncUpdate", Phase::kFinish},
    {"ControlFileWrite", Phase::kFinish},
    {"ControlFileWriteUpdate", Phase::kFinish},
    {"WALInitSync", Phase::kFinish, kTo16},
    {"WALInitWrite", Phase::kFinish, kTo16},
    {"WalInitSync", Phase::kFinish, kFrom17},
    {"WalInitWrite", Phase::kFinish, kFrom17},
});

constexpr bool Disjoint() {
  for (std::size_t i = 0; i < kWaits.size(); ++i) {
    for (std::size_t j = i + 1; j < kWaits.size(); ++j) {
      if (kWaits[i].wait_event == kWaits[j].wait_event &&
          kWaits[i].versions.Overlaps(kWaits[j].versions)) {
        return false;
      }
    }
  }
  return true;
}
static_assert(Disjoint(), "a wait event of one version has two phases");

}  // namespace

std::span<const CheckpointerWait> CheckpointerWaits() { return kWaits; }

Activity ReadActivity(const PulseStats& pulse, ServerVersion version, Phase previous) {
  if (!pulse.checkpointer_pid) return {};
  if (pulse.checkpointer_wait_event) {
    for (const CheckpointerWait& wait : kWaits) {
      if (wait.wait_event == *pulse.checkpointer_wait_event && wait.versions.Contains(version)) {
        return {wait.phase, wait.phase != Phase::kIdle && wait.phase != Phase::kShutdown};
      }
    }
  }
  const bool was_working =
      previous == Phase::kWrite || previous == Phase::kSync || previous == Phase::kFinish;
  return {was_working ? previous : Phase::kWrite, true};
}

}  // namespace ckpt
