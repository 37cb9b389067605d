// SPDX-License-Identifier: Apache-2.0
#include "pg/session.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <exception>
#include <pqxx/pqxx>
#include <set>
#include <string>
#include <utility>

#include "core/redact.h"
#include "pg/notice_book.h"
#include "pg/opening.h"
#include "pg/server_report.h"

namespace ckpt::pg {
namespace {

using std::chrono::milliseconds;

#if PQXX_VERSION_MAJOR >= 7

using AdoptedConnection = pqxx::connection;

std::unique_ptr<AdoptedConnection> Adopt(RawConnection raw) {
  return std::make_unique<AdoptedConnection>(pqxx::connection::seize_raw_connection(raw.release()));
}

#else

// libpqxx 6 connects through a policy, and asks it again whenever it finds the connection broken.
// This one hands out a finished connection once, so that a silent reconnect cannot happen.
class AdoptionPolicy : public pqxx::connectionpolicy {
 public:
  explicit AdoptionPolicy(RawConnection raw) : connectionpolicy(""), raw_(std::move(raw)) {}
  handle do_startconnect(handle current) override {
    if (current != nullptr) return current;
    if (!raw_) throw pqxx::broken_connection("the connection to the server was lost");
    return raw_.release();
  }
  handle do_completeconnect(handle current) override { return current; }

 private:
  RawConnection raw_;
};

class AdoptedConnection : public pqxx::connection_base {
 public:
  explicit AdoptedConnection(RawConnection raw)
      : connection_base(policy_), policy_(std::move(raw)) {
    init();
  }
  AdoptedConnection(const AdoptedConnection&) = delete;
  AdoptedConnection& operator=(const AdoptedConnection&) = delete;
  ~AdoptedConnection() { close(); }

 private:
  AdoptionPolicy policy_;
};

std::unique_ptr<AdoptedConnection> Adopt(RawConnection raw) {
  return std::make_unique<AdoptedConnection>(std::move(raw));
}

#endif

// Errors of EXECUTE that a pooler or a changed catalog causes, and plain text does not meet.
constexpr std::array<std::string_view, 4> kPreparedRefusals{
    "26000",  // not prepared here: the pooler switched server connections
    "0A000",  // a cached plan must not change its result type; or PREPARE itself not supported
    "08P01", "42601"};

bool IsPreparedRefusal(const Error& error) {
  return std::find(kPreparedRefusals.begin(), kPreparedRefusals.end(), error.sqlstate) !=
         kPreparedRefusals.end();
}

// The same text always has the same name: a connection that a pooler hands around may hold it
// already, and must then hold this very statement.
std::string PreparedName(std::string_view sql) {
  std::uint64_t hash = 14695981039346656037U;  // FNV-1a
  for (const char c : sql) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  }
  std::array<char, 16> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), hash, 16);
  return "pgcheckpoint_" + std::string(digits.data(), end.ptr);
}

Result<RowSet> Copy(const pqxx::result& answer) {
  const auto rows = answer.size();
  const auto columns = answer.columns();
  if (static_cast<std::size_t>(rows) > kMaxRows) {
    return Error{ErrorCode::kProtocol,
                 "the answer has more than " + std::to_string(kMaxRows) + " rows"};
  }
  RowSet copy;
  std::size_t bytes = 0;
  for (auto column = decltype(columns){0}; column < columns; ++column) {
    copy.columns.emplace_back(answer.column_name(column));
  }
  copy.rows.reserve(static_cast<std::size_t>(rows));
  for (auto row = decltype(rows){0}; row < rows; ++row) {
    auto& cells = copy.rows.emplace_back();
    cells.reserve(copy.columns.size());
    for (auto column = decltype(columns){0}; column < columns; ++column) {
      const auto field = answer[row][column];
      if (field.is_null()) {
        cells.emplace_back(std::nullopt);
        continue;
      }
      bytes += field.size();
      if (bytes > kMaxBytes) {
        return Error{ErrorCode::kProtocol,
                     "the answer has more than " + std::to_string(kMaxBytes) + " bytes"};
      }
      cells.emplace_back(std::string(field.c_str(), field.size()));
    }
  }
  return copy;
}

