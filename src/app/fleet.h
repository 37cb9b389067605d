// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "app/log_worker.h"
#include "app/state_store.h"
#include "app/target_worker.h"
#include "config/config.h"

namespace ckpt::app {

// Makes the connector of a target.
using ConnectorFactory = std::function<std::unique_ptr<Connector>(const config::TargetConfig&)>;

// All targets of a configuration, each with a worker and its thread. Applying a new configuration
// stops the workers of targets that are gone, starts those of new ones, and replaces those whose
// settings differ; the others go on untouched, with their connection and their windows.
//
// Used by one thread, but for Collect(). The factory, clock, log, log worker and store must outlive
// it.
class Fleet {
 public:
  Fleet(ConnectorFactory factory, const Clock* clock, LogSink* log, LogWorker* log_worker,
        StateStore* store);
  ~Fleet();
  Fleet(const Fleet&) = delete;
  Fleet& operator=(const Fleet&) = delete;

  struct Changes {
    std::size_t added = 0;
    std::size_t removed = 0;
    std::size_t replaced = 0;
    std::size_t kept = 0;
  };
  // Waits a second at most for the workers that leave, so that their connections are closed before
  // new ones open. One that hangs in a name lookup is left to end by itself.
  // `only`: the one target to watch of them; empty for all.
  Changes Apply(const config::ValidatedConfig& config, const std::string& only = {});

  enum class CollectOutcome : std::uint8_t { kAsked, kUnknownTarget, kBusy };
  // TargetWorker::Collect of the target of that name. From any thread.
  CollectOutcome Collect(const std::string& target, TargetWorker::Collected done);

  // The targets whose worker is stuck: a step lasts longer than all its deadlines together.
  std::vector<std::string> Stuck(MonotonicTime now) const;

  // Frees workers that have left and ended meanwhile.
  void Reap();

  // Stops every worker. Cancels all at once and then waits. False: some have not ended within
  // `patience`, so that this object cannot be destroyed without waiting for them.
  bool Stop(std::chrono::milliseconds patience);

 private:
  struct Member {
    config::TargetConfig config;
    std::unique_ptr<TargetWorker> worker;
  };
  std::unique_ptr<TargetWorker> MakeWorker(const config::TargetConfig& target,
                                           std::chrono::nanoseconds phase);

  const ConnectorFactory factory_;
  const Clock* const clock_;
  LogSink* const log_;
  LogWorker* const log_worker_;
  StateStore* const store_;
  std::vector<std::unique_ptr<TargetWorker>> leaving_;
  // Changed by the owning thread, under mutex_; so that thread reads it without.
  std::map<std::string, Member> members_;
  std::mutex mutex_;
};

}  // namespace ckpt::app
