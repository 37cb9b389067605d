// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <charconv>
#include <cmath>

#include "web/api.h"
#include "web/json.h"
#include "web/parameter_reader.h"

namespace ckpt::web {
namespace {

// The library knows one precision only; a float printed as a double has nine digits too many.
template <class T>
void AppendNumber(std::string& text, T value) {
  if (!std::isfinite(value)) {
    text += "null";
    return;
  }
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  text.append(digits.data(), end);
}

template <class T>
void AppendArray(std::string& text, const std::vector<T>& values) {
  text += '[';
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) text += ',';
    AppendNumber(text, values[i]);
  }
  text += ']';
}

}  // namespace

Answer TimelineJson(const Targets& targets, const Parameters& parameters, const Now& now) {
  constexpr double kLatest = 1e12;
  constexpr double kDefaultLength = 3600;
  ParameterReader reader(parameters, {"target", "from", "to", "points"});
  const auto state = reader.Target(targets);
  const double server_now = state ? ServerNow(*state, now) : 0;
  const double to = reader.Number("to", server_now, 0, kLatest);
  const double from = reader.Number("from", std::max(to - kDefaultLength, 0.0), 0, kLatest);
  const std::size_t points = reader.Count("points", 600, 1, 5000);
  if (from > to) reader.Fail("parameter 'from' is later than 'to'");
  if (reader.failure()) return *reader.failure();

  TimelineColumns columns = state->timeline.Query(from, to, points);
  for (UnixSeconds& time : columns.time) time = std::round(time * 1000) / 1000;

  Json head = {
      {"target", state->info->name}, {"server_now", server_now}, {"from", from}, {"to", to}};
  std::string text = head.dump(-1, ' ', false, Json::error_handler_t::replace);
  text.pop_back();
  text += R"(,"time":)";
  AppendArray(text, columns.time);
  text += R"(,"series":{)";
  for (std::size_t s = 0; s < kTimelineSeriesCount; ++s) {
    if (s > 0) text += ',';
    text += Json(kTimelineSeries[s].name).dump() + R"(:{"unit":)" +
            Json(kTimelineSeries[s].unit).dump() + R"(,"values":)";
    AppendArray(text, columns.values[s]);
    text += '}';
  }
  text += "}}\n";
  return {.body = std::move(text)};
}

}  // namespace ckpt::web
