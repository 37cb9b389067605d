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

namespace ckpt::pg {
namespace {

using std::chrono::milliseconds;

// Statements are few and ours; the limit only guards against a caller that makes new ones.
constexpr std::size_t kMaxPrepared = 32;

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

}  // namespace

#if PQXX_VERSION_MAJOR >= 7

class PgSession::Adopted : public pqxx::connection {
 public:
  explicit Adopted(RawConnection raw) : connection(seize_raw_connection(raw.release())) {}
};

#else

class PgSession::Adopted : public pqxx::connection_base {
 public:
  explicit Adopted(RawConnection raw) : connection_base(policy_), policy_(std::move(raw)) {
    init();
  }
  Adopted(const Adopted&) = delete;
  Adopted& operator=(const Adopted&) = delete;
  ~Adopted() { close(); }

 private:
  // libpqxx 6 connects through a policy, and asks it again whenever it finds the connection
  // broken. This one hands out a finished connection once: a silent reconnect cannot happen.
  class Policy : public pqxx::connectionpolicy {
   public:
    explicit Policy(RawConnection raw) : connectionpolicy(""), raw_(std::move(raw)) {}
    handle do_startconnect(handle current) override {
      if (current != nullptr) return current;
      if (!raw_) throw pqxx::broken_connection("the connection to the server was lost");
      return raw_.release();
    }
    handle do_completeconnect(handle current) override { return current; }

   private:
    RawConnection raw_;
  };

  Policy policy_;
};

#endif

PgSession::PgSession(const Context& context) : context_(context) {}
PgSession::~PgSession() = default;

void PgSession::Use(RawConnection raw) {
  version_.num = PQserverVersion(raw.get());
  raw_ = raw.get();
  connection_ = std::make_unique<Adopted>(std::move(raw));
}

Result<RowSet> PgSession::Query(const std::string& sql, milliseconds timeout) {
  return Run(statement_prefix_.empty() ? sql : statement_prefix_ + sql,
             context_.clock.Monotonic() + timeout);
}

Result<RowSet> PgSession::QueryPrepared(const std::string& sql, milliseconds timeout) {
  const MonotonicTime deadline = context_.clock.Monotonic() + timeout;
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

std::vector<Notice> PgSession::TakeNotices() {
  std::vector<Notice> taken = notices_.Take();
  for (Notice& notice : taken) notice.message = Redact(notice.message, context_.secrets);
  return taken;
}

Result<RowSet> PgSession::ExecutePrepared(const std::string& sql, MonotonicTime deadline) {
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

Result<RowSet> PgSession::Run(const std::string& sql, MonotonicTime deadline) {
  if (!connection_) return Error{ErrorCode::kConnection, "the connection to the server was lost"};
  const std::optional<Watchdog::Guard> guard = context_.watchdog.Watch(
      connection_->sock(), deadline, static_cast<std::int64_t>(kMaxBytes), context_.owner);
  if (!guard) {
    return Error{ErrorCode::kInternal,
                 "no file descriptor is left: raise the limit of open files (ulimit -n)"};
  }
  if (!ListenWhileIdle()) return Lose(LostConnection({}));
  // In this order: a cancel that comes later finds the guard.
  if (context_.cancelled) return Lose(Error{ErrorCode::kConnection, "the wait was cancelled"});

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

Result<RowSet> PgSession::Execute(const std::string& sql) {
  try {
    pqxx::nontransaction autocommit(*connection_);
    return Copy(autocommit.exec(sql));
  } catch (const pqxx::broken_connection& thrown) {
    return Lose(LostConnection(ParseServerReport(thrown.what(), context_.secrets)));
  } catch (const pqxx::sql_error& thrown) {
    ServerReport report = ParseServerReport(thrown.what(), context_.secrets);
    if (report.sqlstate.empty()) report.sqlstate = thrown.sqlstate();
    if (EndsConnection(report.sqlstate)) return Lose(StatementError(std::move(report)));
    return StatementError(std::move(report));
  } catch (const std::exception& thrown) {
    // libpqxx met something that it did not expect; the connection's state is unknown.
    ServerReport report = ParseServerReport(thrown.what(), context_.secrets);
    return Lose(Error{ErrorCode::kProtocol, std::move(report.message)});
  }
}

// Takes in what the server sent since the last statement: usually nothing, sometimes a farewell.
// False when the connection has ended. Found out here, before libpqxx sends anything: version 6
// leaks the answer of a statement that meets a lost connection.
bool PgSession::ListenWhileIdle() {
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
Error PgSession::LostConnection(ServerReport report) {
  // libpqxx puts its own words in place of the server's, which libpq still has ...
  if (report.sqlstate.empty()) {
    ServerReport told = ParseServerReport(PQerrorMessage(raw_), context_.secrets);
    if (!told.message.empty()) report = std::move(told);
  }
  // ... or has passed on as a notice, when they came while nothing was asked.
  if (report.sqlstate.empty() && !notices_.last_farewell().message.empty()) {
    report.sqlstate = notices_.last_farewell().sqlstate;
    report.message = Redact(notices_.last_farewell().message, context_.secrets);
  }
  if (report.message.empty()) report.message = "the connection to the server was lost";
  return StatementError(std::move(report));
}

Error PgSession::Lose(Error error) {
  raw_ = nullptr;
  connection_.reset();
  return error;
}

}  // namespace ckpt::pg
