// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/command_line.h"

namespace ckpt::app {

// Runs the exporter until SIGTERM or SIGINT. Returns the exit status: 0 after a clean stop, 2 when
// the configuration or an address cannot be used (said on standard error, with the cure).
// REQUIRES: called from main before any thread exists.
int Serve(const CommandLine& line);

// Checks the configuration that `line` names and says what is wrong. Returns 0 or 2.
int CheckConfig(const CommandLine& line);

// Prints what --describe asks for.
int PrintDescription(Describe what);

}  // namespace ckpt::app
