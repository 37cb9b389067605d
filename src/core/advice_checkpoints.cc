// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "core/advice_rules.h"
#include "core/amounts.h"

namespace ckpt::advice {
namespace {

constexpr double kDefaultTimeout = 300;
constexpr double kLowTarget = 0.7;
constexpr double kGoodTarget = 0.9;

double Timeout(const AdviceInput& input) {
  return input.settings.checkpoint_timeout.value_or(kDefaultTimeout);
}

// Whether what was last seen so long ago still goes on. Not known counts as yes.
bool Lasts(const OptionalReal& seconds_ago, const AdviceInput& input) {
  if (input.basis != AdviceBasis::kObserved) return true;
  return seconds_ago.value_or(0) <= 2 * std::max(60.0, Timeout(input));
}

// Requests at least four times an hour that are no small part of all checkpoints. Four within a
// minute may be one restore script; they count once they have gone on for ten minutes.
bool Requested(const AdviceInput& input) {
  const CheckpointFacts& facts = input.checkpoints;
  const int requested = facts.Of(Reason::kRequest);
  return requested >= 4 && facts.span_seconds >= 600 &&
         requested * 3600.0 >= 4 * facts.span_seconds && requested * 10 >= facts.Total() * 3 &&
         Lasts(facts.since_requested, input);
}

Finding ExplainRequested(const AdviceInput& input) {
  const CheckpointFacts& facts = input.checkpoints;
  Finding finding;
  const double each = facts.span_seconds / facts.Of(Reason::kRequest);
  finding.message = "Somebody asks for a checkpoint every " + DurationText(each) +
                    ": neither the timer nor WAL volume is the cause, and no setting will stop it.";
  finding.evidence.push_back(CountText(input, Reason::kRequest));
  finding.steps = {
      "Look for a job that runs CHECKPOINT, for frequent base backups or snapshots that call "
      "pg_backup_start, and for databases that are created, dropped or moved (tests, tenants).",
      "A CHECKPOINT command shows in pg_stat_activity while it waits, and with log_statement = "
      "'ddl' or log_min_duration_statement in the log."};
  if (input.server.version.major() >= 15) {
    finding.steps.emplace_back(
        "CREATE DATABASE with its default strategy wal_log asks for none; file_copy asks for two.");
  }
  finding.cost =
      "None: a requested checkpoint mostly runs at full speed, without spreading its writes.";
  finding.confidence = ReasonConfidence(input);
  return finding;
}

bool TooShort(const AdviceInput& input) {
  const CheckpointFacts& facts = input.checkpoints;
  return input.settings.checkpoint_timeout && Timeout(input) < kDefaultTimeout &&
         facts.Of(Reason::kTime) >= CheckpointFacts::kFewest &&
         facts.Of(Reason::kTime) * 2 >= facts.Total() &&
         facts.mean_buffers_written.value_or(0) >= 100;
}

Finding ExplainTooShort(const AdviceInput& input) {
  const CheckpointFacts& facts = input.checkpoints;
  Finding finding;
  finding.message = "The timer runs a checkpoint every " + DurationText(Timeout(input)) +
                    ": pages that change often are written again each time, and again in full to "
                    "the WAL.";
  finding.evidence.push_back(CountText(input, Reason::kTime));
  finding.evidence.push_back("each writes " + NumberText(*facts.mean_buffers_written) +
                             " pages on average");
  if (input.fpi_ratio) {
    finding.evidence.push_back(PercentText(*input.fpi_ratio) + " of the WAL is full page images");
  }
  finding.suggestions.push_back(Set("checkpoint_timeout", "15min"));
  finding.cost =
      "Recovery after a crash has more WAL to replay: up to that of " +
      DurationText(900 * (1 + input.settings.checkpoint_completion_target.value_or(kGoodTarget))) +
      " instead of " +
      DurationText(Timeout(input) *
                   (1 + input.settings.checkpoint_completion_target.value_or(kGoodTarget))) +
      ".";
  if (std::optional<WalSizingInput> sizing = input.Sizing(); sizing && !input.standby) {
    sizing->checkpoint_timeout = 900;
    if (SizeWal(*sizing).recommended_bytes > sizing->max_wal_size) {
      SuggestSize(input, *sizing, &finding);
    }
  }
  finding.confidence =
      "Good, unless the timeout is short on purpose to bound the time of a recovery.";
  return finding;
}

bool LowTarget(const AdviceInput& input) {
  const CheckpointFacts& facts = input.checkpoints;
  return input.settings.checkpoint_completion_target &&
         *input.settings.checkpoint_completion_target < kLowTarget && facts.Enough() &&
         facts.Total() - facts.Of(Reason::kRequest) >= 2 &&
         facts.mean_buffers_written.value_or(0) >= 1000;
}

Finding ExplainLowTarget(const AdviceInput& input) {
  const double target = *input.settings.checkpoint_completion_target;
  Finding finding;
  finding.message = "Checkpoints write their pages in the first " + PercentText(target) +
                    " of the interval and leave the disk idle for the rest.";
  finding.evidence = {"checkpoint_completion_target = " + NumberText(target, 2),
                      "each checkpoint writes " +
                          NumberText(*input.checkpoints.mean_buffers_written) +
                          " pages on average"};
  finding.suggestions = {Set("checkpoint_completion_target", "0.9")};
  finding.cost =
      "WAL volume forces a checkpoint a little earlier, at max_wal_size / 1.9 instead of / " +
      NumberText(1 + target, 2) + ".";
  if (const std::optional<WalSizingInput> now = input.Sizing(); now && !input.standby) {
    WalSizingInput then = *now;
    then.completion_target = kGoodTarget;
    if (SizeWal(then).recommended_bytes > then.max_wal_size) SuggestSize(input, then, &finding);
  }
  finding.confidence = "Good: 0.9 is the default since PostgreSQL 14.";
  return finding;
}

bool Failing(const AdviceInput& input) {
  return input.checkpoints.failed > 0 && Lasts(input.checkpoints.since_failed, input);
}

Finding ExplainFailing(const AdviceInput& input) {
  return {.message =
              "Checkpoints fail: WAL is kept without end, and a shutdown or recovery may "
              "not succeed.",
          .evidence = {NumberText(input.checkpoints.failed) + " failed attempts in " +
                       DurationText(input.checkpoints.span_seconds)},
          .suggestions = {},
          .steps = {"Read the ERROR of the checkpointer in the server log: a full disk, a missing "
                    "or unreadable file, a failing device.",
                    "Watch the free space of pg_wal until it is cured."},
          .cost = "None.",
          .confidence = "High: an attempt began and ended without a completed checkpoint."};
}

Finding ExplainSlowSync(const AdviceInput& input) {
  const CheckpointFacts& facts = input.checkpoints;
  Finding finding;
  finding.message =
      "The sync phase of checkpoints is slow: the storage cannot take what the write "
      "phase has left in the system's cache, and commits wait meanwhile.";
  finding.evidence.push_back(NumberText(facts.slow_syncs) + " checkpoints synced for more than " +
                             DurationText(CheckpointFacts::kSlowSyncPhase) +
                             " or held one file for more than " +
                             DurationText(CheckpointFacts::kSlowSyncFile));
  if (facts.longest_sync_phase) {
    finding.evidence.push_back("longest sync phase: " + DurationText(*facts.longest_sync_phase));
  }
  if (facts.longest_sync_seconds) {
    finding.evidence.push_back("longest sync of one file: " +
                               DurationText(*facts.longest_sync_seconds));
  }
  if (input.settings.checkpoint_flush_after && *input.settings.checkpoint_flush_after == 0) {
    finding.suggestions.push_back(Set("checkpoint_flush_after", "256kB"));
    finding.cost =
        "Writes reach the disk early and evenly; on Linux only. Pages that change again "
        "soon are written to the disk twice.";
  } else {
    finding.cost = "That of better storage, or of moving what shares the device.";
  }
  finding.steps = {
      "See what else writes to this device during checkpoints (iostat), and whether its I/O is "
      "throttled (burst credits of cloud volumes).",
      "Lower vm.dirty_background_bytes of the kernel (64 to 256 MB), so that it begins to write "
      "before the sync does.",
      "Put pg_wal on a device of its own, so that commits do not queue behind data files."};
  finding.confidence = "Good: the server measures these times itself.";
  return finding;
}

constexpr auto kRules = std::to_array<AdviceRule>({
    {.id = "checkpoints_fail",
     .severity = Severity::kCritical,
     .title = "Checkpoints fail",
     .fires = "an attempt that began ended without a completed checkpoint, not longer than two "
              "`checkpoint_timeout` ago.",
     .meaning = "No WAL can be recycled until one succeeds; recovery begins at the last good one, "
                "ever further back.",
     .cost = "nothing; the cause is in the server log.",
     .holds = Failing,
     .explain = ExplainFailing},
    {.id = "checkpoints_requested",
     .severity = Severity::kWarning,
     .role = AdviceRole::kPrimary,
     .title = "Somebody asks for checkpoints",
     .fires = "at least four checkpoints an hour over ten minutes or more, and three in ten of "
              "all, were asked for by a command, and they still are.",
     .meaning = "A job, a backup tool or database DDL runs checkpoints. They are not forced by "
                "WAL, so `max_wal_size` has nothing to do with them.",
     .cost = "nothing; find who asks.",
     .holds = Requested,
     .explain = ExplainRequested},
    {.id = "checkpoint_timeout_short",
     .severity = Severity::kInfo,
     .title = "checkpoint_timeout is short",
     .fires = "`checkpoint_timeout` is below 5 min, at least four checkpoints and half of all came "
              "from the timer, and they write 100 pages or more.",
     .meaning = "Each checkpoint makes the next change of every page write the whole page to the "
                "WAL again.",
     .cost = "recovery after a crash has more WAL to replay, and `pg_wal` needs more disk.",
     .holds = TooShort,
     .explain = ExplainTooShort},
    {.id = "completion_target_low",
     .severity = Severity::kInfo,
     .title = "checkpoint_completion_target is low",
     .fires = "`checkpoint_completion_target` is below 0.7 (the default was 0.5 to 13) and "
              "checkpoints write 1,000 pages or more.",
     .meaning = "Writes come in a burst and are spread over less time than there is.",
     .cost = "a forced checkpoint begins a little earlier at the same `max_wal_size`.",
     .holds = LowTarget,
     .explain = ExplainLowTarget},
    {.id = "slow_sync",
     .severity = Severity::kWarning,
     .title = "Checkpoints sync slowly",
     .fires = "at least two checkpoints, and a quarter of all, synced for 10 s or more, or one "
              "file for 5 s or more.",
     .meaning = "The storage falls behind; commits that sync to the same device wait.",
     .cost = "storage, or earlier write-out of pages.",
     .holds = SyncIsSlow,
     .explain = ExplainSlowSync},
});

}  // namespace

Suggestion Set(std::string_view setting, const std::string& value, bool needs_restart) {
  const std::string name(setting);
  return {name, value, "ALTER SYSTEM SET " + name + " = '" + value + "';", needs_restart};
}

std::string CountText(const AdviceInput& input, Reason reason) {
  const CheckpointFacts& facts = input.checkpoints;
  std::string_view how;
  switch (reason) {
    case Reason::kWal: how = "forced by WAL volume"; break;
    case Reason::kTime: how = "run by the timer"; break;
    case Reason::kRequest: how = "asked for by a command"; break;
    case Reason::kRestart: how = "part of a restart"; break;
  }
  return NumberText(facts.Of(reason)) + " of " + NumberText(facts.Total()) + " checkpoints in " +
         DurationText(facts.span_seconds) + " were " + std::string(how);
}

std::string ReasonConfidence(const AdviceInput& input) {
  const CheckpointFacts& facts = input.checkpoints;
  if (input.basis == AdviceBasis::kSinceReset) {
    return "Moderate: counters do not tell who requested a checkpoint. As many count as forced by "
           "WAL as the WAL written can have forced at the most; `advise --for 30m` sees them one "
           "by one.";
  }
  if (facts.told_by_log >= facts.Total() && facts.Total() > 0) {
    return "High: the server log tells the reason of each.";
  }
  if (facts.told_by_log > 0) {
    return "High: the server log tells the reason of most, the others are inferred from WAL "
           "distance and time.";
  }
  return "Good: reasons are inferred from WAL distance and time; the server log would tell them.";
}

bool SyncIsSlow(const AdviceInput& input) {
  const CheckpointFacts& facts = input.checkpoints;
  if (input.basis == AdviceBasis::kSinceReset) {
    return facts.Total() >= CheckpointFacts::kFewest &&
           facts.mean_sync_seconds.value_or(0) >= CheckpointFacts::kSlowSyncPhase;
  }
  return facts.slow_syncs >= 2 && facts.slow_syncs * 4 >= facts.Total();
}

std::span<const AdviceRule> CheckpointRules() { return kRules; }

}  // namespace ckpt::advice
