// SPDX-License-Identifier: Apache-2.0
#include "pg/opening.h"

#include <poll.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <string>
#include <string_view>
#include <utility>

#include "pg/server_report.h"

namespace ckpt::pg {
namespace {

using std::chrono::milliseconds;

// A login takes some kilobytes; parameters and notices could otherwise be sent without end.
constexpr std::int64_t kMaxLoginBytes = std::int64_t{1} << 20;

constexpr milliseconds kCancelInterval{100};

std::string FieldOf(const PGresult* result, int field) {
  const char* text = PQresultErrorField(result, field);
  return text != nullptr ? text : "";
}

// libpq calls this through C frames: nothing may be thrown.
void ReceiveNotice(void* book, const PGresult* result) noexcept {
  try {
    Notice notice;
    notice.severity = FieldOf(result, PG_DIAG_SEVERITY);
    notice.sqlstate = FieldOf(result, PG_DIAG_SQLSTATE);
    std::string text = FieldOf(result, PG_DIAG_MESSAGE_PRIMARY);
    // libpq's own warnings have no fields.
    if (text.empty()) text = PQresultErrorMessage(result);
    notice.message = ParseServerReport(text, {}).message;
    static_cast<NoticeBook*>(book)->Add(std::move(notice));
  } catch (...) {  // NOLINT(bugprone-empty-catch): out of memory; a notice is not worth more
  }
}

// Waits until libpq's socket is ready; false when `until` passed first.
bool WaitForSocket(PGconn* connection, PostgresPollingStatusType need, milliseconds longest) {
  pollfd waited{};
  waited.fd = PQsocket(connection);
  waited.events = need == PGRES_POLLING_READING ? POLLIN : POLLOUT;
  return ::poll(&waited, 1, static_cast<int>(longest.count())) > 0;
}

std::int64_t PendingBytes(PGconn* connection) {
  int pending = 0;
  return ::ioctl(PQsocket(connection), FIONREAD, &pending) == 0 ? pending : 0;
}

// After a login: is this a server that we can read at all?
Status CheckPeer(PGconn* connection) {
  constexpr int kOldest = 100000;
  const char* reported = PQparameterStatus(connection, "server_version");
  const std::string text = reported != nullptr ? reported : "";
  if (text.find("bouncer") != std::string::npos) {
    return Error{ErrorCode::kProtocol,
                 "this is the administration console of pgbouncer, not a database: set dbname to a "
                 "database that it serves, or connect to PostgreSQL itself"};
  }
  const int version = PQserverVersion(connection);
  if (version < kOldest) {
    std::string shown = ParseServerReport(text, {}).message.substr(0, 40);
    return Error{ErrorCode::kProtocol,
                 "the server reports version \"" + shown + "\": PostgreSQL 10 or newer is needed"};
  }
  return Success{};
}

}  // namespace

Result<RawConnection> OpenConnection(const Secret& conninfo, MonotonicTime deadline,
                                     const OpeningContext& context) {
  const auto failure = [&](PGconn* raw) {
    return ConnectError(ParseServerReport(PQerrorMessage(raw), context.secrets));
  };
  const Error was_cancelled{ErrorCode::kConnection, "connecting was cancelled"};
  if (context.cancelled) return was_cancelled;
  RawConnection connection(PQconnectStart(conninfo.Reveal().c_str()));
  if (!connection) return Error{ErrorCode::kInternal, "libpq has no memory for a connection"};
  PGconn* const raw = connection.get();
  if (PQstatus(raw) == CONNECTION_BAD) return failure(raw);
  PQsetNoticeReceiver(raw, &ReceiveNotice, &context.notices);
  // The only way to the SQLSTATE of a refused login, and the same shape for statements later.
  PQsetErrorVerbosity(raw, PQERRORS_VERBOSE);

  std::int64_t bytes = 0;
  for (PostgresPollingStatusType need = PGRES_POLLING_WRITING; need != PGRES_POLLING_OK;) {
    if (context.cancelled) return was_cancelled;
    const auto left = std::chrono::ceil<milliseconds>(deadline - context.clock.Monotonic());
    if (left.count() <= 0) {
      const bool reached =
          PQstatus(raw) != CONNECTION_STARTED && PQstatus(raw) != CONNECTION_NEEDED;
      return Error{ErrorCode::kTimeout,
                   reached ? "the server accepted the connection but did not complete the login in "
                             "time"
                           : "no answer to the attempt to connect in time: check host, port and "
                             "firewalls"};
    }
    if (!WaitForSocket(raw, need, std::min(left, kCancelInterval))) continue;
    bytes += PendingBytes(raw);
    if (bytes > kMaxLoginBytes) {
      return Error{ErrorCode::kProtocol,
                   "the peer sent more than a login can need: something other than PostgreSQL "
                   "listens there, check host and port"};
    }
    need = PQconnectPoll(raw);
    if (need == PGRES_POLLING_FAILED) return failure(raw);
  }
  if (const Status peer = CheckPeer(raw); !peer.ok()) return peer.error();
  return connection;
}

}  // namespace ckpt::pg
