// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <future>
#include <mutex>
#include <thread>

#include "pg/session.h"
#include "unit/pg/peer_fixture.h"

namespace ckpt::pg {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

class SessionOverPeer : public PeerFixture {
 protected:
  static std::string Failure(const char* sqlstate, const char* text) {
    return Wire::ErrorMessage("ERROR", sqlstate, text) + Wire::Ready();
  }
};

TEST_F(SessionOverPeer, ReturnsTextAndNulls) {
  Serve([](const std::string&) { return Wire::Rows({{"15", std::nullopt}, {"", "caf\xe9"}}); });
  const auto session = MustConnect();
  const Result<RowSet> answer = session->Query("SELECT a, b", kAmple);
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_EQ(answer.value().columns, (std::vector<std::string>{"c0", "c1"}));
  ASSERT_EQ(answer.value().rows.size(), 2U);
  EXPECT_EQ(answer.value().rows[0][0], "15");
  EXPECT_EQ(answer.value().rows[0][1], std::nullopt);
  EXPECT_EQ(answer.value().rows[1][0], "");
  EXPECT_EQ(answer.value().rows[1][1], "caf\xe9") << "bytes of a SQL_ASCII database";
}

TEST_F(SessionOverPeer, MapsErrorsAndStaysConnected) {
  struct Case {
    const char* sqlstate;
    ErrorCode code;
  };
  for (const Case& c :
       {Case{"42501", ErrorCode::kPermission}, Case{"42P01", ErrorCode::kMissingRelation},
        Case{"42703", ErrorCode::kMissingRelation}, Case{"42883", ErrorCode::kMissingRelation},
        Case{"0A000", ErrorCode::kMissingRelation}, Case{"57014", ErrorCode::kTimeout},
        Case{"55P03", ErrorCode::kTimeout}, Case{"42601", ErrorCode::kInternal},
        Case{"XX000", ErrorCode::kProtocol}}) {
    SCOPED_TRACE(c.sqlstate);
    connector_.reset();
    const HangUp at_end(*this);
    Serve([&](const std::string&) { return Failure(c.sqlstate, "because"); });
    const auto session = MustConnect();
    for (int i = 0; i < 2; ++i) {
      const Result<RowSet> answer = session->Query("SELECT 1", kAmple);
      ASSERT_FALSE(answer.ok());
      EXPECT_EQ(answer.error().code, c.code);
      EXPECT_EQ(answer.error().sqlstate, c.sqlstate);
      EXPECT_THAT(answer.error().message, HasSubstr("because"));
      EXPECT_TRUE(session->connected());
    }
    EXPECT_EQ(peer_->connections(), 1);
  }
}

// A server that says goodbye: the session must not come back by itself.
TEST_F(SessionOverPeer, KeepsTheServersReasonAndNeverReconnects) {
  for (const bool with_answer : {true, false}) {
    SCOPED_TRACE(with_answer ? "as the answer" : "while idle");
    connector_.reset();
    std::promise<void> connected;
    std::promise<void> said;
    const HangUp at_end(*this);
    Listen([&](Wire& wire) {
      if (!wire.ReadStartup()) return;
      wire.Welcome();
      if (!wire.ReadQuery()) return;
      wire.Write(Wire::Rows({{"pg_catalog", "on"}}));
      connected.get_future().wait();
      if (with_answer && !wire.ReadQuery()) return;
      wire.Write(Wire::ErrorMessage("FATAL", "57P01",
                                    "terminating connection due to administrator command"));
      said.set_value();
    });
    const auto session = MustConnect();
    connected.set_value();
    if (!with_answer) said.get_future().wait();
    const Result<RowSet> answer = session->Query("SELECT 1", kAmple);
    ASSERT_FALSE(answer.ok());
    EXPECT_EQ(answer.error().code, ErrorCode::kConnection);
    EXPECT_THAT(answer.error().message, HasSubstr("administrator command"));
    EXPECT_EQ(answer.error().sqlstate, "57P01");
    EXPECT_FALSE(session->connected());
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(session->Query("SELECT 1", kAmple).error().code, ErrorCode::kConnection);
    }
    EXPECT_EQ(peer_->connections(), 1);
  }
}

