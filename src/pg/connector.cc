// SPDX-License-Identifier: Apache-2.0
#include "pg/connector.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "core/redact.h"
#include "pg/opening.h"
#include "pg/session.h"

namespace ckpt::pg {
namespace {

using std::chrono::milliseconds;

std::string NameOf(const Endpoint& endpoint) {
  if (!endpoint.host.empty()) return endpoint.host + ":" + endpoint.port;
  if (!endpoint.hostaddr.empty()) return endpoint.hostaddr + ":" + endpoint.port;
  return "local socket, port " + endpoint.port;
}

bool RefusesOptions(const Error& error) {
  return error.message.find("startup parameter") != std::string::npos ||
         error.message.find("startup option") != std::string::npos;
}

}  // namespace

PgConnector::PgConnector(ConnectionParameters parameters, Watchdog& watchdog, const Clock& clock)
    : parameters_(std::move(parameters)), watchdog_(watchdog), clock_(clock) {
  secrets_.push_back(parameters_.password);
  for (const auto& [keyword, value] : parameters_.parameters) {
    if (IsSecretKeyword(keyword)) secrets_.emplace_back(value);
  }
}

void PgConnector::Cancel() {
  cancelled_ = true;
  watchdog_.Break(this);
}

Result<std::unique_ptr<Session>> PgConnector::Connect() {
  const Result<std::vector<Endpoint>> endpoints = EndpointsOf(parameters_);
  if (!endpoints.ok()) return endpoints.error();

  std::vector<ConnectionParameters> passes{parameters_};
  // libpq would apply this across its own list of hosts; each attempt here has one.
  if (ParameterOr(parameters_, "target_session_attrs", "") == "prefer-standby") {
    passes.push_back(parameters_);
    passes[0].parameters.emplace_back("target_session_attrs", "standby");
    passes[1].parameters.emplace_back("target_session_attrs", "any");
  }
  Error last;
  std::string messages;
  for (const ConnectionParameters& pass : passes) {
    messages.clear();
    for (const Endpoint& endpoint : endpoints.value()) {
      Result<std::unique_ptr<Session>> session = ConnectTo(pass, endpoint);
      if (session.ok()) return session;
      last = session.error();
      messages.append(messages.empty() ? "" : "; ")
          .append(NameOf(endpoint))
          .append(": ")
          .append(last.message);
      // As libpq: a refused login or a wrong parameter is not cured by another host.
      const bool final = last.code == ErrorCode::kAuth || last.code == ErrorCode::kConfig;
      if (final || cancelled_) {
        last.message = messages;
        return last;
      }
    }
  }
  last.message = messages;
  return last;
}

Result<std::unique_ptr<Session>> PgConnector::ConnectTo(const ConnectionParameters& parameters,
                                                        const Endpoint& endpoint) {
  auto session = std::make_unique<PgSession>(
      PgSession::Context{watchdog_, clock_, cancelled_, secrets_, this});
  const OpeningContext context{clock_, cancelled_, secrets_, session->notices()};
  const MonotonicTime deadline = clock_.Monotonic() + parameters.timeouts.connect;

  Result<RawConnection> raw = Error{};
  for (;;) {
    const Result<Secret> conninfo =
        BuildConninfo(parameters, endpoint, /*with_options=*/!settings_per_statement_);
    if (!conninfo.ok()) return conninfo.error();
    raw = OpenConnection(conninfo.value(), deadline, context);
    if (raw.ok() || settings_per_statement_ || !RefusesOptions(raw.error())) break;
    settings_per_statement_ = true;
    session->notices().Add(
        {"INFO", "", "the pooler refuses session settings at login: they go with each statement"});
  }
  if (!raw.ok()) return raw.error();

  const std::string local_settings = LocalSettingsSql(parameters.timeouts);
  session->Use(std::move(raw).value());
  if (settings_per_statement_) session->SetStatementPrefix(local_settings);
  // A pooler may also take the settings and drop them.
  const auto left = std::chrono::ceil<milliseconds>(deadline - clock_.Monotonic());
  const Result<RowSet> in_force = session->Query(
      "SELECT pg_catalog.current_setting('search_path'), "
      "pg_catalog.current_setting('default_transaction_read_only')",
      std::max(left, milliseconds(1)));
  if (!in_force.ok()) return in_force.error();
  const std::vector<std::optional<std::string>> expected{"pg_catalog", "on"};
  const auto& rows = in_force.value().rows;
  if (rows.size() != 1 || rows.front() != expected) {
    if (settings_per_statement_) {
      return Error{ErrorCode::kProtocol,
                   "the server does not keep settings within one transaction: it is not "
                   "PostgreSQL, or a pooler rewrites statements"};
    }
    settings_per_statement_ = true;
    session->SetStatementPrefix(local_settings);
    session->notices().Add(
        {"INFO", "",
         "the pooler drops session settings sent at login: they go with each statement"});
  }
  return std::unique_ptr<Session>(std::move(session));
}

}  // namespace ckpt::pg
