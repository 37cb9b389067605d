// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/settings.h"
#include "report/analysis_report.h"

namespace CLI {
class App;
}

namespace ckpt::app {

// The subcommand `analyze`: reads finished server logs, plain or gzip, and prints a report.
struct AnalyzeOptions {
  std::vector<std::string> logs;          // of one server, in the order of time
  std::string bench_file;                 // the output of `pgbench -P`
  double bench_start = 0;                 // Unix seconds of its second 0
  std::optional<double> timezone_offset;  // hours east of UTC
  report::AnalysisFormat format = report::AnalysisFormat::kText;
  // What the server's settings were, for advice on sizes.
  Settings settings;
};

CLI::App* AddAnalyze(CLI::App* app, AnalyzeOptions* options);

// Exit status: 0 a report was printed, 2 a file cannot be read or holds no checkpoint.
int Analyze(const AnalyzeOptions& options);

}  // namespace ckpt::app
