// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/command_line.h"

// What looks at one thing, prints it and ends.
namespace ckpt::app {

// Checks the configuration and the web configuration that `line` names, and says what is wrong.
// Returns 0 or 2.
int CheckConfig(const CommandLine& line);

// Prints what --describe asks for. Returns 0, or 1 if it cannot be written.
int PrintDescription(Describe what);

}  // namespace ckpt::app
