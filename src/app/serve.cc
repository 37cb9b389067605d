// SPDX-License-Identifier: Apache-2.0
#include "app/serve.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/build_info.h"
#include "app/configuration.h"
#include "app/deadline_queue.h"
#include "app/fleet.h"
#include "app/reloader.h"
#include "app/routes.h"
#include "app/target_connector.h"
#include "config/connection.h"
#include "config/load_web_config.h"
#include "http/server.h"
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

using std::chrono::milliseconds;

constexpr int kUsage = 2;

// Two allocation arenas are enough for threads that mostly wait, and keep a fleet's memory small.
constexpr int kArenas = 2;

// How often target files are looked at.
constexpr std::chrono::seconds kLookInterval{2};

// How long a stop waits for workers.
constexpr std::chrono::seconds kPatience{3};

int Refuse(const Error& error) {
  std::cerr << "pgcheckpoint_exporter: " << error.message << "\n";
  return kUsage;
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

metrics::ProcessState StateOfProcess(const sys::ProcessStatsReader& reader,
                                     const ReloadOutcome& reload) {
  const sys::ProcessStats stats = reader.Read();
  metrics::ProcessState state;
  state.version = BuildVersion();
  state.revision = BuildRevision();
  state.compiler = BuildCompiler();
  state.config_reload_successful = reload.successful;
  state.config_reload_time = reload.last_success;
  state.cpu_seconds = stats.cpu_seconds_total;
  state.resident_bytes = stats.resident_memory_bytes;
  state.virtual_bytes = stats.virtual_memory_bytes;
  state.open_fds = stats.open_fds;
  state.max_fds = stats.max_fds;
  state.threads = stats.threads;
  state.start_time = stats.start_time_seconds;
  return state;
}

// Where to listen and whom to serve, as the command line says.
Result<http::ServerOptions> OptionsOfServer(const CommandLine& line, const Environment& environment,
                                            const Clock& clock, LogSink& log) {
  http::ServerOptions options;
  options.listen_addresses = line.listen_addresses;
  options.clock = &clock;
  options.log = [&log](http::LogLevel level, const std::string& message) {
    log.Log(LevelOf(level), "http", {{"error", message}});
  };
  if (!line.web_config_file.empty()) {
    options.web_config.path = line.web_config_file;
    options.web_config.load = [file = line.web_config_file] { return config::LoadWebConfig(file); };
  }
  if (line.systemd_socket) {
    const auto sockets = sys::TakeListenSockets(environment);
    if (!sockets.ok()) return sockets.error();
    for (const sys::ListenSocket& socket : sockets.value()) {
      options.inherited_sockets.push_back(socket.fd);
    }
  }
  return options;
}

Status CheckPaths(const std::vector<http::Route>& routes) {
  std::set<std::string> paths;
  for (const http::Route& route : routes) {
    if (paths.insert(route.path).second) continue;
    return Error{ErrorCode::kConfig, "--web.telemetry-path: " + route.path +
                                         " is a page of its own; choose another path"};
  }
  return Success{};
}

// Tells systemd that all is well, as often as it wants to hear it and only while that is so.
class Heartbeat {
 public:
  Heartbeat(const sys::ServiceNotifier& notifier, LogSink& log) : notifier_(notifier), log_(log) {}

  bool wanted() const { return notifier_.watchdog_interval().has_value(); }
  milliseconds interval() const {
    return std::chrono::duration_cast<milliseconds>(*notifier_.watchdog_interval() / 2);
  }
  // Once it has stopped, systemd restarts the service.
  void Beat(const Fleet& fleet, const LogWorker& log_worker, MonotonicTime now) {
    std::vector<std::string> stuck = fleet.Stuck(now);
    if (log_worker.Stuck(now)) stuck.emplace_back("the reader of server logs");
    if (stuck.empty()) {
      notifier_.Watchdog();
    } else if (!std::exchange(told_, true)) {
      log_.Log(LogLevel::kError, "a thread is stuck; the watchdog is not fed any more",
               {{"stuck", stuck.front()}, {"threads", std::to_string(stuck.size())}});
    }
  }

 private:
  const sys::ServiceNotifier& notifier_;
  LogSink& log_;
  bool told_ = false;
};

// The owner of everything that is not on a thread of its own. Returns when the process is to end.
void Watch(sys::SignalWaiter& signals, const Clock& clock, Fleet& fleet,
           const LogWorker& log_worker, Reloader& reloader, DeadlineQueue& deadlines,
           Heartbeat heartbeat) {
  MonotonicTime next_look = clock.Monotonic() + kLookInterval;
  MonotonicTime next_beat = clock.Monotonic();
  for (;;) {
    const MonotonicTime now = clock.Monotonic();
    deadlines.RunDue(now);
    if (heartbeat.wanted() && now >= next_beat) {
      heartbeat.Beat(fleet, log_worker, now);
      next_beat = now + heartbeat.interval();
    }
    if (now >= next_look) {
      reloader.LookAtTargetFiles();
      fleet.Reap();
      next_look = now + kLookInterval;
    }
    MonotonicTime next = next_look;
    if (heartbeat.wanted()) next = std::min(next, next_beat);
    if (const auto deadline = deadlines.Next()) next = std::min(next, *deadline);
    const auto wait = std::chrono::ceil<milliseconds>(next - clock.Monotonic());
    const sys::Signal signal = signals.Wait(std::max(wait, milliseconds(0)));
    if (signal == sys::Signal::kTerminate) return;
    if (signal == sys::Signal::kReload || reloader.requested()) reloader.Reload();
  }
}

}  // namespace

