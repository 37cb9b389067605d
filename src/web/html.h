// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/clock.h"

namespace ckpt::web {

// A text as content or as a quoted attribute value of HTML.
std::string Escape(std::string_view text);

// A text as the value of a query parameter.
std::string PercentEncode(std::string_view text);

// <time> with the moment in UTC, which a script may show as local time.
std::string TimeElement(UnixSeconds time);

// The relative link to the page of a target.
std::string TargetHref(std::string_view name);

}  // namespace ckpt::web
