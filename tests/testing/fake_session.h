// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/session.h"

namespace ckpt::testing {

// A session that answers from a script. Each rule is a piece of SQL text and an answer; the first
// rule whose piece occurs in the statement answers it, so put the more special rule first. A
// statement that no rule fits is an error of kind kInternal that quotes it. An answer with
// kConnection leaves the session disconnected, as a real one would be. Threading: as Session.
class FakeSession : public Session {
 public:
  using Answer = std::function<Result<RowSet>(const std::string& sql)>;

  explicit FakeSession(int server_version_num) : version_{server_version_num} {}

  FakeSession& On(std::string piece, Answer answer) {
    rules_.emplace_back(std::move(piece), std::move(answer));
    return *this;
  }
  FakeSession& On(std::string piece, Result<RowSet> answer) {
    return On(std::move(piece),
              [answer = std::move(answer)](const std::string&) { return answer; });
  }
  void Say(Notice notice) { notices_.push_back(std::move(notice)); }
  void Disconnect() { connected_ = false; }

  // Every statement so far, in order.
  const std::vector<std::string>& statements() const { return statements_; }
  std::chrono::milliseconds last_timeout() const { return last_timeout_; }

  Result<RowSet> Query(const std::string& sql, std::chrono::milliseconds timeout) override {
    statements_.push_back(sql);
    last_timeout_ = timeout;
    if (!connected_) return Error{ErrorCode::kConnection, "the connection to the server was lost"};
    for (const auto& [piece, answer] : rules_) {
      if (sql.find(piece) == std::string::npos) continue;
      Result<RowSet> result = answer(sql);
      if (!result.ok() && result.error().code == ErrorCode::kConnection) connected_ = false;
      return result;
    }
    return Error{ErrorCode::kInternal, "the fake session has no answer for: " + sql};
  }
  Result<RowSet> QueryPrepared(const std::string& sql, std::chrono::milliseconds timeout) override {
    return Query(sql, timeout);
  }
  ServerVersion version() const override { return version_; }
  bool connected() const override { return connected_; }
  std::int64_t prepared_fallbacks() const override { return 0; }
  std::vector<Notice> TakeNotices() override { return std::exchange(notices_, {}); }

 private:
  ServerVersion version_;
  bool connected_ = true;
  std::vector<std::pair<std::string, Answer>> rules_;
  std::vector<std::string> statements_;
  std::chrono::milliseconds last_timeout_{0};
  std::vector<Notice> notices_;
};

// Hands out what was queued, in order; with nothing queued, or after Cancel, it fails with
// kConnection. Threading: as Connector.
class FakeConnector : public Connector {
 public:
  using Attempt = std::function<Result<std::unique_ptr<Session>>()>;

  void Queue(Attempt attempt) { attempts_.push_back(std::move(attempt)); }
  void Queue(Error error) {
    Queue([error = std::move(error)]() -> Result<std::unique_ptr<Session>> { return error; });
  }
  // The session is built by `prepare` when its turn comes.
  void QueueSession(int server_version_num, std::function<void(FakeSession&)> prepare) {
    Queue([=]() -> Result<std::unique_ptr<Session>> {
      auto session = std::make_unique<FakeSession>(server_version_num);
      prepare(*session);
      return std::unique_ptr<Session>(std::move(session));
    });
  }
  int connects() const { return connects_; }
  bool cancelled() const { return cancelled_; }

  Result<std::unique_ptr<Session>> Connect() override {
    ++connects_;
    if (cancelled_) return Error{ErrorCode::kConnection, "connecting was cancelled"};
    if (attempts_.empty()) return Error{ErrorCode::kConnection, "connection refused"};
    const Attempt attempt = std::move(attempts_.front());
    attempts_.pop_front();
    return attempt();
  }
  void Cancel() override { cancelled_ = true; }

 private:
  std::deque<Attempt> attempts_;
  int connects_ = 0;
  std::atomic<bool> cancelled_{false};
};

}  // namespace ckpt::testing
