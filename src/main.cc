// SPDX-License-Identifier: Apache-2.0
#include <exception>
#include <iostream>
#include <variant>

#include "app/command_line.h"
#include "app/inspect.h"
#include "app/serve.h"

namespace {

int Run(const ckpt::app::AdviseOptions& options) { return ckpt::app::Advise(options); }
int Run(const ckpt::app::AnalyzeOptions& options) { return ckpt::app::Analyze(options); }
int Run(const ckpt::app::DoctorOptions& options) { return ckpt::app::Doctor(options); }
int Run(const ckpt::app::HealthcheckOptions& options) { return ckpt::app::Healthcheck(options); }

}  // namespace

int main(int argc, char** argv) {
  try {
    const auto parsed = ckpt::app::ParseCommandLine(argc, argv);
    if (const auto* exit = std::get_if<ckpt::app::Exit>(&parsed)) {
      (exit->status == 0 ? std::cout : std::cerr) << exit->text;
      return exit->status;
    }
    if (const auto* subcommand = std::get_if<ckpt::app::Subcommand>(&parsed)) {
      return std::visit([](const auto& options) { return Run(options); }, *subcommand);
    }
    const auto& line = std::get<ckpt::app::CommandLine>(parsed);
    if (line.describe != ckpt::app::Describe::kNothing) {
      return ckpt::app::PrintDescription(line.describe);
    }
    if (line.config_check) return ckpt::app::CheckConfig(line);
    return ckpt::app::Serve(line);
  } catch (const std::exception& exception) {
    std::cerr << "pgcheckpoint_exporter: internal error: " << exception.what() << "\n";
    return 1;
  }
}
