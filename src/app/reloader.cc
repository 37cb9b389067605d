// SPDX-License-Identifier: Apache-2.0
#include "app/reloader.h"

#include <string>
#include <utility>

namespace ckpt::app {

Reloader::Reloader(ConfigurationSource* source, Fleet* fleet, const Clock* clock, LogSink* log,
                   const sys::ServiceNotifier* notifier, std::function<void()> wake)
    : source_(source),
      fleet_(fleet),
      clock_(clock),
      log_(log),
      notifier_(notifier),
      wake_(std::move(wake)) {}

void Reloader::Begin(const config::ValidatedConfig& config) {
  fleet_->Apply(config);
  const std::lock_guard<std::mutex> lock(mutex_);
  outcome_ = {true, clock_->Wall()};
}

void Reloader::Request(Done done) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    requests_.push_back(std::move(done));
  }
  wake_();
}

bool Reloader::requested() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return !requests_.empty();
}

void Reloader::Reload() {
  std::vector<Done> requests;
  {
    // Whoever asks from now on may have changed the file after it was read.
    const std::lock_guard<std::mutex> lock(mutex_);
    requests.swap(requests_);
  }
  notifier_->Reloading(*clock_);
  const Result<config::ValidatedConfig> config = source_->Load();
  Take(config);
  const Status status = config.ok() ? Status(Success{}) : Status(config.error());
  notifier_->Ready(status.ok() ? "watching" : "watching; the new configuration is not valid");
  for (const Done& done : requests) done(status);
}

void Reloader::LookAtTargetFiles() {
  if (source_->TargetFilesChanged()) Take(source_->ReadTargetFiles());
}

void Reloader::Take(const Result<config::ValidatedConfig>& config) {
  if (!config.ok()) {
    // The finding is part of the message, because repeats are told by it: another one is news.
    log_->Log(LogLevel::kError, "the configuration is not valid; the one before stays in force: " +
                                    config.error().message);
    const std::lock_guard<std::mutex> lock(mutex_);
    outcome_.successful = false;
    return;
  }
  const Fleet::Changes changes = fleet_->Apply(config.value());
  log_->Log(LogLevel::kInfo, "configuration loaded",
            {{"file", config.value().file()},
             {"targets", std::to_string(config.value().targets().size())},
             {"added", std::to_string(changes.added)},
             {"removed", std::to_string(changes.removed)},
             {"replaced", std::to_string(changes.replaced)},
             {"kept", std::to_string(changes.kept)}});
  const std::lock_guard<std::mutex> lock(mutex_);
  outcome_ = {true, clock_->Wall()};
}

ReloadOutcome Reloader::outcome() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return outcome_;
}

}  // namespace ckpt::app
