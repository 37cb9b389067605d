// SPDX-License-Identifier: Apache-2.0
#include "report/advice_report.h"
#include "web/api.h"
#include "web/json.h"
#include "web/parameter_reader.h"

namespace ckpt::web {
namespace {

Json TargetJson(const TargetState& state) {
  Json json = {{"target", state.info->name}};
  if (!state.advice) return json;
  Json& list = json["advice"] = Json::array();
  for (const Advice& advice : *state.advice) list.push_back(report::AdviceToJson(advice));
  Put(json, "recommended_max_wal_size_bytes", state.recommended_max_wal_size);
  json["statements"] = StatementsOf(*state.advice);
  return json;
}

}  // namespace

Answer AdviceJson(const Targets& targets, const Parameters& parameters, const Now& now) {
  ParameterReader reader(parameters, {"target"});
  Json list = Json::array();
  if (!parameters.empty()) {
    const auto state = reader.Target(targets);
    if (reader.failure()) return *reader.failure();
    list.push_back(TargetJson(*state));
  } else {
    for (const auto& state : targets) list.push_back(TargetJson(*state));
  }
  return {.body = Text({{"now", now.wall}, {"targets", std::move(list)}})};
}

}  // namespace ckpt::web
