// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "core/advice_rules.h"
#include "core/amounts.h"

namespace ckpt::advice {
namespace {

constexpr double kMegabyte = 1024.0 * 1024.0;
constexpr double kLongTimeout = 900;
constexpr double kHighFpi = 0.5;
constexpr double kDiskTooFull = 0.8;

bool CompressesWal(const AdviceInput& input) {
  return input.settings.wal_compression && *input.settings.wal_compression != "off";
}

// lz4 is much cheaper than pglz and is built into the packages of all distributions; where it is
// not, ALTER SYSTEM refuses it.
Suggestion CompressWal(const AdviceInput& input) {
  return Set("wal_compression", input.server.version.major() >= 15 ? "lz4" : "on");
}

// WAL that somebody keeps: then its size on disk says nothing of max_wal_size.
bool HeldBySlot(const AdviceInput& input) {
  const double size = input.settings.max_wal_size.value_or(0);
  return size > 0 && !input.slots.empty() && input.slots.front().retained_bytes > size;
}

bool ArchiverFails(const AdviceInput& input) {
  if (!input.archive_failing) return false;
  return input.basis == AdviceBasis::kSinceReset || input.archive_failures.value_or(0) > 0;
}

Finding ExplainForced(const AdviceInput& input) {
  const CheckpointFacts& facts = input.checkpoints;
  Finding finding;
  finding.message =
      "WAL volume forces checkpoints before checkpoint_timeout: max_wal_size is too "
      "small for this load.";
  finding.evidence.push_back(CountText(input, Reason::kWal));
  if (facts.mean_interval && input.settings.checkpoint_timeout) {
    finding.evidence.push_back("a checkpoint begins every " + DurationText(*facts.mean_interval) +
                               " on average; checkpoint_timeout is " +
                               DurationText(*input.settings.checkpoint_timeout));
  }
  finding.confidence = ReasonConfidence(input);
  const WalSizingInput sizing = *input.Sizing();
  const WalSizing size = SizeWal(sizing);
  if (size.recommended_bytes > sizing.max_wal_size) {
    SuggestSize(input, sizing, &finding);
  } else {
    finding.message += " The limits that are configured allow no larger one.";
  }
  if (size.limited_by != WalSizeLimit::kNone && !CompressesWal(input)) {
    finding.suggestions.push_back(CompressWal(input));
    finding.cost += finding.cost.empty() ? "" : " ";
    finding.cost += "Compression of WAL takes CPU time in each backend that writes it.";
  }
  if (HeldBySlot(input)) {
    finding.evidence.push_back("slot " + input.slots.front().name + " keeps " +
                               BytesText(input.slots.front().retained_bytes) +
                               " of WAL beside: see wal_held_by_slot");
  }
  return finding;
}

bool RecoveryTooLong(const AdviceInput& input) {
  const std::optional<WalSizingInput> sizing = input.Sizing();
  return sizing && input.limits.recovery_time_objective &&
         input.redo_bytes_per_second.value_or(0) > 0 && input.checkpoints.Enough() &&
         WorstReplayBytes(sizing->max_wal_size, *sizing) >
             *input.limits.recovery_time_objective * *input.redo_bytes_per_second;
}

Finding ExplainRecovery(const AdviceInput& input) {
  const WalSizingInput sizing = *input.Sizing();
  const double redo = *input.redo_bytes_per_second;
  const double worst = WorstReplayBytes(sizing.max_wal_size, sizing);
  Finding finding;
  finding.message = "Recovery after a crash can take " + DurationText(worst / redo) +
                    ", longer than the objective of " +
                    DurationText(*input.limits.recovery_time_objective) + ".";
  finding.evidence.push_back("up to " + BytesText(worst) + " of WAL to replay at " +
                             BytesText(redo) + "/s, the speed of recoveries seen in the log");
  WalSizingInput from = sizing;
  from.at_least = sizing.max_wal_size;  // the objective alone decides how far down
  SuggestSize(input, from, &finding);
  finding.cost =
      "Checkpoints come more often, so more full page images are written. " + finding.cost;
  finding.confidence = "Good: redo was measured on this server, though by another load.";
  return finding;
}

bool ExceedsDisk(const AdviceInput& input) {
  return input.limits.wal_disk_bytes && input.settings.max_wal_size &&
         *input.settings.max_wal_size > kDiskTooFull * *input.limits.wal_disk_bytes;
}

Finding ExplainDisk(const AdviceInput& input) {
  Finding finding;
  finding.message =
      "max_wal_size is too large for the disk of pg_wal: a full disk stops the server.";
  finding.evidence = {"max_wal_size = " + BytesText(*input.settings.max_wal_size) +
                          ", a soft limit: slots, wal_keep_size and a failing archiver exceed it",
                      "wal_disk_size = " + BytesText(*input.limits.wal_disk_bytes)};
  if (input.wal_directory_bytes) {
    finding.evidence.push_back("pg_wal holds " + BytesText(*input.wal_directory_bytes) + " now");
  }
  WalSizingInput from;
  if (const auto sizing = input.Sizing(); sizing && input.checkpoints.Enough()) {
    from = *sizing;
  } else {
    from.wal_bytes_per_second = 0;
    from.max_wal_size = *input.settings.max_wal_size;
    from.segment_bytes = input.settings.wal_segment_size.value_or(from.segment_bytes);
    from.limits = input.limits;
    from.at_least = from.max_wal_size;
  }
  SuggestSize(input, from, &finding);
  finding.confidence = "Certain about the sizes, which are the server's and your configuration's.";
  return finding;
}

Finding ExplainSlot(const AdviceInput& input) {
  const HoldingSlot& slot = input.slots.front();
  Finding finding;
  finding.message =
      "A replication slot keeps more WAL than max_wal_size: pg_wal grows without "
      "end, and a larger max_wal_size would not help.";
  finding.evidence = {"slot " + slot.name + " keeps " + BytesText(slot.retained_bytes) +
                          " and is " + (slot.active ? "active but behind" : "not in use"),
                      "max_wal_size = " + BytesText(*input.settings.max_wal_size)};
  if (input.wal_directory_bytes) {
    finding.evidence.push_back("pg_wal holds " + BytesText(*input.wal_directory_bytes));
  }
  finding.steps = {slot.active
                       ? "Find why its consumer is slow: network, apply lag, a long transaction."
                       : "Bring its consumer back, or drop the slot with "
                         "pg_drop_replication_slot() if nobody needs it."};
  const OptionalReal& keep = input.settings.max_slot_wal_keep_size;
  if (keep && *keep < 0) {
    finding.steps.emplace_back(
        "max_slot_wal_keep_size is not set: with it a slot that is too far behind is given up "
        "before the disk is full.");
  }
  finding.cost = "A slot that is dropped or given up means that its consumer must be built anew.";
  finding.confidence = "Certain: pg_replication_slots tells where each slot stands.";
  return finding;
}

Finding ExplainArchiver(const AdviceInput& input) {
  Finding finding;
  finding.message =
      "Archiving fails: pg_wal grows until the disk is full, and a larger "
      "max_wal_size would not help.";
  if (input.archive_failures) {
    finding.evidence.push_back(NumberText(*input.archive_failures) +
                               " failures in the last hour; the last attempt failed");
  } else {
    finding.evidence.emplace_back("the last attempt failed");
  }
  if (input.archive_ready_files) {
    finding.evidence.push_back(NumberText(*input.archive_ready_files) + " files wait");
  }
  if (input.wal_directory_bytes) {
    finding.evidence.push_back("pg_wal holds " + BytesText(*input.wal_directory_bytes));
  }
  finding.steps = {"Read what archive_command or archive_library writes to the server log."};
  finding.cost =
      "None; until it works, there is no way back to a point in time after the last "
      "archived file.";
  finding.confidence = "Certain: pg_stat_archiver tells.";
  return finding;
}

bool FpiIsHigh(const AdviceInput& input) {
  // To 18 the share is an estimate from page counts that compression makes far too high.
  if (CompressesWal(input) && input.server.version.major() < 19) return false;
  const bool can_wait =
      input.settings.checkpoint_timeout && *input.settings.checkpoint_timeout < kLongTimeout;
  return input.fpi_ratio.value_or(0) >= kHighFpi &&
         input.wal_bytes.value_or(0) >= 256 * kMegabyte && input.checkpoints.Enough() &&
         input.checkpoints.Of(Reason::kTime) + input.checkpoints.Of(Reason::kWal) >= 2 &&
         !WalForces(input) && (can_wait || !CompressesWal(input));
}

Finding ExplainFpi(const AdviceInput& input) {
  Finding finding;
  finding.message = PercentText(*input.fpi_ratio) +
                    " of the WAL is full page images, the first change of each page after a "
                    "checkpoint. Longer intervals save them.";
  finding.evidence.push_back(BytesText(*input.wal_bytes * *input.fpi_ratio) + " of " +
                             BytesText(*input.wal_bytes) + " of WAL");
  if (input.checkpoints.mean_interval) {
    finding.evidence.push_back("a checkpoint begins every " +
                               DurationText(*input.checkpoints.mean_interval));
  }
  const double timeout = input.settings.checkpoint_timeout.value_or(kLongTimeout);
  if (timeout < kLongTimeout) {
    std::optional<WalSizingInput> sizing = input.Sizing();
    bool fits = true;
    if (sizing) {
      sizing->checkpoint_timeout = kLongTimeout;
      const WalSizing size = SizeWal(*sizing);
      fits = size.limited_by == WalSizeLimit::kNone;
      if (fits && size.recommended_bytes > sizing->max_wal_size) {
        SuggestSize(input, *sizing, &finding);
      }
    }
    if (fits) {
      finding.suggestions.push_back(Set("checkpoint_timeout", TimeSetting(kLongTimeout)));
      const double interval = input.checkpoints.mean_interval.value_or(timeout);
      finding.evidence.push_back(
          "at 15 min about " + PercentText(*input.fpi_ratio * FpiSaved(interval, kLongTimeout)) +
          " of all WAL is saved (at most " +
          PercentText(*input.fpi_ratio * std::max(0.0, 1 - interval / kLongTimeout)) + ")");
      finding.cost += finding.cost.empty() ? "" : " ";
      finding.cost += "Recovery after a crash has up to three times as much WAL to replay.";
    }
  }
  if (!CompressesWal(input)) {
    finding.suggestions.push_back(CompressWal(input));
    finding.cost += finding.cost.empty() ? "" : " ";
    finding.cost += "Compression of WAL takes CPU time in each backend that writes it.";
  }
  finding.confidence =
      input.server.version.major() >= 19
          ? "High: the server counts these bytes itself."
          : "Moderate: an estimate from page counts, too high where pages have free space.";
  return finding;
}

bool RestartpointsLag(const AdviceInput& input) {
  return input.settings.max_wal_size &&
         input.recovery_wal_bytes.value_or(0) > 2 * *input.settings.max_wal_size;
}

Finding ExplainLag(const AdviceInput& input) {
  Finding finding;
  finding.message = "Restartpoints fall behind: this standby would replay " +
                    BytesText(*input.recovery_wal_bytes) + " of WAL after a restart.";
  finding.evidence = {"max_wal_size = " + BytesText(*input.settings.max_wal_size)};
  if (input.checkpoints.longest_sync_phase) {
    finding.evidence.push_back("longest sync phase: " +
                               DurationText(*input.checkpoints.longest_sync_phase));
  }
  finding.steps = {
      "A restartpoint can only be made at a checkpoint of the primary: see that the primary "
      "completes its own.",
      "Compare max_wal_size and checkpoint_timeout with the primary's; a standby needs the same.",
      "See whether the storage of the standby keeps up with writing."};
  finding.cost = "More frequent restartpoints write more pages.";
  finding.confidence = "Good: measured from the control file's redo position.";
  return finding;
}

constexpr auto kRules = std::to_array<AdviceRule>({
    {.id = "wal_forced_checkpoints",
     .severity = Severity::kWarning,
     .role = AdviceRole::kPrimary,
     .title = "WAL volume forces checkpoints",
     .fires = "at least three checkpoints, and three in ten of those not asked for, were forced by "
              "WAL, the last not longer than two `checkpoint_timeout` ago, and the WAL rate asks "
              "for a larger `max_wal_size`.",
     .meaning =
         "`max_wal_size` is too small for the load: checkpoints come before the timer, pages "
         "are written more often, and more full page images go to the WAL.",
     .cost = "disk for `pg_wal` up to the new size, and up to as much WAL to replay after a crash. "
             "The advice tells both, with the time.",
     .holds = WalForces,
     .explain = ExplainForced},
    {.id = "wal_held_by_slot",
     .severity = Severity::kWarning,
     .title = "A replication slot keeps WAL",
     .fires = "a slot keeps more WAL than `max_wal_size`.",
     .meaning = "`pg_wal` outgrows its limit because a consumer is behind or gone, not because "
                "`max_wal_size` is too small.",
     .cost = "a consumer whose slot is dropped must be built anew.",
     .holds = HeldBySlot,
     .explain = ExplainSlot},
    {.id = "archiver_failing",
     .severity = Severity::kWarning,
     .title = "Archiving fails",
     .fires = "the last attempt to archive failed, and failures were counted in the last hour.",
     .meaning = "WAL that is not archived is kept, so `pg_wal` grows until the disk is full.",
     .cost = "nothing.",
     .holds = ArchiverFails,
     .explain = ExplainArchiver},
    {.id = "wal_size_exceeds_disk",
     .severity = Severity::kWarning,
     .title = "max_wal_size is too large for its disk",
     .fires = "`max_wal_size` is above 80 % of the configured `wal_disk_size`.",
     .meaning = "`max_wal_size` is a soft limit; above it there must be room, or a full disk stops "
                "the server.",
     .cost = "where the load needs that much WAL between checkpoints, they come more often.",
     .holds = ExceedsDisk,
     .explain = ExplainDisk},
    {.id = "recovery_too_long",
     .severity = Severity::kWarning,
     .role = AdviceRole::kPrimary,
     .title = "Crash recovery can exceed its objective",
     .fires = "the most WAL that may have to be replayed, at the speed of recoveries seen in the "
              "server log, takes longer than the configured `recovery_time_objective`.",
     .meaning = "After a crash at the worst moment the server is away longer than you accept.",
     .cost = "checkpoints come more often, with more full page images.",
     .holds = RecoveryTooLong,
     .explain = ExplainRecovery},
    {.id = "full_page_images",
     .severity = Severity::kInfo,
     .role = AdviceRole::kPrimary,
     .versions = {14},
     .title = "Much of the WAL is full page images",
     .fires = "full page images are half of at least 256 MB of WAL in the last hour, WAL volume "
              "does not force checkpoints, and `checkpoint_timeout` is below 15 min or "
              "`wal_compression` is off. Not told where WAL is compressed on 14 to 18, whose "
              "numbers do not allow it.",
     .meaning = "Many different pages change between two checkpoints, each of which is written to "
                "the WAL in full once.",
     .cost = "longer recovery after a crash; CPU time where WAL is compressed.",
     .holds = FpiIsHigh,
     .explain = ExplainFpi},
    {.id = "restartpoints_lag",
     .severity = Severity::kWarning,
     .role = AdviceRole::kStandby,
     .title = "Restartpoints fall behind",
     .fires = "the WAL since the last restartpoint is more than twice `max_wal_size`.",
     .meaning = "A restart of this standby replays for long, and it keeps WAL that others do not "
                "need any more.",
     .cost = "more page writes on the standby.",
     .holds = RestartpointsLag,
     .explain = ExplainLag},
});

}  // namespace

bool WalForces(const AdviceInput& input) {
  const CheckpointFacts& facts = input.checkpoints;
  const int forced = facts.Of(Reason::kWal);
  if (input.standby || !facts.Enough() || forced < 3 ||
      forced * 10 < (forced + facts.Of(Reason::kTime)) * 3) {
    return false;
  }
  const std::optional<WalSizingInput> sizing = input.Sizing();
  if (!sizing) return false;
  if (input.basis == AdviceBasis::kObserved &&
      facts.since_forced.value_or(0) > 2 * std::max(60.0, sizing->checkpoint_timeout)) {
    return false;
  }
  const WalSizing size = SizeWal(*sizing);
  if (size.recommended_bytes > sizing->max_wal_size) return true;
  // The configured limits allow no more: then compression is what is left to say.
  return size.limited_by != WalSizeLimit::kNone && !CompressesWal(input);
}

std::span<const AdviceRule> WalRules() { return kRules; }

}  // namespace ckpt::advice
