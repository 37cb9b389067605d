// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "app/configuration.h"
#include "app/fleet.h"
#include "core/clock.h"
#include "core/log_sink.h"
#include "core/result.h"
#include "sys/sd_notify.h"

namespace ckpt::app {

// How the last reading of the configuration, or of its target files, went.
struct ReloadOutcome {
  bool successful = false;
  std::optional<UnixSeconds> last_success;
};

// Brings the fleet up to date with the configuration: on request, and when target files change. All
// or nothing: what cannot be read or is not valid is logged with its place and changes nothing.
//
// One thread owns it; Request(), requested() and outcome() may be called from any. All it is given
// must outlive it.
class Reloader {
 public:
  // `wake` is called, by the requesting thread, when there is a request to serve.
  Reloader(ConfigurationSource* source, Fleet* fleet, const Clock* clock, LogSink* log,
           const sys::ServiceNotifier* notifier, std::function<void()> wake);

  // The first one, which the owner has loaded and found good.
  void Begin(const config::ValidatedConfig& config);

  // Asks the owner for a Reload(); `done` is told how it went.
  using Done = std::function<void(const Status&)>;
  void Request(Done done);
  bool requested() const;

  // Reads everything anew. Tells the service manager, and all who have asked so far.
  void Reload();

  // Reads the target files anew if they have changed; to be called every few seconds.
  void LookAtTargetFiles();

  ReloadOutcome outcome() const;

 private:
  // Logs how it went, and puts a good one into force.
  void Take(const Result<config::ValidatedConfig>& config);

  ConfigurationSource* const source_;
  Fleet* const fleet_;
  const Clock* const clock_;
  LogSink* const log_;
  const sys::ServiceNotifier* const notifier_;
  const std::function<void()> wake_;
  mutable std::mutex mutex_;
  std::vector<Done> requests_;  // guarded by mutex_
  ReloadOutcome outcome_;       // guarded by mutex_
};

}  // namespace ckpt::app
