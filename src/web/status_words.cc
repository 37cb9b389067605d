// SPDX-License-Identifier: Apache-2.0
#include "web/status_words.h"

#include "web/words.h"

namespace ckpt::web {
namespace {

bool IsStandby(const TargetState& state) {
  return state.pulse && state.pulse->in_recovery.value_or(0) != 0;
}

std::string_view PhaseWords(Phase phase) {
  switch (phase) {
    case Phase::kWrite: return ": writing buffers";
    case Phase::kSync: return ": syncing files";
    case Phase::kFinish: return ": finishing";
    case Phase::kUnknown:
    case Phase::kIdle:
    case Phase::kShutdown: return "";
  }
  return "";
}

// How an error code reads after "the last attempt failed: ".
std::string CodeWords(ErrorCode code) {
  switch (code) {
    case ErrorCode::kConnection: return "no connection";
    case ErrorCode::kAuth: return "login refused";
    case ErrorCode::kTimeout: return "no answer in time";
    case ErrorCode::kPermission: return "permission denied";
    case ErrorCode::kMissingRelation: return "a view is missing";
    case ErrorCode::kProtocol: return "not an answer of PostgreSQL";
    case ErrorCode::kParse: return "an answer that cannot be understood";
    case ErrorCode::kConfig: return "configuration";
    case ErrorCode::kInternal: return "a fault of the exporter";
  }
  return std::string(ErrorCodeName(code));
}

Status Silent(const TargetState& state) {
  const std::string why =
      state.health.last_error ? ": " + CodeWords(*state.health.last_error) : std::string();
  if (!state.health.last_good) {
    if (!state.health.last_error) {
      return {Trouble::kWaiting, "waiting", "Waiting for the first answer"};
    }
    return {Trouble::kDown, "down", "Down" + why};
  }
  return {Trouble::kDown, "down", "Down" + why};
}

}  // namespace

Status StatusOf(const TargetState& state, const Now& now) {
  if (!state.Fresh(now.monotonic)) return Silent(state);
  if (state.server && !state.server->HasCheckpoints()) {
    return {Trouble::kNone, "unknown", "This server has no checkpoints of its own"};
  }
  if (state.activity.phase == Phase::kShutdown) {
    return {Trouble::kRunning, "running", "The server shuts down"};
  }
  const auto last = state.events->recent.Recent(1);
  if (!last.empty() && last.back().event.failed) {
    return {Trouble::kFailed, "failed",
            "The last " + std::string(EventKindName(last.back().event.kind)) + " failed"};
  }
  if (!state.activity.in_progress) {
    return {Trouble::kNone, "unknown", "Up; this role may not see whether a checkpoint runs"};
  }
  const bool standby = IsStandby(state);
  if (!*state.activity.in_progress) {
    return {Trouble::kNone, "idle", standby ? "No restartpoint running" : "No checkpoint running"};
  }
  return {Trouble::kRunning, "running",
          std::string(standby ? "Restartpoint running" : "Checkpoint running") +
              std::string(PhaseWords(state.activity.phase))};
}

std::string_view ReasonWords(Reason reason) {
  switch (reason) {
    case Reason::kRestart: return "at a restart";
    case Reason::kWal: return "forced by WAL volume";
    case Reason::kRequest: return "on request";
    case Reason::kTime: return "by the timer";
  }
  return "";
}

std::string SilenceWords(const TargetState& state, const Now& now) {
  if (state.Fresh(now.monotonic) || !state.health.last_good) return "";
  return "Last answer " + AboutText(now.wall - state.health.last_good->wall) + " ago.";
}

std::string LastCheckpointWords(const TargetState& state, const Now& now) {
  const auto last = state.events->recent.Recent(1);
  if (last.empty()) return "";
  const CheckpointEvent& event = last.back().event;
  std::string text = "Last " + std::string(EventKindName(event.kind));
  if (const auto when = event.end ? event.end : event.start) {
    text += (event.failed ? " failed " : " ended ") + AboutText(ServerNow(state, now) - *when) +
            " ago, ";
  } else {
    text += event.failed ? " failed, " : ": ";
  }
  text += ReasonWords(event.reason);
  if (event.total_seconds) text += ", took " + SecondsText(*event.total_seconds);
  return text + ".";
}

std::string ForecastWords(const TargetState& state, const Now& now) {
  const Forecast& forecast = state.forecast;
  if (!state.Fresh(now.monotonic)) return "";
  const double server_now = ServerNow(state, now);
  std::string text;
  if (forecast.next_forced) {
    const double wait = *forecast.next_forced - server_now;
    text = wait < 1 ? "forced any moment" : "forced in about " + AboutText(wait);
    if (forecast.wal_bytes_per_second) {
      text += " at " + BytesText(*forecast.wal_bytes_per_second) + "/s";
    }
  } else if (forecast.remaining_bytes) {
    text = "not forced at the present rate of WAL";
  }
  if (forecast.next_timed) {
    const double wait = *forecast.next_timed - server_now;
    if (!text.empty()) text += "; ";
    text +=
        wait < 1 ? "timer due" : "timer in " + (wait < 60 ? AboutText(wait) : SecondsText(wait));
  }
  return text.empty() ? "" : "Next: " + text + ".";
}

std::string WindowWords(const WindowRatios& window) {
  if (!window.span_seconds) return "";
  if (*window.span_seconds >= 3500) return "of the last hour";
  return "of the last " + AboutText(*window.span_seconds);
}

}  // namespace ckpt::web
