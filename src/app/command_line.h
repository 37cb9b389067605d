// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "app/advise.h"
#include "app/analyze.h"
#include "app/doctor.h"
#include "app/healthcheck.h"
#include "core/log_sink.h"
#include "sys/log_format.h"

namespace ckpt::app {

enum class Describe : std::uint8_t { kNothing, kJson, kMarkdown, kConfig, kSql, kAdvice };

// What the operator asked for.
struct CommandLine {
  std::string config_file;  // empty: DATA_SOURCE_NAME or PG* variables
  bool config_check = false;
  std::vector<std::string> listen_addresses;
  bool systemd_socket = false;
  std::string web_config_file;
  std::string telemetry_path;
  bool enable_lifecycle = false;
  LogLevel log_level = LogLevel::kInfo;
  sys::LogOutputFormat log_format = sys::LogOutputFormat::kLogfmt;
  Describe describe = Describe::kNothing;
};

// A subcommand was given.
using Subcommand = std::variant<AdviseOptions, AnalyzeOptions, DoctorOptions, HealthcheckOptions>;

// The process is to end now, with this text (for standard output when the status is 0, else for
// standard error) and exit status: 0 after --help or --version, 2 for wrong usage.
struct Exit {
  int status = 0;
  std::string text;
};

// Parses the arguments. Errors name the argument and the cure.
std::variant<CommandLine, Exit, Subcommand> ParseCommandLine(int argc, const char* const* argv);

}  // namespace ckpt::app
