// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/advice_input.h"
#include "core/server_version.h"
#include "core/wal_sizing.h"

// What should be changed on a server, why, and what that costs. Everything here is pure: a rule
// looks at an AdviceInput and at nothing else.
namespace ckpt {

enum class Severity : std::uint8_t { kCritical, kWarning, kInfo };
constexpr std::string_view SeverityName(Severity severity) {
  switch (severity) {
    case Severity::kCritical: return "critical";
    case Severity::kWarning: return "warning";
    case Severity::kInfo: return "info";
  }
  return "info";
}

// A setting to change. `statement` is to be copied by a person; the exporter never runs it.
struct Suggestion {
  std::string setting;
  std::string value;      // as postgresql.conf spells it
  std::string statement;  // "ALTER SYSTEM SET ..."
  bool needs_restart = false;
};

// What a rule found. Texts are whole sentences.
struct Finding {
  std::string message;
  std::vector<std::string> evidence;  // with the numbers it rests on
  std::vector<Suggestion> suggestions;
  std::vector<std::string> steps;  // what to do that is not a setting
  std::string cost;
  std::string confidence;
  std::optional<WalSizing> sizing;  // where max_wal_size is suggested
};

struct Advice : Finding {
  std::string_view rule;  // AdviceRule::id
  Severity severity = Severity::kInfo;
  std::string_view title;
  std::string doc;  // "docs/advice.md#rule_id"
};

enum class AdviceRole : std::uint8_t { kAny, kPrimary, kStandby };

// TABLE row. Adding one is all that a new rule takes: evaluation, metrics, the API, every report
// and docs/advice.md follow from it.
struct AdviceRule {
  std::string_view id;  // the label `rule`, and the anchor in docs/advice.md
  Severity severity = Severity::kInfo;
  AdviceRole role = AdviceRole::kAny;
  VersionRange versions{};
  std::string_view title;
  // For docs/advice.md: when it fires, what that means, what the cure costs.
  std::string_view fires;
  std::string_view meaning;
  std::string_view cost;
  // Cheap; false wherever an input is not known.
  bool (*holds)(const AdviceInput& input);
  // REQUIRES: holds(input).
  Finding (*explain)(const AdviceInput& input);

  // Whether the rule can ever hold on such a server.
  bool Applies(const ServerIdentity& server, bool standby) const;
};

// Most severe first.
std::span<const AdviceRule> AdviceRules();
const AdviceRule* FindAdviceRule(std::string_view id);

// What holds, in the order of the table. Empty on a server that has no checkpoints of its own.
std::vector<Advice> Evaluate(const AdviceInput& input);

// The size that max_wal_size should have: that of the advice where some is to change it, else the
// one in force. Empty while too little was seen to judge.
OptionalReal RecommendedMaxWalSize(const AdviceInput& input, std::span<const Advice> advice);

// The statements of all advice without repetition, with the reload that makes them effective.
std::vector<std::string> StatementsOf(std::span<const Advice> advice);

// docs/advice.md, from the table.
std::string DescribeAdvice();

}  // namespace ckpt
