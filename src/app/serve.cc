// SPDX-License-Identifier: Apache-2.0
#include "app/serve.h"

#include <cstdlib>
#include <iostream>
#include <memory>
#include <utility>

#include "app/build_info.h"
#include "app/configuration.h"
#include "app/fleet.h"
#include "app/routes.h"
#include "app/target_connector.h"
#include "config/connection.h"
#include "config/describe.h"
#include "core/advice.h"
#include "core/sql_plan.h"
#include "http/server.h"
#include "metrics/describe.h"
#include "pg/watchdog.h"
#include "sys/listen_fds.h"
#include "sys/logging.h"
#include "sys/memory.h"
#include "sys/process_stats.h"
#include "sys/sd_notify.h"
#include "sys/signals.h"
#include "sys/system_clock.h"

namespace ckpt::app {
namespace {

constexpr int kUsage = 2;

// Two allocation arenas are enough for threads that mostly wait, and keep a fleet's memory small.
constexpr int kArenas = 2;

void PrintError(const Error& error) {
  std::cerr << "pgcheckpoint_exporter: " << error.message << "\n";
}

LogLevel LevelOf(http::LogLevel level) {
  switch (level) {
    case http::LogLevel::kDebug: return LogLevel::kDebug;
    case http::LogLevel::kInfo: return LogLevel::kInfo;
    case http::LogLevel::kWarning: return LogLevel::kWarn;
    case http::LogLevel::kError: return LogLevel::kError;
  }
  return LogLevel::kError;
}

metrics::ProcessState StateOfProcess(const sys::ProcessStatsReader& reader) {
  const sys::ProcessStats stats = reader.Read();
  metrics::ProcessState state;
  state.version = BuildVersion();
  state.revision = BuildRevision();
  state.compiler = BuildCompiler();
  state.cpu_seconds = stats.cpu_seconds_total;
  state.resident_bytes = stats.resident_memory_bytes;
  state.virtual_bytes = stats.virtual_memory_bytes;
  state.open_fds = stats.open_fds;
  state.max_fds = stats.max_fds;
  state.threads = stats.threads;
  state.start_time = stats.start_time_seconds;
  return state;
}

std::string SqlDescription() {
  std::string out;
  for (int major = 10; major <= 19; ++major) {
    ServerCatalog catalog;
    catalog.version.num = major * 10000;
    catalog.checkpointer_pid = 0;
    for (const CapabilityInfo& info : Capabilities()) {
      catalog.capabilities.Set(info.capability, info.versions.Contains(catalog.version));
    }
    out += "-- PostgreSQL " + std::to_string(major) + ": pulse\n" + PlanPulse(catalog).sql + ";\n";
    out += "-- PostgreSQL " + std::to_string(major) + ": survey\n" + PlanSurvey(catalog).sql +
           ";\n" + PlanRows(catalog).sql + ";\n";
  }
  return out;
}

}  // namespace

int PrintDescription(Describe what) {
  switch (what) {
    case Describe::kNothing: break;
    case Describe::kJson: std::cout << metrics::DescribeJson(); break;
    case Describe::kMarkdown: std::cout << metrics::DescribeMarkdown(); break;
    case Describe::kConfig: std::cout << config::DescribeConfig(); break;
    case Describe::kAdvice: std::cout << DescribeAdvice(); break;
    case Describe::kSql: std::cout << SqlDescription(); break;
  }
  return std::cout.flush() ? 0 : 1;
}

int CheckConfig(const CommandLine& line) {
  const auto config = LoadConfiguration(line.config_file, config::CaptureEnvironment());
  if (!config.ok()) {
    PrintError(config.error());
    return kUsage;
  }
  std::cout << config.value().file() << ": valid, " << config.value().targets().size()
            << " targets\n";
  return 0;
}

int Serve(const CommandLine& line) {
  sys::SignalWaiter signals;
  sys::LimitArenas(kArenas);
  const sys::SystemClock clock;
  const Environment environment = config::CaptureEnvironment();
  const sys::ServiceNotifier notifier(environment);
  const sys::ProcessStatsReader process_stats(clock);
  sys::Logger log(line.log_format, line.log_level, clock);

  const auto config = LoadConfiguration(line.config_file, environment);
  if (!config.ok()) {
    PrintError(config.error());
    return kUsage;
  }
  // From here on no connection may take anything from the environment that its target did not.
  for (const std::string& name : config::LibpqVariables()) ::unsetenv(name.c_str());

  http::ServerOptions options;
  options.listen_addresses = line.listen_addresses;
  options.clock = &clock;
  options.log = [&log](http::LogLevel level, const std::string& message) {
    log.Log(LevelOf(level), "http", {{"error", message}});
  };
  if (line.systemd_socket) {
    const auto sockets = sys::TakeListenSockets(environment);
    if (!sockets.ok()) {
      PrintError(sockets.error());
      return kUsage;
    }
    for (const sys::ListenSocket& socket : sockets.value()) {
      options.inherited_sockets.push_back(socket.fd);
    }
  }

  StateStore store;
  RouteContext context;
  context.store = &store;
  context.clock = &clock;
  context.process_state = [&process_stats] { return StateOfProcess(process_stats); };
  context.telemetry_path = line.telemetry_path;
  const auto server = http::MakeHttpServer(std::move(options), MakeRoutes(context));

  pg::Watchdog watchdog(clock);
  LogWorker log_worker(&log);
  Fleet fleet(
      [&](const config::TargetConfig& target) {
        return std::make_unique<TargetConnector>(target, environment, watchdog, clock);
      },
      &clock, &log, &log_worker, &store);

  if (Status started = server->Start(); !started.ok()) {
    PrintError(started.error());
    return kUsage;
  }
  watchdog.Start();
  log_worker.Start();
  fleet.Apply(config.value());
  for (const std::string& address : server->BoundAddresses()) {
    log.Log(LogLevel::kInfo, "listening", {{"address", address}});
  }
  notifier.Ready("watching");

  const auto watchdog_interval = notifier.watchdog_interval();
  for (;;) {
    const auto wait =
        watchdog_interval
            ? std::chrono::duration_cast<std::chrono::milliseconds>(*watchdog_interval / 2)
            : std::chrono::milliseconds(std::chrono::minutes(1));
    const sys::Signal signal = signals.Wait(wait);
    if (signal == sys::Signal::kTerminate) break;
    if (watchdog_interval) notifier.Watchdog();
  }
  log.Log(LogLevel::kInfo, "stopping");
  notifier.Stopping();
  server->Stop();
  fleet.Stop();
  return 0;
}

}  // namespace ckpt::app