class PgSession : public Session {
 public:
  // What the session shares with its connector.
  struct Shared {
    Watchdog& watchdog;
    const Clock& clock;
    const std::atomic<bool>& cancelled;
    std::span<const Secret> secrets;
    const void* owner;
  };

  explicit PgSession(const Shared& shared) : shared_(shared) {}

  NoticeBook& notices() { return notices_; }

  void Use(RawConnection raw, std::string statement_prefix) {
    version_.num = PQserverVersion(raw.get());
    raw_ = raw.get();
    connection_ = Adopt(std::move(raw));
    statement_prefix_ = std::move(statement_prefix);
  }

  void SetStatementPrefix(std::string prefix) { statement_prefix_ = std::move(prefix); }

  Result<RowSet> Query(const std::string& sql, milliseconds timeout) override {
    return Run(statement_prefix_.empty() ? sql : statement_prefix_ + sql,
               shared_.clock.Monotonic() + timeout);
  }

  Result<RowSet> QueryPrepared(const std::string& sql, milliseconds timeout) override {
    const MonotonicTime deadline = shared_.clock.Monotonic() + timeout;
    if (prepare_ && statement_prefix_.empty()) {
      Result<RowSet> answer = ExecutePrepared(sql, deadline);
      if (answer.ok() || !IsPreparedRefusal(answer.error()) || !connected()) return answer;
      Result<RowSet> plain = Run(sql, deadline);
      // The statement itself may be what is refused; then preparing is not to blame.
      if (!plain.ok() && plain.error().sqlstate == answer.error().sqlstate) return plain;
      prepare_ = false;
      ++prepared_fallbacks_;
      return plain;
    }
    ++prepared_fallbacks_;
    return Query(sql, timeout);
  }

  ServerVersion version() const override { return version_; }
  bool connected() const override { return connection_ != nullptr; }
  std::int64_t prepared_fallbacks() const override { return prepared_fallbacks_; }
  std::vector<Notice> TakeNotices() override {
    std::vector<Notice> taken = notices_.Take();
    for (Notice& notice : taken) notice.message = Redact(notice.message, shared_.secrets);
    return taken;
  }

 private:
  // Statements are few and ours; the limit only guards against a caller that makes new ones.
  static constexpr std::size_t kMaxPrepared = 32;

  Result<RowSet> ExecutePrepared(const std::string& sql, MonotonicTime deadline) {
    const std::string name = PreparedName(sql);
    if (!prepared_.contains(name)) {
      if (prepared_.size() >= kMaxPrepared) {
        return Error{ErrorCode::kInternal, "too many prepared statements", "26000"};
      }
      const Result<RowSet> answer = Run("PREPARE " + name + " AS " + sql, deadline);
      if (!answer.ok() && answer.error().sqlstate != "42P05") return answer.error();
      prepared_.insert(name);
    }
    return Run("EXECUTE " + name, deadline);
  }

  Result<RowSet> Run(const std::string& sql, MonotonicTime deadline) {
    if (!connection_) return Error{ErrorCode::kConnection, "the connection to the server was lost"};
    const std::optional<Watchdog::Guard> guard = shared_.watchdog.Watch(
        connection_->sock(), deadline, static_cast<std::int64_t>(kMaxBytes), shared_.owner);
    if (!guard) {
      return Error{ErrorCode::kInternal,
                   "no file descriptor is left: raise the limit of open files (ulimit -n)"};
    }
    if (!ListenWhileIdle()) return Lose(LostConnection({}));
    // In this order: a cancel that comes later finds the guard.
    if (shared_.cancelled) return Lose(Error{ErrorCode::kConnection, "the wait was cancelled"});

    Result<RowSet> answer = Execute(sql);
    switch (guard->verdict()) {
      case Watchdog::Verdict::kNone: return answer;
      case Watchdog::Verdict::kDeadline:
        return Lose(Error{ErrorCode::kTimeout,
                          "no answer from the server in time; the connection was broken off"});
      case Watchdog::Verdict::kVolume:
        return Lose(Error{ErrorCode::kProtocol, "the answer has more than " +
                                                    std::to_string(kMaxBytes) +
                                                    " bytes; the connection was broken off"});
      case Watchdog::Verdict::kCancelled:
        return Lose(Error{ErrorCode::kConnection, "the wait was cancelled"});
    }
    return answer;
  }