int Serve(const CommandLine& line) {
  sys::SignalWaiter signals;
  sys::LimitArenas(kArenas);
  const sys::SystemClock clock;
  const Environment environment = config::CaptureEnvironment();
  const sys::ServiceNotifier notifier(environment);
  const sys::ProcessStatsReader process_stats(clock);
  sys::Logger log(line.log_format, line.log_level, clock);

  ConfigurationSource source(line.config_file, environment);
  const auto config = source.Load();
  if (!config.ok()) return Refuse(config.error());
  // From here on no connection may take anything from the environment that its target did not.
  for (const std::string& name : config::LibpqVariables()) ::unsetenv(name.c_str());
  auto options = OptionsOfServer(line, environment, clock, log);
  if (!options.ok()) return Refuse(options.error());

  StateStore store;
  pg::Watchdog watchdog(clock);
  LogWorker log_worker(&log, &clock);
  Fleet fleet(
      [&](const config::TargetConfig& target) {
        return std::make_unique<TargetConnector>(target, environment, watchdog, clock);
      },
      &clock, &log, &log_worker, &store);
  const auto wake = [&signals] { signals.Wake(); };
  Reloader reloader(&source, &fleet, &clock, &log, &notifier, wake);
  DeadlineQueue deadlines(wake);

  RouteContext context;
  context.store = &store;
  context.clock = &clock;
  context.process_state = [&] { return StateOfProcess(process_stats, reloader.outcome()); };
  context.telemetry_path = line.telemetry_path;
  context.probe = {&store, &clock, &deadlines,
                   [&fleet](const std::string& target, TargetWorker::Collected done) {
                     return fleet.Collect(target, std::move(done));
                   }};
  if (line.enable_lifecycle) {
    context.reload = [&reloader](Reloader::Done done) { reloader.Request(std::move(done)); };
  }
  std::vector<http::Route> routes = MakeRoutes(context);
  if (const Status distinct = CheckPaths(routes); !distinct.ok()) return Refuse(distinct.error());
  const auto server = http::MakeHttpServer(std::move(options).value(), std::move(routes));

  if (const Status started = server->Start(); !started.ok()) return Refuse(started.error());
  watchdog.Start();
  log_worker.Start();
  reloader.Begin(config.value());
  for (const std::string& address : server->BoundAddresses()) {
    log.Log(LogLevel::kInfo, "listening", {{"address", address}});
  }
  notifier.Ready("watching");

  Watch(signals, clock, fleet, log_worker, reloader, deadlines, {notifier, log});

  log.Log(LogLevel::kInfo, "stopping");
  notifier.Stopping();
  server->Stop();
  if (!fleet.Stop(kPatience)) {
    log.Log(LogLevel::kWarn, "a name lookup is still under way; exiting without its end");
    std::_Exit(0);
  }
  return 0;
}

}  // namespace ckpt::app
