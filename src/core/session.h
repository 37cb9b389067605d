// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/result.h"
#include "core/row_set.h"
#include "core/secret.h"
#include "core/server_version.h"

namespace ckpt {

// How long each kind of wait may last. All are positive.
struct SessionTimeouts {
  // For each host of the list, from the first packet to the end of the login. Name resolution is
  // not within it: the resolver's own limits hold (resolv.conf: timeout, attempts).
  std::chrono::milliseconds connect{5000};
  std::chrono::milliseconds statement{2000};  // statement_timeout, kept by the server
  std::chrono::milliseconds lock{500};        // lock_timeout, kept by the server
};

// Where and as whom to connect.
struct ConnectionParameters {
  // libpq keywords (host, port, user, dbname, sslmode, passfile, ...) without "password". One that
  // is absent has libpq's built-in default: environment variables are not looked at.
  std::vector<std::pair<std::string, std::string>> parameters;
  Secret password;
  SessionTimeouts timeouts;
};

// What the server, or the adapter about itself, had to say beside results.
struct Notice {
  std::string severity;  // WARNING, NOTICE, FATAL, ...; as sent, so it may be translated
  std::string sqlstate;  // may be empty
  std::string message;   // one line, redacted
};

// One connection to one server. Every statement is its own read-only transaction.
//
// A session that lost its connection stays disconnected (connected() is false, every call fails
// with kConnection): it never reconnects by itself, because what was learnt at connect may no
// longer hold. Drop it and ask the Connector for another.
//
// Threading: one thread at a time. Ownership: must not outlive the Connector that made it.
class Session {
 public:
  virtual ~Session() = default;

  // Runs one statement and returns its rows. `timeout` bounds the whole wait, network included,
  // and should exceed SessionTimeouts::statement: when it passes, the connection is broken off.
  // Errors: kTimeout, kConnection (disconnected), kPermission, kMissingRelation, kProtocol (also
  // a result larger than the adapter's limits), kInternal. Error::sqlstate tells more.
  virtual Result<RowSet> Query(const std::string& sql, std::chrono::milliseconds timeout) = 0;

  // As Query, for a statement that is sent again and again: it is planned once a connection where
  // the server or a pooler in between allows that, and sent as text where not.
  virtual Result<RowSet> QueryPrepared(const std::string& sql,
                                       std::chrono::milliseconds timeout) = 0;

  // From the protocol, at connect.
  virtual ServerVersion version() const = 0;
  virtual bool connected() const = 0;

  // How many QueryPrepared calls were sent as text because a prepared statement was not possible.
  virtual std::int64_t prepared_fallbacks() const = 0;

  // Returns and forgets what was said since the last call; only the newest few are kept.
  virtual std::vector<Notice> TakeNotices() = 0;
};

// Makes the sessions of one target.
// Threading: Connect from one thread at a time; Cancel from any.
class Connector {
 public:
  virtual ~Connector() = default;

  // Errors: kAuth, kConnection, kTimeout, kProtocol (something that is not PostgreSQL 10 or newer
  // answered), kConfig (a parameter that libpq refuses).
  virtual Result<std::unique_ptr<Session>> Connect() = 0;

  // For stopping: ends, within a tenth of a second, the Connect or Query that is under way, and
  // makes every later one fail, all with kConnection.
  virtual void Cancel() = 0;
};

}  // namespace ckpt
