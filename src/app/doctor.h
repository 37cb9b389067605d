// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace ckpt::app {

// The subcommand `doctor`: connects once to each configured server and prints what can be seen
// there, what is missing, and the GRANT that cures it. Changes nothing.
struct DoctorOptions {
  std::string config_file;
};

CLI::App* AddDoctor(CLI::App* app, DoctorOptions* options);

// Exit status: 0 nothing is missing, 1 something is or a server cannot be reached, 2 wrong usage
// or configuration.
int Doctor(const DoctorOptions& options);

}  // namespace ckpt::app
