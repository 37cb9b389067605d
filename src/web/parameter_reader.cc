// SPDX-License-Identifier: Apache-2.0
#include "web/parameter_reader.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/numbers.h"
#include "web/json.h"

namespace ckpt::web {
namespace {

// What a client sent is shown back to it, but not at any length.
std::string Shown(std::string_view text) {
  constexpr std::size_t kLongest = 80;
  return "'" + std::string(text.substr(0, kLongest)) + (text.size() > kLongest ? "...'" : "'");
}

std::string NumberText(double value) { return Json(value).dump(); }

}  // namespace

ParameterReader::ParameterReader(const Parameters& parameters,
                                 std::initializer_list<std::string_view> known)
    : parameters_(parameters) {
  std::set<std::string_view> seen;
  for (const auto& [name, value] : parameters) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      std::string names;
      for (const std::string_view word : known) {
        names += (names.empty() ? "" : ", ") + std::string(word);
      }
      Fail(400, "unknown parameter " + Shown(name) + "; known: " + names);
    } else if (!seen.insert(name).second) {
      Fail(400, "parameter " + Shown(name) + " is given twice");
    }
  }
}

std::optional<double> ParameterReader::Number(std::string_view name, double low, double high) {
  const std::string* text = Find(name);
  if (text == nullptr) return std::nullopt;
  const std::optional<double> value = ParseReal(*text);
  if (value && *value >= low && *value <= high) return value;
  Fail(400, "parameter '" + std::string(name) + "' is " + Shown(*text) +
                "; it takes a number from " + NumberText(low) + " to " + NumberText(high));
  return std::nullopt;
}

double ParameterReader::Number(std::string_view name, double fallback, double low, double high) {
  return Number(name, low, high).value_or(fallback);
}

std::size_t ParameterReader::Count(std::string_view name, std::size_t fallback, std::size_t low,
                                   std::size_t high) {
  const std::string* text = Find(name);
  if (text == nullptr) return fallback;
  const std::optional<std::int64_t> value = ParseInt(*text);
  if (value && *value >= static_cast<std::int64_t>(low) &&
      *value <= static_cast<std::int64_t>(high)) {
    return static_cast<std::size_t>(*value);
  }
  Fail(400, "parameter '" + std::string(name) + "' is " + Shown(*text) +
                "; it takes a whole number from " + std::to_string(low) + " to " +
                std::to_string(high));
  return fallback;
}

std::shared_ptr<const TargetState> ParameterReader::Target(const Targets& targets) {
  const std::string* name = Find("target");
  if (name == nullptr) {
    if (targets.size() == 1) return targets.front();
    Fail(400, targets.empty() ? "no target is configured"
                              : "parameter 'target' is missing; it names one of the " +
                                    std::to_string(targets.size()) + " targets");
    return nullptr;
  }
  for (const auto& state : targets) {
    if (state->info->name == *name) return state;
  }
  Fail(404, "no target is named " + Shown(*name));
  return nullptr;
}

const std::string* ParameterReader::Find(std::string_view name) const {
  for (const auto& [key, value] : parameters_) {
    if (key == name) return &value;
  }
  return nullptr;
}

void ParameterReader::Fail(int status, const std::string& message) {
  if (failure_) return;
  failure_ = Answer{.status = status, .body = Text({{"error", message}})};
}

}  // namespace ckpt::web
