// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

#include "core/checkpoint_event.h"
#include "logs/severity.h"

namespace ckpt::logs {

// What a server says about checkpoints and recovery, one struct a message. `kind` is empty where a
// language does not tell checkpoint from restartpoint.

// "checkpoint starting: wal", "restartpoint starting: time".
struct Starting {
  std::optional<EventKind> kind;
  CheckpointFlags flags;
};

// "checkpoint complete: wrote N buffers (P%), ...". Its numbers come in this order in every version
// and language: buffers written, percentage of shared_buffers, (18+) SLRU buffers, WAL files added,
// removed, recycled, write s, sync s, total s, sync files, longest s, average s, distance kB,
// estimate kB, (16+) lsn, redo lsn.
struct Complete {
  std::optional<EventKind> kind;
  std::optional<CheckpointFlags> flags;  // repeated by 19+
  CheckpointEvent numbers;               // only what the line says: no times, no reason
  // The line has a clause that no version we know prints, so its numbers were read by their English
  // labels and some may be missing.
  bool unknown_clauses = false;
};

// "checkpoints are occurring too frequently (N seconds apart)".
struct TooFrequent {
  std::int64_t seconds = 0;
};

// DEBUG1 "checkpoint skipped because system is idle".
struct CheckpointSkipped {};
// DEBUG2 "skipping restartpoint, ...".
struct RestartpointSkipped {};
// "recovery restart point at X/X", after a restartpoint: its redo position.
struct RecoveryRestartPoint {
  std::int64_t lsn = 0;
};

// "database system was interrupted...": the start of a crashed server.
struct Interrupted {};
// "database system was shut down...": the start of a server that had stopped cleanly.
struct WasShutDown {};
// "database system was not properly shut down; automatic recovery in progress".
struct NotProperlyShutDown {};
// "all server processes terminated; reinitializing": a crash of one process restarts them all.
struct Reinitializing {};
// "entering standby mode", "starting archive recovery" and their like.
struct ArchiveRecovery {};
struct RedoStarts {
  std::int64_t lsn = 0;
};
// 15+, every log_startup_progress_interval.
struct RedoInProgress {
  double elapsed_seconds = 0;
  std::int64_t lsn = 0;
};
struct RedoDone {
  std::int64_t lsn = 0;
  std::optional<double> elapsed_seconds;  // 14+
};
struct RedoNotRequired {};
struct ServerReady {
  bool read_only = false;
};
// "shutting down": the checkpointer is about to write the last checkpoint.
struct ShuttingDown {};
// "database system is shut down".
struct ShutDown {};

// A translated message whose only number is an LSN. Which one it is, its process and what came
// before decide: a restart point from the checkpointer, the start or end of redo from the startup
// process. `says_redo`: some language's word for redo is in it.
struct LsnMention {
  std::int64_t lsn = 0;
  bool says_redo = false;
};
// A translated message whose only number is a time, as the startup process's first one is.
struct TimeMention {};

// The checkpointer reported a failure. Made from a record's severity, not from its text.
struct CheckpointerFailure {
  Severity severity = Severity::kError;
};

using CheckpointMessage =
    std::variant<Starting, Complete, TooFrequent, CheckpointSkipped, RestartpointSkipped,
                 RecoveryRestartPoint, Interrupted, WasShutDown, NotProperlyShutDown,
                 Reinitializing, ArchiveRecovery, RedoStarts, RedoInProgress, RedoDone,
                 RedoNotRequired, ServerReady, ShuttingDown, ShutDown, LsnMention, TimeMention,
                 CheckpointerFailure>;

// Understands a message by the English wordings of PostgreSQL 10 to 19 or, in any other language,
// by the shape of its numbers and the flag words, which are never translated. `hint` is the
// message's HINT, "" if none: max_wal_size in it identifies the translated "too frequently". The
// text alone is judged; whether its writer may be the checkpointer is CheckpointerIdentity's task.
// Empty for every other message.
std::optional<CheckpointMessage> ParseCheckpointMessage(std::string_view message,
                                                        std::string_view hint = {});

// A cheap test that never says no to a message that ParseCheckpointMessage understands without a
// hint, but for a TimeMention. It is what keeps a busy log cheap.
bool MayBeCheckpointMessage(std::string_view message);

// Whether hint is the advice about max_wal_size in some language: the name stands in it in
// quotation marks.
bool IsMaxWalSizeHint(std::string_view hint);

// Whether text's only number is an integer, as in every translation of "too frequently".
std::optional<std::int64_t> OnlyInteger(std::string_view text);

}  // namespace ckpt::logs