TEST_F(SessionOverPeer, AFrozenServerEndsTheWaitAtTheDeadline) {
  Serve([](const std::string&) { return std::string(); });
  const auto session = MustConnect();
  const auto begin = clock_.Monotonic();
  const Result<RowSet> answer = session->Query("SELECT 1", milliseconds(150));
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code, ErrorCode::kTimeout);
  EXPECT_GE(clock_.Monotonic() - begin, milliseconds(150));
  EXPECT_FALSE(session->connected());
}

TEST_F(SessionOverPeer, DrippingRowsDoNotExtendTheDeadline) {
  std::promise<void> stop;
  const std::shared_future<void> stopped(stop.get_future());
  Listen([stopped](Wire& wire) {
    if (!wire.ReadStartup()) return;
    wire.Welcome();
    if (!wire.ReadQuery()) return;
    wire.Write(Wire::Rows({{"pg_catalog", "on"}}));
    if (!wire.ReadQuery()) return;
    wire.Write(Wire::RowDescription(1));
    while (stopped.wait_for(milliseconds(5)) == std::future_status::timeout &&
           wire.Write(Wire::DataRow({"x"}))) {
    }
  });
  const auto session = MustConnect();
  EXPECT_EQ(session->Query("SELECT 1", milliseconds(200)).error().code, ErrorCode::kTimeout);
  stop.set_value();
}

TEST_F(SessionOverPeer, AnEndlessAnswerIsBrokenOff) {
  Listen([](Wire& wire) {
    if (!wire.ReadStartup()) return;
    wire.Welcome();
    if (!wire.ReadQuery()) return;
    wire.Write(Wire::Rows({{"pg_catalog", "on"}}));
    if (!wire.ReadQuery()) return;
    wire.Write(Wire::RowDescription(1));
    std::string rows;
    for (int i = 0; i < 64; ++i) rows += Wire::DataRow({std::string(4096, 'x')});
    while (wire.Write(rows)) {
    }
  });
  const auto session = MustConnect();
  const Result<RowSet> answer = session->Query("SELECT 1", kAmple);
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code, ErrorCode::kProtocol) << answer.error().message;
  EXPECT_FALSE(session->connected());
}

TEST_F(SessionOverPeer, TooManyRowsAreRefused) {
  Serve([](const std::string&) {
    return Wire::Rows(std::vector<Wire::Row>(kMaxRows + 1, Wire::Row{"1"}));
  });
  const auto session = MustConnect();
  const Result<RowSet> answer = session->Query("SELECT 1", kAmple);
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code, ErrorCode::kProtocol);
}

TEST_F(SessionOverPeer, CancelEndsAQuery) {
  std::promise<void> asked;
  const HangUp at_end(*this);
  Serve([&](const std::string&) {
    asked.set_value();
    return std::string();
  });
  const auto session = MustConnect();
  std::thread stopper([&] {
    asked.get_future().wait();
    connector_->Cancel();
  });
  const auto begin = clock_.Monotonic();
  const Result<RowSet> answer = session->Query("SELECT pg_sleep(60)", kAmple);
  stopper.join();
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code, ErrorCode::kConnection);
  EXPECT_LT(clock_.Monotonic() - begin, kAmple / 2);
  EXPECT_FALSE(session->connected());
}

TEST_F(SessionOverPeer, AfterCancelNothingIsSent) {
  std::atomic<int> statements{0};
  const HangUp at_end(*this);
  Serve([&](const std::string&) {
    ++statements;
    return Wire::Rows({{"1"}});
  });
  const auto session = MustConnect();
  connector_->Cancel();
  EXPECT_EQ(session->Query("SELECT 1", kAmple).error().code, ErrorCode::kConnection);
  EXPECT_EQ(statements, 0);
}

