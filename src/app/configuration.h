// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "config/config.h"
#include "config/connection.h"

namespace ckpt::app {

// The configuration from the file, or from the environment where `file` is empty. The error lists
// every finding, one a line, with its place.
Result<config::ValidatedConfig> LoadConfiguration(const std::string& file,
                                                  const Environment& environment);

}  // namespace ckpt::app
