// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace ckpt {

// The environment, as a function so that tests own it. Empty: the variable is not set.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

}  // namespace ckpt
