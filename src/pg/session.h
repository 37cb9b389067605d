// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/clock.h"
#include "core/secret.h"
#include "core/session.h"
#include "pg/notice_book.h"
#include "pg/opening.h"
#include "pg/server_report.h"
#include "pg/watchdog.h"

namespace ckpt::pg {

// What one answer may hold; more is kProtocol.
inline constexpr std::size_t kMaxRows = 10'000;
inline constexpr std::size_t kMaxBytes = std::size_t{16} << 20;

// A Session over a finished login: libpqxx runs the statements, a watchdog bounds each wait.
// Threading, ownership and errors: as Session. Everything in Context outlives it.
class PgSession final : public Session {
 public:
  // What a session shares with its connector.
  struct Context {
    Watchdog& watchdog;
    const Clock& clock;
    const std::atomic<bool>& cancelled;  // once true, every call fails
    std::span<const Secret> secrets;     // kept out of errors and notices
    const void* owner;                   // groups waits for Watchdog::Break
  };

  explicit PgSession(const Context& context);
  PgSession(const PgSession&) = delete;
  PgSession& operator=(const PgSession&) = delete;
  ~PgSession() override;

  // Takes over a connection whose login wrote into notices(). Once.
  void Use(RawConnection raw);

  // Sent in front of every statement, in the same message; with one, nothing is prepared.
  void SetStatementPrefix(std::string prefix) { statement_prefix_ = std::move(prefix); }

  NoticeBook& notices() { return notices_; }

  Result<RowSet> Query(const std::string& sql, std::chrono::milliseconds timeout) override;
  Result<RowSet> QueryPrepared(const std::string& sql, std::chrono::milliseconds timeout) override;
  ServerVersion version() const override { return version_; }
  bool connected() const override { return connection_ != nullptr; }
  std::int64_t prepared_fallbacks() const override { return prepared_fallbacks_; }
  std::vector<Notice> TakeNotices() override;

 private:
  class Adopted;  // libpqxx's connection, of either generation

  Result<RowSet> ExecutePrepared(const std::string& sql, MonotonicTime deadline);
  Result<RowSet> Run(const std::string& sql, MonotonicTime deadline);
  Result<RowSet> Execute(const std::string& sql);
  bool ListenWhileIdle();
  Error LostConnection(ServerReport report);
  Error Lose(Error error);

  Context context_;
  NoticeBook notices_;  // libpq writes into it: declared before, destroyed after the connection
  std::unique_ptr<Adopted> connection_;
  PGconn* raw_ = nullptr;  // inside connection_
  ServerVersion version_;
  std::string statement_prefix_;
  std::set<std::string> prepared_;
  bool prepare_ = true;
  std::int64_t prepared_fallbacks_ = 0;
};

}  // namespace ckpt::pg
