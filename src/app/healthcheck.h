// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace ckpt::app {

// The subcommand `healthcheck`: asks a running exporter for /-/healthy over plain HTTP, for
// containers that have no shell and no curl.
struct HealthcheckOptions {
  std::string address = "127.0.0.1:10432";  // host:port
};

CLI::App* AddHealthcheck(CLI::App* app, HealthcheckOptions* options);

// Exit status: 0 healthy, 1 not (said on standard error), 2 wrong usage.
int Healthcheck(const HealthcheckOptions& options);

}  // namespace ckpt::app
