// SPDX-License-Identifier: Apache-2.0
#include "web/api_events.h"

#include <array>
#include <limits>

#include "web/api.h"
#include "web/parameter_reader.h"
#include "web/words.h"

namespace ckpt::web {
namespace {

// TABLE: the numbers of an event, under the names that docs/api.md gives them.
constexpr std::array<NumberField<CheckpointEvent>, 16> kEventFields{{
    {"start", &CheckpointEvent::start},
    {"end", &CheckpointEvent::end},
    {"write_seconds", &CheckpointEvent::write_seconds},
    {"sync_seconds", &CheckpointEvent::sync_seconds},
    {"total_seconds", &CheckpointEvent::total_seconds},
    {"buffers_written", &CheckpointEvent::buffers_written},
    {"buffers_ratio", &CheckpointEvent::buffers_ratio},
    {"slru_buffers_written", &CheckpointEvent::slru_buffers_written},
    {"wal_files_added", &CheckpointEvent::wal_files_added},
    {"wal_files_removed", &CheckpointEvent::wal_files_removed},
    {"wal_files_recycled", &CheckpointEvent::wal_files_recycled},
    {"sync_files", &CheckpointEvent::sync_files},
    {"longest_sync_seconds", &CheckpointEvent::longest_sync_seconds},
    {"average_sync_seconds", &CheckpointEvent::average_sync_seconds},
    {"distance_bytes", &CheckpointEvent::distance_bytes},
    {"estimate_bytes", &CheckpointEvent::estimate_bytes},
}};

void PutLsn(Json& object, const char* name, const std::optional<std::int64_t>& position) {
  if (position) object[name] = LsnText(*position);
}

// Whether an event lies in part within [from, to]. One of unknown time does not.
bool Overlaps(const CheckpointEvent& event, double from, double to) {
  const auto first = event.start ? event.start : event.end;
  const auto last = event.end ? event.end : event.start;
  return first && *first <= to && *last >= from;
}

}  // namespace

Json EventJson(const StoredEvent& stored) {
  const CheckpointEvent& event = stored.event;
  Json json;
  json["id"] = stored.id;
  json["kind"] = EventKindName(event.kind);
  json["reason"] = ReasonLabel(event.reason);
  json["flags"] = FlagWords(event.flags);
  json["origin"] = EventOriginName(event.origin);
  json["failed"] = event.failed;
  json["coalesced"] = event.coalesced;
  PutNumbers(json, event, kEventFields);
  PutLsn(json, "lsn", event.lsn);
  PutLsn(json, "redo_lsn", event.redo_lsn);
  return json;
}

Answer EventsJson(const Targets& targets, const Parameters& parameters, const Now& now) {
  constexpr double kEver = std::numeric_limits<double>::infinity();
  constexpr double kLatest = 1e12;
  ParameterReader reader(parameters, {"target", "limit", "from", "to"});
  const auto state = reader.Target(targets);
  const std::size_t limit = reader.Count("limit", 100, 1, 10'000);
  const auto from = reader.Number("from", 0, kLatest);
  const auto to = reader.Number("to", 0, kLatest);
  if (from && to && *from > *to) reader.Fail("parameter 'from' is later than 'to'");
  if (reader.failure()) return *reader.failure();

  std::vector<StoredEvent> events = state->events->recent.Recent(state->events->recent.size());
  if (from || to) {
    std::erase_if(events, [&](const StoredEvent& stored) {
      return !Overlaps(stored.event, from.value_or(-kEver), to.value_or(kEver));
    });
  }
  Json list = Json::array();
  const std::size_t first = events.size() > limit ? events.size() - limit : 0;
  for (std::size_t i = first; i < events.size(); ++i) list.push_back(EventJson(events[i]));
  return {.body = Text({{"target", state->info->name},
                        {"server_now", ServerNow(*state, now)},
                        {"events", std::move(list)}})};
}

}  // namespace ckpt::web
