// SPDX-License-Identifier: Apache-2.0
#include "app/target_connector.h"

#include <utility>

namespace ckpt::app {

TargetConnector::TargetConnector(config::TargetConfig target, Environment environment,
                                 pg::Watchdog& watchdog, const Clock& clock)
    : target_(std::move(target)),
      environment_(std::move(environment)),
      watchdog_(watchdog),
      clock_(clock) {}

Result<std::unique_ptr<Session>> TargetConnector::Connect() {
  Result<config::Connection> connection = config::ResolveConnection(target_, environment_);
  if (!connection.ok()) return connection.error();
  // What a connector has found out (a pooler in between, say) is kept while nothing has changed.
  const bool same = inner_ != nullptr && connection.value().parameters == connection_.parameters &&
                    connection.value().password == connection_.password;
  if (!same) {
    connection_ = std::move(connection).value();
    ConnectionParameters parameters;
    parameters.parameters = connection_.parameters;
    parameters.password = connection_.password;
    parameters.timeouts.connect = target_.connect_timeout;
    parameters.timeouts.statement = target_.statement_timeout;
    parameters.timeouts.lock = target_.lock_timeout;
    auto inner = std::make_unique<pg::PgConnector>(std::move(parameters), watchdog_, clock_);
    const std::lock_guard<std::mutex> lock(mutex_);
    inner_ = std::move(inner);
    if (cancelled_) inner_->Cancel();
  }
  return inner_->Connect();
}

void TargetConnector::Cancel() {
  const std::lock_guard<std::mutex> lock(mutex_);
  cancelled_ = true;
  if (inner_) inner_->Cancel();
}

}  // namespace ckpt::app
