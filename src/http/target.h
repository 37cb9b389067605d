// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.h"

namespace ckpt::http {

// The target of a request line, decoded.
struct Target {
  std::string path;
  std::vector<std::pair<std::string, std::string>> query;
};

// Decodes "/probe?target=a%20b" and the absolute form "http://host/probe?target=a+b". A fragment
// is dropped. Errors (kParse): another form, a broken percent escape, a NUL byte.
Result<Target> ParseTarget(std::string_view text);

// Decodes percent escapes, and '+' as a space where `plus_is_space`. Error (kParse): a '%' that two
// hexadecimal digits do not follow, or an escaped NUL.
Result<std::string> PercentDecode(std::string_view text, bool plus_is_space);

}  // namespace ckpt::http
