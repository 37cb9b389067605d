// SPDX-License-Identifier: Apache-2.0
#include "app/advise.h"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "app/configuration.h"
#include "app/fleet.h"
#include "app/log_worker.h"
#include "app/state_store.h"
#include "app/target_connector.h"
#include "config/connection.h"
#include "core/advice_span.h"
#include "core/amounts.h"
#include "core/pulse_times.h"
#include "pg/watchdog.h"
#include "sys/logging.h"
#include "sys/signals.h"
#include "sys/system_clock.h"

namespace ckpt::app {
namespace {

constexpr int kUsage = 2;
// Counters are there with the first survey; a server that answers does so well within this.
constexpr std::chrono::seconds kFirstAnswer{30};
constexpr std::chrono::milliseconds kLook{100};

// What advice has seen of checkpoints; its windows are not published.
AdviceInput Seen(const TargetState& state) {
  AdviceInput input;
  input.standby = InRecovery(*state.pulse);
  std::vector<CheckpointEvent> events;
  for (const StoredEvent& stored : state.events->recent.Recent(500)) events.push_back(stored.event);
  const Settings& settings = state.survey->rows.settings;
  const UnixSeconds now = ServerTime(*state.pulse);
  input.checkpoints =
      FoldEvents(events, KindNow(*state.pulse), AdviceSince(*state.server, settings, now), now);
  return input;
}

report::TargetAdvice Judge(const TargetState& state, bool since_reset, double seconds) {
  report::TargetAdvice judged;
  judged.target = state.info->name;
  if (!state.server || !state.pulse || !state.survey || !state.advice) {
    judged.problem =
        "the server did not answer" +
        (state.health.last_error
             ? " (" + std::string(ErrorCodeName(*state.health.last_error)) + "; see above)"
             : std::string());
    return judged;
  }
  if (!state.server->HasCheckpoints()) {
    judged.seen = "a server without checkpoints of its own (" + state.server->flavor + ")";
    return judged;
  }
  const AdviceInput input = since_reset ? SinceResetInput(state) : Seen(state);
  judged.seen = report::SeenText(input);
  if (since_reset) judged.seen += " (counters since their reset)";
  if (!since_reset) judged.seen += "; observed for " + DurationText(seconds);
  judged.enough = input.checkpoints.Enough();
  judged.advice = since_reset ? Evaluate(input) : *state.advice;
  return judged;
}

bool Answered(const StateStore& store, std::size_t targets) {
  const auto all = store.All();
  if (all.size() < targets) return false;
  for (const auto& state : all) {
    if (!state->survey) return false;
  }
  return true;
}

}  // namespace

CLI::App* AddAdvise(CLI::App* app, AdviseOptions* options) {
  CLI::App* command = app->add_subcommand(
      "advise", "Observe the servers, print what should be changed and what it costs.");
  command->add_option("--config.file", options->config_file, "Configuration file (YAML).");
  command->add_option("--for", options->seconds, "How long to observe, such as 90s, 10m or 2h.")
      ->transform(CLI::AsNumberWithUnit(
          std::map<std::string, double>{{"s", 1}, {"m", 60}, {"min", 60}, {"h", 3600}}))
      ->check(CLI::Range(1.0, 7 * 86400.0))
      ->default_str("10m");
  command->add_flag("--since-reset", options->since_reset,
                    "Do not observe: judge by the counters since their last reset.");
  command->add_option("--target", options->target, "Only this target of the configuration.");
  command->add_option("--format", options->format, "text, markdown or json.")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, report::ReportFormat>{{"text", report::ReportFormat::kText},
                                                      {"markdown", report::ReportFormat::kMarkdown},
                                                      {"json", report::ReportFormat::kJson}}));
  command->footer(
      "\nExit status: 0 nothing to do, 1 advice of severity warning or critical, 2 wrong usage or "
      "a server that could not be judged.\n");
  return command;
}

int Advise(const AdviseOptions& options) {
  sys::SignalWaiter signals;
  const sys::SystemClock clock;
  const Environment environment = config::CaptureEnvironment();
  sys::Logger log(sys::LogOutputFormat::kLogfmt, LogLevel::kWarn, clock);
  const auto config = ConfigurationSource(options.config_file, environment).Load();
  if (!config.ok()) {
    std::cerr << config.error().message << "\n";
    return kUsage;
  }
  if (!options.target.empty() && config.value().Find(options.target) == nullptr) {
    std::cerr << "pgcheckpoint_exporter: no target is named '" << options.target << "' in "
              << config.value().file() << "\n";
    return kUsage;
  }
  for (const std::string& name : config::LibpqVariables()) ::unsetenv(name.c_str());

  StateStore store;
  pg::Watchdog watchdog(clock);
  LogWorker log_worker(&log, &clock);
  Fleet fleet(
      [&](const config::TargetConfig& target) {
        return std::make_unique<TargetConnector>(target, environment, watchdog, clock);
      },
      &clock, &log, &log_worker, &store);
  watchdog.Start();
  log_worker.Start();
  fleet.Apply(config.value(), options.target);

  const auto length =
      options.since_reset
          ? std::chrono::duration_cast<std::chrono::nanoseconds>(kFirstAnswer)
          : std::chrono::nanoseconds(static_cast<std::int64_t>(options.seconds * 1e9));
  if (!options.since_reset) {
    std::cerr << "observing for " << DurationText(options.seconds)
              << "; Ctrl-C ends it early and prints what was seen\n";
  }
  const MonotonicTime begin = clock.Monotonic();
  const MonotonicTime end = begin + length;
  const std::size_t targets = options.target.empty() ? config.value().targets().size() : 1;
  while (clock.Monotonic() < end) {
    if (options.since_reset && Answered(store, targets)) break;
    if (signals.Wait(kLook) == sys::Signal::kTerminate) break;
  }
  const double observed = std::chrono::duration<double>(clock.Monotonic() - begin).count();
  // A worker that hangs in a name lookup cannot be waited for; what was seen is printed all the
  // same.
  const bool stopped = fleet.Stop(std::chrono::seconds(5));

  std::vector<report::TargetAdvice> judged;
  bool failed = false;
  for (const auto& state : store.All()) {
    judged.push_back(Judge(*state, options.since_reset, observed));
    failed = failed || !judged.back().problem.empty();
  }
  std::cout << report::AdviceReport(judged, options.format) << std::flush;
  const int status = report::NeedsAction(judged) ? 1 : failed ? kUsage : 0;
  if (!stopped) std::_Exit(status);
  return status;
}

}  // namespace ckpt::app
