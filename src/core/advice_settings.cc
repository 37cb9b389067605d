// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "core/advice_rules.h"

namespace ckpt::advice {
namespace {

Finding FsyncOff(const AdviceInput&) {
  return {.message = "fsync is off: a crash of the machine can destroy the whole cluster.",
          .evidence = {"fsync = off"},
          .suggestions = {Set("fsync", "on")},
          .cost =
              "Commits wait for the disk again. For speed at a bounded risk turn off "
              "synchronous_commit instead: it loses the last moments, never the cluster.",
          .confidence = "Certain: the setting says so."};
}

Finding FullPageWritesOff(const AdviceInput& input) {
  Finding finding{.message =
                      "full_page_writes is off: a crash in the middle of a page write leaves "
                      "a torn page that recovery cannot mend.",
                  .evidence = {"full_page_writes = off"},
                  .suggestions = {Set("full_page_writes", "on")},
                  .cost =
                      "The first change of each page after a checkpoint writes the whole page "
                      "to the WAL again.",
                  .confidence =
                      "Certain, unless the file system itself never tears an 8 kB write "
                      "(ZFS, some storage with atomic writes)."};
  if (IsOff(input.settings.fsync)) {
    finding.evidence.emplace_back("fsync is off as well; turn both on");
  }
  return finding;
}

Finding LogCheckpointsOff(const AdviceInput&) {
  return {.message =
              "log_checkpoints is off: why a checkpoint ran and how long its syncs took "
              "cannot be looked up afterwards.",
          .evidence = {"log_checkpoints = off"},
          .suggestions = {Set("log_checkpoints", "on")},
          .cost = "Two log lines for each checkpoint.",
          .confidence = "Certain: the setting says so."};
}

Finding TrackIoTimingOff(const AdviceInput& input) {
  Finding finding{
      .message =
          "track_io_timing is off while writing pages or syncing them is a "
          "finding: its times would tell whether the storage is to blame.",
      .evidence = {"track_io_timing = off"},
      .suggestions = {Set("track_io_timing", "on")},
      .cost =
          "Two clock reads for each I/O: 20 to 50 ns each on hardware with a fast "
          "clock. Try pg_test_timing first where the clock is virtual.",
      .confidence = "Certain about the setting; it helps to measure, it cures nothing."};
  if (SyncIsSlow(input)) finding.evidence.emplace_back("checkpoints sync slowly");
  if (BackendsWrite(input)) finding.evidence.emplace_back("backends write pages themselves");
  return finding;
}

Finding TrackWalIoTimingOff(const AdviceInput&) {
  return {.message =
              "track_wal_io_timing is off while checkpoints sync slowly: its times would "
              "tell whether commits wait for the same disk.",
          .evidence = {"track_wal_io_timing = off", "checkpoints sync slowly"},
          .suggestions = {Set("track_wal_io_timing", "on")},
          .cost = "Two clock reads for each write and sync of WAL.",
          .confidence = "Certain about the setting; it helps to measure, it cures nothing."};
}

Finding PendingRestart(const AdviceInput& input) {
  Finding finding{
      .message = "Settings were changed in the configuration and wait for a restart.",
      .evidence = {},
      .suggestions = {},
      .steps = {"Restart the server at a convenient moment, after a CHECKPOINT, so that "
                "the shutdown checkpoint is short."},
      .cost = "A restart.",
      .confidence = "Certain: pg_settings.pending_restart says so."};
  for (const std::string_view name : input.settings.pending_restart) {
    finding.evidence.push_back(std::string(name) + " waits for a restart");
  }
  return finding;
}

constexpr auto kRules = std::to_array<AdviceRule>({
    {.id = "fsync_off",
     .severity = Severity::kCritical,
     .title = "fsync is off",
     .fires = "`fsync` is off.",
     .meaning = "PostgreSQL does not ask the system to put its files on disk. Checkpoints promise "
                "nothing, and a crash of the machine can leave a cluster that is beyond repair.",
     .cost = "commits and checkpoints wait for the disk again.",
     .holds = [](const AdviceInput& input) { return IsOff(input.settings.fsync); },
     .explain = FsyncOff},
    {.id = "full_page_writes_off",
     .severity = Severity::kCritical,
     .title = "full_page_writes is off",
     .fires = "`full_page_writes` is off.",
     .meaning = "A page that was half written when the machine crashed stays torn. Harmless only "
                "where the storage writes 8 kB atomically.",
     .cost = "more WAL after each checkpoint; longer intervals between checkpoints keep it small.",
     .holds = [](const AdviceInput& input) { return IsOff(input.settings.full_page_writes); },
     .explain = FullPageWritesOff},
    {.id = "log_checkpoints_off",
     .severity = Severity::kInfo,
     .title = "log_checkpoints is off",
     .fires = "`log_checkpoints` is off (the default to 14).",
     .meaning = "Without its lines, reasons are inferred and sync times of single files are not "
                "known.",
     .cost = "two log lines for each checkpoint.",
     .holds = [](const AdviceInput& input) { return IsOff(input.settings.log_checkpoints); },
     .explain = LogCheckpointsOff},
    {.id = "track_io_timing_off",
     .severity = Severity::kInfo,
     .title = "track_io_timing is off where its times are needed",
     .fires = "`track_io_timing` is off and `slow_sync` or `backends_write_pages` holds.",
     .meaning = "The time that reads and writes take is not measured, so slow storage and too many "
                "writes look alike.",
     .cost = "two clock reads for each I/O.",
     .holds =
         [](const AdviceInput& input) {
           return IsOff(input.settings.track_io_timing) &&
                  (SyncIsSlow(input) || BackendsWrite(input));
         },
     .explain = TrackIoTimingOff},
    {.id = "track_wal_io_timing_off",
     .severity = Severity::kInfo,
     .versions = {14},
     .title = "track_wal_io_timing is off where its times are needed",
     .fires = "`track_wal_io_timing` is off and `slow_sync` holds.",
     .meaning = "Whether commits wait while a checkpoint syncs cannot be told.",
     .cost = "two clock reads for each write and sync of WAL.",
     .holds =
         [](const AdviceInput& input) {
           return IsOff(input.settings.track_wal_io_timing) && SyncIsSlow(input);
         },
     .explain = TrackWalIoTimingOff},
    {.id = "pending_restart",
     .severity = Severity::kInfo,
     .title = "Changed settings wait for a restart",
     .fires = "`pg_settings.pending_restart` is true for a setting that bears on checkpoints.",
     .meaning = "What the configuration file says is not what the server does, and the next "
                "restart, planned or not, will change its behaviour.",
     .cost = "a restart.",
     .holds = [](const AdviceInput& input) { return !input.settings.pending_restart.empty(); },
     .explain = PendingRestart},
});

}  // namespace

std::span<const AdviceRule> SettingRules() { return kRules; }

}  // namespace ckpt::advice
