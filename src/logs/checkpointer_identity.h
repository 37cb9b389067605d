// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "logs/checkpoint_message.h"
#include "logs/envelope.h"

namespace ckpt::logs {

// Which process wrote a record.
enum class ProcessRole : std::uint8_t {
  kUnknown,
  kCheckpointer,
  kStartup,  // recovery; to version 14 also the end-of-recovery checkpoint
  kPostmaster,
  kOther,  // anything else, client sessions above all: never about checkpoints
};

ProcessRole RoleOf(const LogRecord& record);

// Judges whether the process that wrote a message may have said it. Anybody who can connect may
// RAISE LOG the very text of a checkpoint line, and statements quote it. Evidence, best first:
// backend_type; a user or database in the envelope; the checkpointer's pid, as the caller knows it
// or as learnt from the log itself. A plain stderr line with none of these is believed.
//
// Another pid than the known one is believed after a server start or crash was logged, or once it
// has written a pair of starting and complete whose times agree with the duration they claim.
//
// Threading: one thread at a time.
class CheckpointerIdentity {
 public:
  // The pid as pg_stat_activity has it. Without it, it is learnt from the log.
  void SetPid(std::int64_t pid) { pid_ = pid; }
  std::optional<std::int64_t> pid() const { return pid_; }

  bool MayHaveWritten(const LogRecord& record, ProcessRole role, const CheckpointMessage& message);

  // Whether the record is surely the checkpointer's.
  bool IsCheckpointer(const LogRecord& record, ProcessRole role) const;

 private:
  bool AcceptStarting(const LogRecord& record, const Starting& starting);
  bool AcceptComplete(const LogRecord& record, const Complete& complete);
  void Trust(const LogRecord& record);

  struct Stranger {
    std::int64_t pid = 0;
    std::optional<UnixSeconds> start;
  };
  std::optional<std::int64_t> pid_;
  std::optional<Stranger> stranger_;  // another pid that said "starting"
  bool last_of_process_ = false;      // pid_ will not write the next checkpoint
};

}  // namespace ckpt::logs
