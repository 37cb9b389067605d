// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

#include "report/advice_report.h"

namespace CLI {
class App;
}

namespace ckpt::app {

// The subcommand `advise`: watches the configured servers for a while, or reads what their counters
// tell since their reset, and prints what should be changed. Changes nothing.
struct AdviseOptions {
  std::string config_file;
  std::string target;    // empty: all
  double seconds = 600;  // how long to observe
  bool since_reset = false;
  report::ReportFormat format = report::ReportFormat::kText;
};

// Adds the subcommand's options to the command line.
CLI::App* AddAdvise(CLI::App* app, AdviseOptions* options);

// Exit status: 0 nothing to do (information at most), 1 a warning or worse, 2 wrong usage, or a
// server that could not be judged.
int Advise(const AdviseOptions& options);

}  // namespace ckpt::app