TEST_F(SessionOverPeer, CollectsNoticesAndKeepsThemFew) {
  Serve([](const std::string&) {
    std::string bytes;
    for (int i = 0; i < 40; ++i) {
      bytes +=
          Wire::NoticeMessage("WARNING", "01000", "n" + std::to_string(i) + "\nof open-sesame-77");
    }
    return bytes + Wire::Rows({{"1"}});
  });
  const auto session = MustConnect();
  ::testing::internal::CaptureStderr();
  ASSERT_TRUE(session->Query("SELECT 1", kAmple).ok());
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  const std::vector<Notice> notices = session->TakeNotices();
  ASSERT_EQ(notices.size(), 16U);
  EXPECT_EQ(notices.back().severity, "WARNING");
  EXPECT_EQ(notices.back().sqlstate, "01000");
  EXPECT_EQ(notices.back().message, "n39 of <redacted>");
  EXPECT_TRUE(session->TakeNotices().empty());
}

// Statements as a server sees them, answered by their first word.
class Prepared : public SessionOverPeer {
 protected:
  void ServeByWord(const std::string& prepare, const std::string& execute,
                   const std::string& plain) {
    Serve([=, this](const std::string& sql) {
      const std::lock_guard<std::mutex> lock(mutex_);
      seen_.push_back(sql.substr(0, sql.find(' ')));
      if (seen_.back() == "PREPARE") return prepare;
      return seen_.back() == "EXECUTE" ? execute : plain;
    });
  }
  std::vector<std::string> seen() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return seen_;
  }
  static std::string Row(const char* value) { return Wire::Rows({{value}}); }
  const std::string done_ = Wire::Complete("PREPARE") + Wire::Ready();

 private:
  std::mutex mutex_;
  std::vector<std::string> seen_;
};

TEST_F(Prepared, IsPreparedOnceAConnection) {
  ServeByWord(done_, Row("executed"), Row("plain"));
  const auto session = MustConnect();
  for (int i = 0; i < 3; ++i) {
    const auto answer = session->QueryPrepared("SELECT now()", kAmple);
    ASSERT_TRUE(answer.ok());
    EXPECT_EQ(answer.value().rows[0][0], "executed");
  }
  EXPECT_EQ(seen(), (std::vector<std::string>{"PREPARE", "EXECUTE", "EXECUTE", "EXECUTE"}));
  EXPECT_EQ(session->prepared_fallbacks(), 0);
}

TEST_F(Prepared, IsSentAsTextWhereAPoolerForbidsIt) {
  for (const char* sqlstate : {"26000", "0A000", "42601"}) {
    SCOPED_TRACE(sqlstate);
    connector_.reset();
    ServeByWord(done_, Failure(sqlstate, "no"), Row("plain"));
    const auto session = MustConnect();
    for (int i = 0; i < 3; ++i) {
      const auto answer = session->QueryPrepared("SELECT now()", kAmple);
      ASSERT_TRUE(answer.ok());
      EXPECT_EQ(answer.value().rows[0][0], "plain");
    }
    EXPECT_EQ(session->prepared_fallbacks(), 3);
  }
}

TEST_F(Prepared, AFaultOfTheStatementItselfIsNotThePoolers) {
  ServeByWord(Failure("42P01", "no such view"), Row("executed"), Row("plain"));
  const auto session = MustConnect();
  EXPECT_EQ(session->QueryPrepared("SELECT x", kAmple).error().code, ErrorCode::kMissingRelation);
  EXPECT_EQ(seen(), (std::vector<std::string>{"PREPARE"}));
  EXPECT_EQ(session->prepared_fallbacks(), 0);
}

TEST_F(Prepared, NotSupportedEitherWayKeepsPreparing) {
  ServeByWord(done_, Failure("0A000", "not on Aurora"), Failure("0A000", "not on Aurora"));
  const auto session = MustConnect();
  EXPECT_EQ(session->QueryPrepared("SELECT f()", kAmple).error().sqlstate, "0A000");
  EXPECT_EQ(session->prepared_fallbacks(), 0);
}

TEST_F(Prepared, ANameThatIsThereAlreadyIsUsed) {
  ServeByWord(Failure("42P05", "already exists"), Row("executed"), Row("plain"));
  const auto session = MustConnect();
  const auto answer = session->QueryPrepared("SELECT now()", kAmple);
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer.value().rows[0][0], "executed");
}

}  // namespace
}  // namespace ckpt::pg
