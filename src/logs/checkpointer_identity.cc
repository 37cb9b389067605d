// SPDX-License-Identifier: Apache-2.0
#include "logs/checkpointer_identity.h"

#include <array>
#include <cmath>
#include <string_view>

namespace ckpt::logs {
namespace {

struct BackendRole {
  std::string_view backend_type;
  ProcessRole role;
};
// TABLE: backend types that speak of checkpoints and recovery. A single-user server runs its own.
constexpr std::array<BackendRole, 4> kBackendRoles{{
    {"checkpointer", ProcessRole::kCheckpointer},
    {"startup", ProcessRole::kStartup},
    {"postmaster", ProcessRole::kPostmaster},
    {"standalone backend", ProcessRole::kCheckpointer},
}};

// By how much a stranger's pair may disagree with the duration it claims: times may be known to
// the second only.
constexpr double kTolerance = 2.0;

template <class... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};
template <class... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;

// Who says what, where the backend type is known.
enum class Speaker : std::uint8_t { kCheckpoints, kRecovery, kServer };

Speaker SpeakerOf(const CheckpointMessage& message) {
  return std::visit(Overloaded{[](const Starting&) { return Speaker::kCheckpoints; },
                               [](const Complete&) { return Speaker::kCheckpoints; },
                               [](const TooFrequent&) { return Speaker::kCheckpoints; },
                               [](const CheckpointSkipped&) { return Speaker::kCheckpoints; },
                               [](const RestartpointSkipped&) { return Speaker::kCheckpoints; },
                               [](const RecoveryRestartPoint&) { return Speaker::kCheckpoints; },
                               [](const ShuttingDown&) { return Speaker::kCheckpoints; },
                               [](const CheckpointerFailure&) { return Speaker::kCheckpoints; },
                               [](const Reinitializing&) { return Speaker::kServer; },
                               [](const ServerReady&) { return Speaker::kServer; },
                               [](const ShutDown&) { return Speaker::kServer; },
                               [](const auto&) { return Speaker::kRecovery; }},
                    message);
}

}  // namespace

ProcessRole RoleOf(const LogRecord& record) {
  if (record.is_session) return ProcessRole::kOther;
  if (record.backend_type.empty()) return ProcessRole::kUnknown;
  for (const BackendRole& row : kBackendRoles) {
    if (row.backend_type == record.backend_type) return row.role;
  }
  return ProcessRole::kOther;
}

bool CheckpointerIdentity::IsCheckpointer(const LogRecord& record, ProcessRole role) const {
  if (role == ProcessRole::kCheckpointer) return true;
  return role == ProcessRole::kUnknown && record.pid && record.pid == pid_;
}

bool CheckpointerIdentity::MayHaveWritten(const LogRecord& record, ProcessRole role,
                                          const CheckpointMessage& message) {
  if (role == ProcessRole::kOther) return false;
  const Speaker speaker = SpeakerOf(message);
  if (role != ProcessRole::kUnknown) {
    const bool fits = (speaker == Speaker::kCheckpoints && role != ProcessRole::kPostmaster) ||
                      (speaker == Speaker::kRecovery && role == ProcessRole::kStartup) ||
                      (speaker == Speaker::kServer && role == ProcessRole::kPostmaster) ||
                      // A lone LSN may be a restart point.
                      std::holds_alternative<LsnMention>(message);
    if (fits && role == ProcessRole::kCheckpointer && record.pid) pid_ = record.pid;
    return fits;
  }
  if (const auto* starting = std::get_if<Starting>(&message)) {
    return AcceptStarting(record, *starting);
  }
  if (const auto* complete = std::get_if<Complete>(&message)) {
    return AcceptComplete(record, *complete);
  }
  const bool stranger = pid_ && record.pid && record.pid != pid_;
  if (speaker == Speaker::kCheckpoints) return !stranger;
  if (std::holds_alternative<LsnMention>(message)) return true;
  // Neither the startup process nor the postmaster is the checkpointer.
  if (record.pid && record.pid == pid_) return false;
  if (std::holds_alternative<TimeMention>(message)) return false;
  const bool new_server = std::holds_alternative<Interrupted>(message) ||
                          std::holds_alternative<WasShutDown>(message) ||
                          std::holds_alternative<Reinitializing>(message) ||
                          std::holds_alternative<ShutDown>(message);
  if (new_server) {
    pid_.reset();
    stranger_.reset();
  }
  return true;
}

void CheckpointerIdentity::Trust(const LogRecord& record) {
  if (record.pid) pid_ = record.pid;
  stranger_.reset();
}

bool CheckpointerIdentity::AcceptStarting(const LogRecord& record, const Starting& starting) {
  const bool end_of_recovery = starting.flags.Has(CheckpointFlag::kEndOfRecovery);
  const bool stranger = record.pid && pid_ && record.pid != pid_;
  // The first checkpoint after a crash comes from a new process.
  if (stranger && !end_of_recovery) {
    stranger_ = Stranger{*record.pid, record.time};
    return false;
  }
  Trust(record);
  // To version 14 the startup process writes that first one, and not the next; after the last one
  // before a shutdown comes another server.
  last_of_process_ = end_of_recovery || starting.flags.Has(CheckpointFlag::kShutdown);
  return true;
}

bool CheckpointerIdentity::AcceptComplete(const LogRecord& record, const Complete& complete) {
  if (record.pid && pid_ && record.pid != pid_) {
    if (!stranger_ || stranger_->pid != *record.pid || !stranger_->start || !record.time ||
        !complete.numbers.total_seconds) {
      return false;
    }
    const double lasted = *record.time - *stranger_->start;
    if (std::abs(lasted - *complete.numbers.total_seconds) > kTolerance) return false;
    last_of_process_ = false;
  }
  Trust(record);
  if (last_of_process_) pid_.reset();
  last_of_process_ = false;
  return true;
}

}  // namespace ckpt::logs
