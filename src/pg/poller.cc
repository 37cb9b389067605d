// SPDX-License-Identifier: Apache-2.0
#include "pg/poller.h"

#include <utility>

#include "core/numbers.h"

namespace ckpt::pg {
namespace {

constexpr std::uint64_t kSurveysBetweenPrivileges = 20;

bool IsTrue(const std::optional<std::string>& text) { return text && text->starts_with('t'); }

Error Unexpected(std::string_view what) {
  return {ErrorCode::kProtocol, "the server answered " + std::string(what) +
                                    " as PostgreSQL would not; is this a PostgreSQL server?"};
}

}  // namespace

Poller::Poller(PollerOptions options, Connector* connector, const Clock* clock, LogSink* log)
    : options_(std::move(options)), connector_(connector), clock_(clock), log_(log) {}

Status Poller::Connect() {
  session_.reset();
  auto session = connector_->Connect();
  if (!session.ok()) return session.error();
  session_ = std::move(session).value();
  Status discovered = Discover();
  if (!discovered.ok()) session_.reset();
  return discovered;
}

Status Poller::Discover() {
  const ServerIdentity before = server_;
  const std::set<View> refused = std::exchange(catalog_, {}).refused;
  catalog_.version = session_->version();
  server_ = {};
  server_.version = session_->version();
  if (Status status = ReadCapabilities(); !status.ok()) return status;
  if (Status status = ReadServer(); !status.ok()) return status;
  if (server_.system_identifier == before.system_identifier && server_.version == before.version) {
    catalog_.refused = refused;
  } else {
    tried_views_ = false;
  }

  auto columns = Query(ColumnsSql());
  if (!columns.ok()) return columns.error();
  catalog_.columns.emplace();
  for (const auto& row : columns.value().rows) {
    if (!row.empty() && row[0]) catalog_.columns->insert(*row[0]);
  }
  Plan();
  LogMissing();
  return Success{};
}

Status Poller::ReadCapabilities() {
  auto rows = Query(CapabilitiesSql());
  if (!rows.ok()) return rows.error();
  if (rows.value().rows.size() != 1 || rows.value().rows[0].size() != Capabilities().size()) {
    return Unexpected("the question for privileges");
  }
  const auto& row = rows.value().rows[0];
  for (std::size_t i = 0; i < row.size(); ++i) {
    const CapabilityInfo& info = Capabilities()[i];
    catalog_.capabilities.Set(info.capability,
                              IsTrue(row[i]) && info.versions.Contains(catalog_.version));
  }
  return Success{};
}

Status Poller::ReadServer() {
  const bool control = catalog_.capabilities.Has(Capability::kControlFile);
  const bool activity = catalog_.capabilities.Has(Capability::kCheckpointerActivity);
  std::string sql =
      "SELECT quote_ident(current_user), extract(epoch from pg_postmaster_start_time()), "
      "to_regproc('pg_catalog.aurora_version') IS NOT NULL, ";
  sql += control ? "(SELECT system_identifier FROM pg_catalog.pg_control_system()), "
                 : "NULL::bigint, ";
  sql += activity ? "(SELECT min(pid) FROM pg_catalog.pg_stat_activity WHERE backend_type = "
                    "'checkpointer')"
                  : "NULL::int";
  sql +=
      ", (SELECT quote_ident(n.nspname) FROM pg_catalog.pg_extension e JOIN "
      "pg_catalog.pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = "
      "'pg_stat_statements')";
  auto rows = Query(sql);
  if (!rows.ok()) return rows.error();
  if (rows.value().rows.size() != 1 || rows.value().rows[0].size() != 6) {
    return Unexpected("the question for its identity");
  }
  const auto& row = rows.value().rows[0];
  role_ = row[0].value_or("");
  if (row[1]) server_.postmaster_start = ParseReal(*row[1]);
  if (IsTrue(row[2])) server_.flavor = "aurora";
  if (row[3]) server_.system_identifier = ParseInt(*row[3]);
  if (row[4]) catalog_.checkpointer_pid = ParseInt(*row[4]);
  if (options_.statements) catalog_.statements_schema = row[5].value_or("");
  return Success{};
}

void Poller::Plan() {
  pulse_plan_ = PlanPulse(catalog_);
  survey_plan_ = PlanSurvey(catalog_);
  rows_plan_ = PlanRows(catalog_);
}

void Poller::LogMissing() {
  for (const CapabilityInfo& info : Capabilities()) {
    const bool missing =
        info.versions.Contains(catalog_.version) && !catalog_.capabilities.Has(info.capability);
    if (missing && !info.opt_in && !logged_missing_.Has(info.capability)) {
      log_->Log(LogLevel::kInfo, "the role may not read something; the rest is unaffected",
                {{"target", options_.target},
                 {"missing", info.name},
                 {"gives", info.gives},
                 {"cure", CureFor(info, role_)}});
    }
    logged_missing_.Set(info.capability, missing);
  }
}

Status Poller::TryEachView() {
  for (const ViewInfo& info : Views()) {
    const std::string sql = TrialSql(info.view, catalog_);
    if (sql.empty()) continue;
    auto answer = Query(sql);
    if (answer.ok()) continue;
    if (!connected()) return answer.error();
    if (answer.error().code == ErrorCode::kTimeout) continue;
    catalog_.refused.insert(info.view);
    log_->Log(
        LogLevel::kWarn, "a view cannot be read on this server and is left out",
        {{"target", options_.target}, {"view", info.name}, {"error", answer.error().message}});
  }
  return Success{};
}

Status Poller::Replan() {
  if (Status status = ReadServer(); !status.ok()) return status;
  Plan();
  LogMissing();
  return Success{};
}

bool Poller::Adapt(const Error& error) {
  const bool may_help = error.code == ErrorCode::kPermission ||
                        error.code == ErrorCode::kMissingRelation ||
                        error.code == ErrorCode::kInternal;
  if (!may_help || !connected()) return false;
  const CapabilitySet before = catalog_.capabilities;
  if (!ReadCapabilities().ok()) return false;
  if (catalog_.capabilities == before) {
    if (tried_views_) return false;
    tried_views_ = true;
    if (!TryEachView().ok()) return false;
  }
  return Replan().ok();
}

Result<PulseStats> Poller::Pulse() {
  if (!connected()) return Error{ErrorCode::kConnection, "not connected"};
  if (pulse_plan_.sql.empty()) return Unexpected("nothing of what is asked");
  MonotonicTime begin = clock_->Monotonic();
  auto rows = session_->QueryPrepared(pulse_plan_.sql, options_.query_timeout);
  if (!rows.ok() && Adapt(rows.error())) {
    begin = clock_->Monotonic();
    rows = session_->QueryPrepared(pulse_plan_.sql, options_.query_timeout);
  }
  if (!rows.ok()) return rows.error();
  PulseStats pulse;
  pulse.taken = {clock_->Wall(), clock_->Monotonic()};
  pulse.round_trip_seconds = std::chrono::duration<double>(pulse.taken.monotonic - begin).count();
  if (rows.value().rows.size() != 1) return Unexpected("a pulse");
  values_rejected_ += static_cast<std::uint64_t>(FillRecord(pulse_plan_, rows.value(), &pulse));
  return pulse;
}

Result<Survey> Poller::TakeSurvey() {
  if (!connected()) return Error{ErrorCode::kConnection, "not connected"};
  if (++surveys_ % kSurveysBetweenPrivileges == 0) {
    const CapabilitySet before = catalog_.capabilities;
    if (Status status = ReadCapabilities(); !status.ok()) return status.error();
    if (!(catalog_.capabilities == before)) {
      if (Status status = Replan(); !status.ok()) return status.error();
    }
  }
  Survey survey;
  auto rows = session_->QueryPrepared(survey_plan_.sql, options_.query_timeout);
  if (!rows.ok() && Adapt(rows.error())) {
    rows = session_->QueryPrepared(survey_plan_.sql, options_.query_timeout);
  }
  if (!rows.ok()) return rows.error();
  int rejected = FillRecord(survey_plan_, rows.value(), &survey.stats);
  rows = session_->QueryPrepared(rows_plan_.sql, options_.query_timeout);
  if (!rows.ok() && Adapt(rows.error())) {
    rows = session_->QueryPrepared(rows_plan_.sql, options_.query_timeout);
  }
  if (!rows.ok()) return rows.error();
  rejected += FillRows(rows_plan_, rows.value(), &survey.rows);
  values_rejected_ += static_cast<std::uint64_t>(rejected);
  survey.stats.taken = {clock_->Wall(), clock_->Monotonic()};
  return survey;
}

}  // namespace ckpt::pg
