// SPDX-License-Identifier: Apache-2.0
#include "app/doctor.h"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <iostream>
#include <utility>

#include "app/configuration.h"
#include "app/target_connector.h"
#include "config/connection.h"
#include "pg/poller.h"
#include "pg/watchdog.h"
#include "sys/system_clock.h"

namespace ckpt::app {
namespace {

constexpr int kSomethingMissing = 1;
constexpr int kUsage = 2;

// The report says all that a poller would log.
class Silent final : public LogSink {
 public:
  using LogSink::Log;
  void Log(LogLevel /*level*/, std::string_view /*message*/,
           std::initializer_list<LogField> /*fields*/) override {}
};

// Whether the configuration of the target asks for what an opt-in capability gives.
bool AsksFor(const config::TargetConfig& target, Capability capability) {
  switch (capability) {
    case Capability::kCurrentLogfile:
    case Capability::kReadLog: return target.log_follow == config::LogFollow::kSql;
    case Capability::kEmitMessage: return target.commit_probe_enabled;
    case Capability::kStatements: return target.pg_stat_statements;
    default: return true;
  }
}

void PrintServer(const pg::Poller& poller, const PulseStats& pulse, const Survey& survey) {
  const ServerIdentity& server = poller.server();
  const Settings& settings = survey.rows.settings;
  std::cout << "  PostgreSQL " << server.version.major() << "." << server.version.minor() << ", "
            << (pulse.in_recovery.value_or(0) != 0 ? "standby" : "primary") << "\n";
  if (!server.HasCheckpoints()) {
    std::cout << "  " << server.flavor << " has no checkpoints of its own: no events, no advice\n";
  }
  if (settings.log_checkpoints == 0.0) {
    std::cout << "  log_checkpoints is off: the log tells nothing of checkpoints\n";
  }
}

bool PrintCapabilities(const pg::Poller& poller, const config::TargetConfig& target) {
  bool complete = true;
  for (const CapabilityInfo& info : Capabilities()) {
    if (!info.versions.Contains(poller.server().version)) continue;
    const bool has = poller.capabilities().Has(info.capability);
    if (!has && info.opt_in && !AsksFor(target, info.capability)) continue;
    std::cout << (has ? "  ok       " : "  MISSING  ") << info.name << ": " << info.gives << "\n";
    if (!has) {
      complete = false;
      std::cout << "           " << CureFor(info, poller.role()) << "\n";
    }
  }
  return complete;
}

bool Examine(const config::TargetConfig& target, const Environment& environment,
             pg::Watchdog& watchdog, const Clock& clock) {
  std::cout << target.name << "\n";
  Silent silent;
  TargetConnector connector(target, environment, watchdog, clock);
  pg::PollerOptions options;
  options.target = target.name;
  options.query_timeout = target.statement_timeout + std::chrono::milliseconds(500);
  options.statements = target.pg_stat_statements;
  pg::Poller poller(std::move(options), &connector, &clock, &silent);
  const auto failed = [](const Error& error) {
    std::cout << "  FAILED   " << ErrorCodeName(error.code) << ": " << error.message << "\n";
    return false;
  };
  if (const Status connected = poller.Connect(); !connected.ok()) return failed(connected.error());
  const Result<PulseStats> pulse = poller.Pulse();
  if (!pulse.ok()) return failed(pulse.error());
  const Result<Survey> survey = poller.TakeSurvey();
  if (!survey.ok()) return failed(survey.error());
  PrintServer(poller, pulse.value(), survey.value());
  const bool complete = PrintCapabilities(poller, target);
  if (target.commit_probe_enabled) {
    std::cout
        << "  The commit probe is on. It writes WAL and uses a transaction id each time, so an\n"
           "  idle server no longer skips checkpoints, nor archive_timeout its WAL switches.\n";
  }
  return complete;
}

}  // namespace

CLI::App* AddDoctor(CLI::App* app, DoctorOptions* options) {
  CLI::App* command = app->add_subcommand(
      "doctor", "Print what can be seen of each server, what is missing, and the GRANTs.");
  command->add_option("--config.file", options->config_file, "Configuration file (YAML).");
  command->footer("\nExit status: 0 nothing is missing, 1 something is, 2 wrong usage.\n");
  return command;
}

int Doctor(const DoctorOptions& options) {
  const sys::SystemClock clock;
  const Environment environment = config::CaptureEnvironment();
  const auto config = ConfigurationSource(options.config_file, environment).Load();
  if (!config.ok()) {
    std::cerr << "pgcheckpoint_exporter: " << config.error().message << "\n";
    return kUsage;
  }
  for (const std::string& name : config::LibpqVariables()) ::unsetenv(name.c_str());
  pg::Watchdog watchdog(clock);
  watchdog.Start();
  bool complete = true;
  for (const config::TargetConfig& target : config.value().targets()) {
    if (!Examine(target, environment, watchdog, clock)) complete = false;
  }
  return complete ? 0 : kSomethingMissing;
}

}  // namespace ckpt::app
