// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "core/clock.h"
#include "core/log_sink.h"
#include "core/server_identity.h"
#include "core/session.h"
#include "core/sql_plan.h"
#include "core/target_state.h"

namespace ckpt::pg {

struct PollerOptions {
  std::string target;  // for log records
  // Bounds one statement as seen from here, network included; above statement_timeout.
  std::chrono::milliseconds query_timeout{2500};
  bool statements = false;  // read pg_stat_statements where it is installed
};

// Polls one server over one kept connection: discovers at connect what it is and what may be read,
// then makes pulses and surveys by the statements that core/sql_plan generates for it.
//
// A capability that is missing is found in the catalogs, so that a healthy server never logs an
// ERROR of ours, and logged once with the GRANT that cures it. Where a statement fails all the
// same, privileges are read anew; if they have not changed, each view is tried alone, once per
// server, and those that refuse are left out.
//
// Owns no thread; one thread at a time. The connector, clock and log must outlive it.
class Poller {
 public:
  Poller(PollerOptions options, Connector* connector, const Clock* clock, LogSink* log);

  // Opens a connection, drops the old one, and discovers. Errors as Connector::Connect and
  // Session::Query.
  Status Connect();

  // One statement, one round trip. A broken connection is dropped (connected() is false).
  Result<PulseStats> Pulse();

  // Two statements; every twentieth time a third that reads the privileges again, so that a GRANT
  // is noticed without a reconnect.
  Result<Survey> TakeSurvey();

  void Disconnect() { session_.reset(); }
  bool connected() const { return session_ != nullptr && session_->connected(); }

  // Of the present or last connection.
  const ServerIdentity& server() const { return server_; }
  const CapabilitySet& capabilities() const { return catalog_.capabilities; }
  // Whom the server takes us for, as a quoted identifier.
  const std::string& role() const { return role_; }
  // The checkpointer's process on the present server; empty when the role may not see it.
  std::optional<std::int64_t> checkpointer_pid() const { return catalog_.checkpointer_pid; }
  // How many values of this server's could not be understood since construction.
  std::uint64_t values_rejected() const { return values_rejected_; }
  // The connection itself, for what else is to be asked (log, probes). Null when not connected.
  Session* session() { return session_.get(); }

 private:
  Status Discover();
  Status ReadCapabilities();
  Status ReadServer();
  void Plan();
  void LogMissing();
  Status TryEachView();
  // After the privileges have changed.
  Status Replan();
  // Whether `error` may be cured by reading privileges again or leaving a view out, and was.
  bool Adapt(const Error& error);
  Result<RowSet> Query(const std::string& sql) {
    return session_->Query(sql, options_.query_timeout);
  }

  const PollerOptions options_;
  Connector* const connector_;
  const Clock* const clock_;
  LogSink* const log_;

  std::unique_ptr<Session> session_;
  ServerIdentity server_;
  ServerCatalog catalog_;
  std::string role_;
  RowPlan<PulseStats> pulse_plan_;
  RowPlan<SurveyStats> survey_plan_;
  RowsPlan rows_plan_;
  std::uint64_t values_rejected_ = 0;
  std::uint64_t surveys_ = 0;
  CapabilitySet logged_missing_;
  bool tried_views_ = false;
};

}  // namespace ckpt::pg