  Result<RowSet> Execute(const std::string& sql) {
    try {
      pqxx::nontransaction autocommit(*connection_);
      return Copy(autocommit.exec(sql));
    } catch (const pqxx::broken_connection& thrown) {
      return Lose(LostConnection(ParseServerReport(thrown.what(), shared_.secrets)));
    } catch (const pqxx::sql_error& thrown) {
      ServerReport report = ParseServerReport(thrown.what(), shared_.secrets);
      if (report.sqlstate.empty()) report.sqlstate = thrown.sqlstate();
      if (EndsConnection(report.sqlstate)) return Lose(StatementError(std::move(report)));
      return StatementError(std::move(report));
    } catch (const std::exception& thrown) {
      // libpqxx met something that it did not expect; the connection's state is unknown.
      ServerReport report = ParseServerReport(thrown.what(), shared_.secrets);
      return Lose(Error{ErrorCode::kProtocol, std::move(report.message)});
    }
  }

  // Takes in what the server sent since the last statement: usually nothing, sometimes a farewell.
  // False when the connection has ended. Found out here, before libpqxx sends anything: version 6
  // leaks the answer of a statement that meets a lost connection.
  bool ListenWhileIdle() {
    pollfd socket{};
    socket.fd = PQsocket(raw_);
    socket.events = POLLIN;
    // As many reads as a farewell with its end of file needs; more is left for the statement.
    for (int reads = 0; reads < 4 && ::poll(&socket, 1, 0) > 0; ++reads) {
      if (PQconsumeInput(raw_) == 0) break;
      // Hands notices to our receiver; there are no notifications, since nothing listens.
      if (PGnotify* notification = PQnotifies(raw_)) PQfreemem(notification);
    }
    return PQstatus(raw_) == CONNECTION_OK;
  }

  // Why the connection is gone, from whoever knows best.
  Error LostConnection(ServerReport report) {
    // libpqxx puts its own words in place of the server's, which libpq still has ...
    if (report.sqlstate.empty()) {
      ServerReport told = ParseServerReport(PQerrorMessage(raw_), shared_.secrets);
      if (!told.message.empty()) report = std::move(told);
    }
    // ... or has passed on as a notice, when they came while nothing was asked.
    if (report.sqlstate.empty() && !notices_.last_farewell().message.empty()) {
      report.sqlstate = notices_.last_farewell().sqlstate;
      report.message = Redact(notices_.last_farewell().message, shared_.secrets);
    }
    return StatementError(std::move(report));
  }

  Error Lose(Error error) {
    raw_ = nullptr;
    connection_.reset();
    return error;
  }

  Shared shared_;
  NoticeBook notices_;  // libpq writes into it: declared before, destroyed after the connection
  std::unique_ptr<AdoptedConnection> connection_;
  PGconn* raw_ = nullptr;  // inside connection_
  ServerVersion version_;
  std::string statement_prefix_;
  std::set<std::string> prepared_;
  bool prepare_ = true;
  std::int64_t prepared_fallbacks_ = 0;
};

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
  auto session =
      std::make_unique<PgSession>(PgSession::Shared{watchdog_, clock_, cancelled_, secrets_, this});
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
  session->Use(std::move(raw).value(), settings_per_statement_ ? local_settings : "");
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
