// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

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
// Used by one thread. The factory, clock, log, log worker and store must outlive it.
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
  Changes Apply(const config::ValidatedConfig& config);

  // Stops every worker. Cancels all at once and then waits, so that one that hangs in a name
  // lookup does not delay the others.
  void Stop();

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
  std::map<std::string, Member> members_;
};

}  // namespace ckpt::app
