// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "core/checkpoint_event.h"
#include "logs/checkpoint_message.h"

namespace ckpt::logs {

// The "complete" line in any version and language. See Complete.
std::optional<Complete> ParseComplete(std::string_view message);

// The kind that the words before a message's numbers or flags name; empty if no word is known.
std::optional<EventKind> KindOf(std::string_view words);

// text as flag words, each preceded by spaces; empty optional if it holds any other word.
std::optional<CheckpointFlags> ParseFlags(std::string_view text);

}  // namespace ckpt::logs
