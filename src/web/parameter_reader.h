// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "web/answer.h"

namespace ckpt::web {

// Reads the query parameters of one request. The first thing that is wrong is kept: read all that
// is needed, then ask failure().
class ParameterReader {
 public:
  // Any other name than those `known`, and a name given twice, is an error: a misspelt parameter
  // must not look as if it had been obeyed.
  ParameterReader(const Parameters& parameters, std::initializer_list<std::string_view> known);

  // A number from `low` to `high`, both included. `fallback` when it is left out.
  double Number(std::string_view name, double fallback, double low, double high);
  // The same for one that may be left out.
  std::optional<double> Number(std::string_view name, double low, double high);
  // The same for a whole number.
  std::size_t Count(std::string_view name, std::size_t fallback, std::size_t low, std::size_t high);

  // The target that `target` names. It may be left out while there is only one. Null: see
  // failure().
  std::shared_ptr<const TargetState> Target(const Targets& targets);

  // For what only the caller can see to be wrong: 400.
  void Fail(const std::string& message) { Fail(400, message); }

  // Set once something was wrong: 400, or 404 for a target that does not exist.
  const std::optional<Answer>& failure() const { return failure_; }

 private:
  const std::string* Find(std::string_view name) const;
  void Fail(int status, const std::string& message);

  const Parameters& parameters_;
  std::optional<Answer> failure_;
};

}  // namespace ckpt::web
