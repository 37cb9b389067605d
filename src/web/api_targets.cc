// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "web/api.h"
#include "web/api_events.h"
#include "web/json.h"
#include "web/parameter_reader.h"
#include "web/words.h"

namespace ckpt::web {
namespace {

template <class Record, std::size_t kSize>
Json Numbers(const Record& record, const std::array<NumberField<Record>, kSize>& fields) {
  Json json = Json::object();
  PutNumbers(json, record, fields);
  return json;
}

// TABLES: members of the answer's objects, under the names that docs/api.md gives them.
constexpr std::array<NumberField<WindowRatios>, 4> kWindowFields{{
    {"requested_ratio", &WindowRatios::requested},
    {"wal_fpi_ratio", &WindowRatios::wal_fpi},
    {"backend_write_ratio", &WindowRatios::backend_write},
    {"span_seconds", &WindowRatios::span_seconds},
}};
constexpr std::array<NumberField<Forecast>, 7> kForecastFields{{
    {"recovery_wal_bytes", &Forecast::recovery_wal_bytes},
    {"wal_since_redo_bytes", &Forecast::wal_since_redo_bytes},
    {"forced_trigger_bytes", &Forecast::forced_trigger_bytes},
    {"remaining_bytes", &Forecast::remaining_bytes},
    {"wal_bytes_per_second", &Forecast::wal_bytes_per_second},
    {"next_forced", &Forecast::next_forced},
    {"next_timed", &Forecast::next_timed},
}};
constexpr std::array<NumberField<Settings>, 5> kSettingFields{{
    {"max_wal_size_bytes", &Settings::max_wal_size},
    {"min_wal_size_bytes", &Settings::min_wal_size},
    {"checkpoint_timeout_seconds", &Settings::checkpoint_timeout},
    {"checkpoint_completion_target", &Settings::checkpoint_completion_target},
    {"shared_buffers_bytes", &Settings::shared_buffers},
}};

Json WindowsJson(const Derived& derived) {
  Json json = Json::object();
  for (const WindowLength length : kWindowLengths) {
    json[std::string(WindowLengthLabel(length))] = Numbers(derived.Of(length), kWindowFields);
  }
  return json;
}

Json ForecastJson(const Forecast& forecast) {
  Json json = Numbers(forecast, kForecastFields);
  if (forecast.redo_lsn) {
    json["redo_lsn"] = LsnText(*forecast.redo_lsn);
    json["redo_is_observed"] = forecast.redo_is_observed;
  }
  if (forecast.trigger_lsn) json["trigger_lsn"] = LsnText(*forecast.trigger_lsn);
  return json;
}

Json LatencyJson(const LatencyState& latency) {
  constexpr std::array<const char*, 2> kSides{"idle", "running"};
  Json json = Json::object();
  for (const ProbeInfo& info : kProbes) {
    const ProbeLatency& probe = latency.of(info.probe);
    Json one = Json::object();
    for (std::size_t side = 0; side < kSides.size(); ++side) {
      Json& numbers = one[kSides[side]] = {{"samples", probe.recent[side]}};
      Put(numbers, "median_seconds", probe.median[side]);
      Put(numbers, "p95_seconds", probe.p95[side]);
    }
    Put(one, "impact_ratio", probe.impact_ratio);
    Put(one, "median_ratio", probe.median_ratio);
    json[std::string(info.label)] = std::move(one);
  }
  return json;
}

Json CountsJson(const EventsState& events) {
  Json json = Json::object();
  for (const EventKind kind : kEventKinds) {
    Json one = Json::object();
    for (const ReasonInfo& info : kReasons) {
      one[std::string(info.label)] = events.of(kind).totals[static_cast<std::size_t>(info.reason)];
    }
    one["failed"] = events.of(kind).failures;
    json[std::string(EventKindName(kind))] = std::move(one);
  }
  return json;
}

Json MissingJson(const TargetState& state) {
  Json list = Json::array();
  for (const CapabilityInfo& info : Capabilities()) {
    if (!info.versions.Contains(state.server->version) || state.capabilities.Has(info.capability)) {
      continue;
    }
    list.push_back({{"name", info.name},
                    {"gives", info.gives},
                    {"cure", CureFor(info, state.session_role)},
                    {"opt_in", info.opt_in}});
  }
  return list;
}

Json LogJson(const LogHealth& log) {
  Json json = {{"reading", log.reading},
               {"name", log.source.name},
               {"missing", log.source.missing},
               {"bytes", log.source.bytes},
               {"lines_read", log.lines_read},
               {"lines_matched", log.lines_matched},
               {"lines_not_understood", log.lines_not_understood},
               {"lines_rejected", log.lines_rejected},
               {"lines_malformed", log.lines_malformed},
               {"lines_too_long", log.lines_too_long}};
  Put(json, "last_match", log.last_match_time);
  Json& errors = json["errors"] = Json::object();
  for (const LogErrorKindInfo& info : kLogErrorKinds) {
    errors[std::string(info.label)] = log.source.ErrorsOf(info.kind);
  }
  return json;
}

Json TargetJson(const TargetState& state, const Now& now) {
  Json json;
  json["name"] = state.info->name;
  Json& labels = json["labels"] = Json::object();
  for (const auto& [name, value] : state.info->labels) labels[name] = value;
  const bool up = state.Fresh(now.monotonic);
  json["up"] = up;
  json["server_now"] = ServerNow(state, now);
  if (state.health.last_good) json["last_poll"] = state.health.last_good->wall;
  if (state.health.last_error) json["last_error"] = ErrorCodeName(*state.health.last_error);
  if (state.server) {
    json["version"] = VersionText(state.server->version);
    json["version_number"] = state.server->version.num;
    json["flavor"] = state.server->flavor;
    json["missing_capabilities"] = MissingJson(state);
  }
  if (up) {
    if (state.pulse->in_recovery) {
      json["role"] = *state.pulse->in_recovery != 0 ? "standby" : "primary";
    }
    json["phase"] = PhaseLabel(state.activity.phase);
    Put(json, "in_progress", state.activity.in_progress);
    json["windows"] = WindowsJson(state.derived);
    json["forecast"] = ForecastJson(state.forecast);
  }
  json["latency"] = LatencyJson(*state.latency);
  json["events_total"] = CountsJson(*state.events);
  const std::vector<StoredEvent> last = state.events->recent.Recent(1);
  if (!last.empty()) json["last_event"] = EventJson(last.back());
  if (state.survey) json["settings"] = Numbers(state.survey->rows.settings, kSettingFields);
  if (state.log) json["log"] = LogJson(*state.log);
  return json;
}

}  // namespace

Answer TargetsJson(const Targets& targets, const Parameters& parameters, const Now& now) {
  ParameterReader reader(parameters, {"target"});
  Json list = Json::array();
  if (!parameters.empty()) {
    const auto state = reader.Target(targets);
    if (reader.failure()) return *reader.failure();
    list.push_back(TargetJson(*state, now));
  } else {
    for (const auto& state : targets) list.push_back(TargetJson(*state, now));
  }
  return {.body = Text({{"now", now.wall}, {"targets", std::move(list)}})};
}

}  // namespace ckpt::web
