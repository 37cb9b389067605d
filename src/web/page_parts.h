// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "web/answer.h"

// Parts of the live page; for page.cc only.
namespace ckpt::web {

// <main> of the list of all targets. `unknown`: the name that was asked for in vain, or empty.
std::string FleetMain(const Targets& targets, const Now& now, std::string_view unknown);

// <main> of one target.
std::string TargetMain(const TargetState& state, const Now& now);

// The table of the last checkpoints, newest first.
std::string EventsTable(const TargetState& state);

// Who writes the pages of the database, and what this role may not see.
std::string WritersTable(const TargetState& state);
std::string MissingPrivileges(const TargetState& state);

// What should be changed, with its evidence and cost.
std::string AdviceList(const TargetState& state);

// The chip that tells a state by mark and words.
std::string StatusChip(std::string_view mark, std::string_view text);

}  // namespace ckpt::web
