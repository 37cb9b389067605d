// SPDX-License-Identifier: Apache-2.0
#include "core/advice_rules.h"
#include "core/amounts.h"

namespace ckpt::advice {

void SuggestSize(const AdviceInput& input, const WalSizingInput& from, Finding* finding) {
  const WalSizing size = SizeWal(from);
  finding->sizing = size;
  finding->suggestions.push_back(Set("max_wal_size", SizeSetting(size.recommended_bytes)));
  if (from.wal_bytes_per_second > 0) {
    std::string rate = "WAL rate " + BytesText(from.wal_bytes_per_second) + "/s";
    rate += input.basis == AdviceBasis::kSinceReset
                ? " (mean since the reset)"
                : " (95th percentile over the intervals between checkpoints)";
    finding->evidence.push_back(
        rate + " x checkpoint_timeout " + DurationText(from.checkpoint_timeout) + " x (" +
        (from.major_version <= 10 ? "2" : "1") + " + target " +
        NumberText(from.completion_target, 2) + ")" +
        (size.wal_saved_ratio > 0 ? ", less the full page images saved," : "") + " needs " +
        BytesText(size.need_bytes) + "; max_wal_size is " + BytesText(from.max_wal_size));
  }
  if (size.limited_by == WalSizeLimit::kDisk) {
    finding->evidence.push_back("held to 60 % of wal_disk_size " +
                                BytesText(*from.limits.wal_disk_bytes));
  } else if (size.limited_by == WalSizeLimit::kRecovery) {
    finding->evidence.push_back("held to what can be replayed within recovery_time_objective " +
                                DurationText(*from.limits.recovery_time_objective));
  }
  if (size.wal_saved_ratio > 0.005) {
    finding->evidence.push_back(
        "about " + PercentText(size.wal_saved_ratio) + " of all WAL is saved (at most " +
        PercentText(size.wal_saved_most) + "): longer intervals have fewer full page images");
  }
  finding->cost = "pg_wal takes up to " + BytesText(size.recommended_bytes) +
                  " of disk. After a crash at the worst moment up to " +
                  BytesText(size.replay_bytes) + " of WAL must be replayed";
  if (size.replay_seconds > 0) {
    finding->cost += ", about " + DurationText(size.replay_seconds) +
                     (size.redo_observed ? " at the speed of recoveries seen in the log"
                                         : " if WAL is replayed as fast as it was written (no "
                                           "recovery was seen to measure)");
  }
  finding->cost += ".";
  if (size.limited_by != WalSizeLimit::kNone && size.forced_interval > 0 &&
      size.forced_interval < from.checkpoint_timeout) {
    finding->cost += " At this size WAL still forces a checkpoint about every " +
                     DurationText(size.forced_interval) + ".";
  }
}

}  // namespace ckpt::advice
