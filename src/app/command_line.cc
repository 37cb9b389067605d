// SPDX-License-Identifier: Apache-2.0
#include "app/command_line.h"

#include <CLI/CLI.hpp>
#include <map>
#include <utility>

#include "app/build_info.h"

namespace ckpt::app {
namespace {

constexpr char kDefaultListenAddress[] = ":10432";

constexpr char kEpilogue[] =
    "\nThe server to watch comes from --config.file, or from DATA_SOURCE_NAME, or from the PG* "
    "variables.\n";

}  // namespace

std::variant<CommandLine, Exit, Subcommand> ParseCommandLine(int argc, const char* const* argv) {
  CommandLine line;
  std::string log_level = "info";
  std::string log_format = "logfmt";
  std::string describe;

  CLI::App app{"Prometheus exporter for PostgreSQL checkpoints.", "pgcheckpoint_exporter"};
  app.footer(kEpilogue);
  app.set_version_flag("--version", VersionText(), "Print version and build, and exit.");
  app.add_option("--config.file", line.config_file, "Configuration file (YAML).");
  app.add_flag("--config.check", line.config_check, "Check the configuration and exit.");
  app.add_option("--web.listen-address", line.listen_addresses,
                 "Address to listen on, such as :10432, 127.0.0.1:10432 or [::1]:10432; may be "
                 "repeated. Default :10432.");
  app.add_flag("--web.systemd-socket", line.systemd_socket,
               "Use the listening sockets that systemd passes instead of addresses.");
  app.add_option("--web.config.file", line.web_config_file,
                 "File with TLS and authentication, as other Prometheus exporters have it.");
  app.add_option("--web.telemetry-path", line.telemetry_path, "Path of the metrics.")
      ->default_val("/metrics");
  app.add_flag("--web.enable-lifecycle", line.enable_lifecycle,
               "Allow POST /-/reload to load the configuration anew.");
  app.add_option("--log.level", log_level, "Least severe level to log.")
      ->check(CLI::IsMember({"debug", "info", "warn", "error"}));
  app.add_option("--log.format", log_format, "How log records are written.")
      ->check(CLI::IsMember({"logfmt", "json"}));
  app.add_option("--describe", describe,
                 "Print what the exporter knows of itself and exit: its metrics as json or "
                 "markdown, its configuration keys (config), the SQL that it sends to each "
                 "version of PostgreSQL (sql), or its rules of advice (advice).")
      ->check(CLI::IsMember({"json", "markdown", "config", "sql", "advice"}));
  app.allow_extras(false);
  AdviseOptions advise;
  AnalyzeOptions analyze;
  const CLI::App* advise_command = AddAdvise(&app, &advise);
  const CLI::App* analyze_command = AddAnalyze(&app, &analyze);
  DoctorOptions doctor;
  HealthcheckOptions healthcheck;
  const CLI::App* doctor_command = AddDoctor(&app, &doctor);
  const CLI::App* healthcheck_command = AddHealthcheck(&app, &healthcheck);
  app.require_subcommand(0, 1);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {
      const bool version = dynamic_cast<const CLI::CallForVersion*>(&error) != nullptr;
      return Exit{0, version ? std::string(error.what()) + "\n" : app.help()};
    }
    return Exit{2, std::string("pgcheckpoint_exporter: ") + error.what() +
                       "\nRun pgcheckpoint_exporter --help for the options.\n"};
  }
  if (advise_command->parsed()) {
    if (advise.config_file.empty()) advise.config_file = line.config_file;
    return Subcommand(std::move(advise));
  }
  if (analyze_command->parsed()) return Subcommand(std::move(analyze));
  if (doctor_command->parsed()) {
    if (doctor.config_file.empty()) doctor.config_file = line.config_file;
    return Subcommand(std::move(doctor));
  }
  if (healthcheck_command->parsed()) return Subcommand(std::move(healthcheck));
  if (line.telemetry_path.empty() || line.telemetry_path.front() != '/') {
    return Exit{2,
                "pgcheckpoint_exporter: --web.telemetry-path must begin with '/', such as "
                "/metrics\n"};
  }
  if (line.systemd_socket && !line.listen_addresses.empty()) {
    return Exit{2,
                "pgcheckpoint_exporter: give --web.listen-address or --web.systemd-socket, not "
                "both\n"};
  }
  if (line.listen_addresses.empty() && !line.systemd_socket) {
    line.listen_addresses.emplace_back(kDefaultListenAddress);
  }
  line.log_level = sys::ParseLogLevel(log_level).value_or(LogLevel::kInfo);
  line.log_format = sys::ParseLogOutputFormat(log_format).value_or(sys::LogOutputFormat::kLogfmt);
  const std::map<std::string, Describe> descriptions{{"json", Describe::kJson},
                                                     {"markdown", Describe::kMarkdown},
                                                     {"config", Describe::kConfig},
                                                     {"sql", Describe::kSql},
                                                     {"advice", Describe::kAdvice}};
  if (const auto found = descriptions.find(describe); found != descriptions.end()) {
    line.describe = found->second;
  }
  return line;
}

}  // namespace ckpt::app
