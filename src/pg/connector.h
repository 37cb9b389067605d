// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "core/clock.h"
#include "core/session.h"
#include "pg/conninfo.h"
#include "pg/watchdog.h"

namespace ckpt::pg {

// The Connector for real servers: libpq for a login with a deadline, libpqxx for statements.
//
// How long Connect can take: for each host of the parameters at most SessionTimeouts::connect, so
// the product for a list of hosts; target_session_attrs=prefer-standby may go through the list
// twice. Name resolution is the system's and happens outside this bound.
//
// A pooler that refuses or ignores the settings sent at login gets them in front of every
// statement, as SET LOCAL in the same transaction, so that no setting of ours stays behind in a
// connection that others use. That is found out once and noted once.
//
// Threading and ownership: as Connector. The watchdog and the clock outlive it.
class PgConnector : public Connector {
 public:
  PgConnector(ConnectionParameters parameters, Watchdog& watchdog, const Clock& clock);
  ~PgConnector() override = default;

  Result<std::unique_ptr<Session>> Connect() override;
  void Cancel() override;

 private:
  Result<std::unique_ptr<Session>> ConnectTo(const ConnectionParameters& parameters,
                                             const Endpoint& endpoint);

  ConnectionParameters parameters_;
  std::vector<Secret> secrets_;
  Watchdog& watchdog_;
  const Clock& clock_;
  std::atomic<bool> cancelled_{false};
  bool settings_per_statement_ = false;
};

}  // namespace ckpt::pg
