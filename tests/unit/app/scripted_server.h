// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/capability.h"
#include "core/log_sink.h"
#include "core/sql_plan.h"
#include "testing/fake_session.h"

namespace ckpt::app {

// Makes a session answer as a server does that allows everything and has counted nothing yet.
inline void AnswerAsServer(testing::FakeSession& session) {
  const std::vector<std::optional<std::string>> all(Capabilities().size(), "t");
  session.On(CapabilitiesSql(), RowSet{{}, {all}});
  session.On("SELECT quote_ident(current_user)",
             RowSet{{}, {{"monitor", "1700000000", "f", "7", "42", std::nullopt}}});
  session.On(ColumnsSql(), RowSet{});
  session.On("", RowSet{{}, {{}}});
}

// A connector whose Connect() can be made to hang, as a name lookup does: Cancel() does not end it.
class HangingConnector final : public Connector {
 public:
  Result<std::unique_ptr<Session>> Connect() override {
    std::unique_lock<std::mutex> lock(mutex_);
    ++waiting_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return released_; });
    return Error{ErrorCode::kConnection, "no such host"};
  }
  void Cancel() override {}

  void WaitForConnect() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait_for(lock, std::chrono::seconds(20), [this] { return waiting_ > 0; });
  }
  void Release() {
    const std::lock_guard<std::mutex> lock(mutex_);
    released_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int waiting_ = 0;
  bool released_ = false;
};

class SilentLog final : public LogSink {
 public:
  void Log(LogLevel, std::string_view, std::initializer_list<LogField>) override {}
};

}  // namespace ckpt::app
