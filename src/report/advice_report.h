// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/advice.h"

// Findings for people and programs. Pure functions.
namespace ckpt::report {

// The findings about one server.
struct TargetAdvice {
  std::string target;
  std::string problem;  // why nothing could be judged; empty: it was
  std::string seen;     // what the findings rest on: "12 checkpoints in 1.5 h"
  bool enough = true;   // enough was seen to judge checkpoints
  std::vector<Advice> advice;
};

// "12 checkpoints in 1.5 h: 8 by WAL volume, ..." of what an input has seen.
std::string SeenText(const AdviceInput& input);

enum class ReportFormat { kText, kMarkdown, kJson };

std::string AdviceReport(const std::vector<TargetAdvice>& targets, ReportFormat format);

// One finding as an object; docs/api.md is its contract.
nlohmann::ordered_json AdviceToJson(const Advice& advice);

// Whether one is a warning or worse.
bool NeedsAction(const std::vector<TargetAdvice>& targets);

}  // namespace ckpt::report
