// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>

#include "config/connection.h"
#include "core/environment.h"
#include "pg/connector.h"

namespace ckpt::app {

// Connects as a target's configuration says at that moment: password files and certificates are
// read at each connect, so that a rotated one takes effect without a reload.
//
// Threading and ownership: as Connector. The watchdog and the clock outlive it.
class TargetConnector final : public Connector {
 public:
  TargetConnector(config::TargetConfig target, Environment environment, pg::Watchdog& watchdog,
                  const Clock& clock);

  Result<std::unique_ptr<Session>> Connect() override;
  void Cancel() override;

 private:
  const config::TargetConfig target_;
  const Environment environment_;
  pg::Watchdog& watchdog_;
  const Clock& clock_;

  config::Connection connection_;  // what inner_ was made from
  std::mutex mutex_;
  bool cancelled_ = false;                  // guarded by mutex_
  std::unique_ptr<pg::PgConnector> inner_;  // replaced under mutex_, by the connecting thread only
};

}  // namespace ckpt::app
