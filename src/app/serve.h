// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/command_line.h"

namespace ckpt::app {

// Runs the exporter until SIGTERM or SIGINT. Returns the exit status: 0 after a stop, 2 when the
// configuration or an address cannot be used (said on standard error, with the cure). Where a
// worker hangs in a name lookup, which nothing can break off, the process exits from within.
// REQUIRES: called from main before any thread exists.
int Serve(const CommandLine& line);

}  // namespace ckpt::app
