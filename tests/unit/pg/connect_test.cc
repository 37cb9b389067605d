// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <future>
#include <mutex>
#include <thread>

#include "unit/pg/peer_fixture.h"

namespace ckpt::pg {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

class Connect : public PeerFixture {};

TEST_F(Connect, ReadsTheVersionFromTheProtocol) {
  Serve([](const std::string&) { return Wire::Rows({{"1"}}); });
  const auto session = MustConnect();
  ASSERT_TRUE(session);
  EXPECT_EQ(session->version().num, 150018);
  EXPECT_TRUE(session->connected());
  EXPECT_TRUE(session->TakeNotices().empty());
}

TEST_F(Connect, SendsNameAndSettingsAtLogin) {
  std::promise<std::string> startup;
  std::once_flag first;  // libpq asks again when it is cut off
  const HangUp at_end(*this);
  Listen([&](Wire& wire) {
    const std::string sent = wire.ReadStartup().value_or("");
    std::call_once(first, [&] { startup.set_value(sent); });
  });
  (void)MustNotConnect();
  const std::string sent = startup.get_future().get();
  EXPECT_THAT(sent, HasSubstr(std::string("application_name\0pgcheckpoint_exporter", 38)));
  EXPECT_THAT(sent, HasSubstr("-c default_transaction_read_only=on -c search_path=pg_catalog"));
  EXPECT_THAT(sent, ::testing::Not(HasSubstr(kPassword)));
}

// Peers that are no PostgreSQL, or none that can be used; each row must fail with its code and
// within the deadline, and say what to do.
TEST_F(Connect, ExplainsWhoAnsweredInstead) {
  struct Case {
    const char* name;
    Script script;
    ErrorCode code;
    const char* words;
  };
  const auto login_error = [](const char* sqlstate, const char* text) -> Script {
    return [=](Wire& wire) {
      if (wire.ReadStartup()) wire.Write(Wire::ErrorMessage("FATAL", sqlstate, text));
    };
  };
  const std::vector<Case> cases{
      {"HTTP server",
       [](Wire& wire) {
         (void)wire.Read(8);
         wire.Write("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
       },
       ErrorCode::kProtocol, "check host and port"},
      {"random bytes",
       [](Wire& wire) {
         if (wire.ReadStartup()) wire.Write(std::string(64, '\xd7'));
       },
       ErrorCode::kProtocol, "check host and port"},
      {"closes at once", [](Wire&) {}, ErrorCode::kConnection, "closed the connection"},
      {"pgbouncer's console",
       [](Wire& wire) {
         if (!wire.ReadStartup()) return;
         wire.Welcome("1.18.0/bouncer");
         wire.Freeze();
       },
       ErrorCode::kProtocol, "set dbname to a database"},
      {"an old server",
       [](Wire& wire) {
         if (!wire.ReadStartup()) return;
         wire.Welcome("9.6.24");
         wire.Freeze();
       },
       ErrorCode::kProtocol, "PostgreSQL 10 or newer"},
      {"nonsense for a version",
       [](Wire& wire) {
         if (!wire.ReadStartup()) return;
         wire.Welcome("Redis\n\x01");
         wire.Freeze();
       },
       ErrorCode::kProtocol, "PostgreSQL 10 or newer"},
      {"wrong password", login_error("28P01", "password authentication failed"), ErrorCode::kAuth,
       "password authentication failed (SQLSTATE 28P01)"},
      {"no such database", login_error("3D000", "database \"app\" does not exist"),
       ErrorCode::kAuth, "does not exist"},
      {"full", login_error("53300", "sorry, too many clients already"), ErrorCode::kConnection,
       "too many clients"},
      {"starting up", login_error("57P03", "the database system is starting up"),
       ErrorCode::kConnection, "starting up"},
      {"not a simple answer",
       [](Wire& wire) {
         if (!wire.ReadStartup()) return;
         wire.Welcome();
         while (wire.ReadQuery()) {
           wire.Write(Wire::ErrorMessage("ERROR", "08P01", "unsupported pkt type") + Wire::Ready());
         }
       },
       ErrorCode::kProtocol, "unsupported pkt type"},
      {"endless login",
       [](Wire& wire) {
         if (!wire.ReadStartup()) return;
         wire.Write(Wire::Message('R', Wire::Int32(0)));
         std::string name;
         for (int i = 0;
              wire.Write(Wire::Message('S', "p" + std::to_string(i) + std::string(1, '\0') +
                                                std::string(9000, 'v') + std::string(1, '\0')));
              ++i) {
         }
       },
       ErrorCode::kProtocol, "more than a login can need"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    connector_.reset();
    Listen(c.script);
    parameters_.timeouts.connect = kAmple;
    const Error error = MustNotConnect();
    EXPECT_EQ(error.code, c.code) << error.message;
    EXPECT_THAT(error.message, HasSubstr(c.words));
    EXPECT_THAT(error.message, HasSubstr("127.0.0.1:" + peer_->port()));
  }
}

TEST_F(Connect, SilenceEndsAtTheDeadline) {
  Listen([](Wire& wire) { wire.Freeze(); });
  parameters_.timeouts.connect = milliseconds(150);
  const auto begin = clock_.Monotonic();
  EXPECT_EQ(MustNotConnect().code, ErrorCode::kTimeout);
  EXPECT_GE(clock_.Monotonic() - begin, milliseconds(150));
  EXPECT_LT(clock_.Monotonic() - begin, kAmple);
}

TEST_F(Connect, DrippingBytesDoNotExtendTheDeadline) {
  std::promise<void> stop;
  const std::shared_future<void> stopped(stop.get_future());
  Listen([stopped](Wire& wire) {
    if (!wire.ReadStartup()) return;
    wire.Write(Wire::Message('R', Wire::Int32(0)));
    // One notice after another, for ever.
    while (stopped.wait_for(milliseconds(10)) == std::future_status::timeout &&
           wire.Write(Wire::NoticeMessage("NOTICE", "00000", "wait"))) {
    }
  });
  parameters_.timeouts.connect = milliseconds(200);
  EXPECT_EQ(MustNotConnect().code, ErrorCode::kTimeout);
  stop.set_value();
}

TEST_F(Connect, SilenceAfterLoginIsBoundedAsWell) {
  Listen([](Wire& wire) {
    if (!wire.ReadStartup()) return;
    wire.Welcome();
    wire.Freeze();
  });
  parameters_.timeouts.connect = milliseconds(200);
  EXPECT_EQ(MustNotConnect().code, ErrorCode::kTimeout);
}

TEST_F(Connect, EachHostHasItsOwnTime) {
  Serve([](const std::string&) { return Wire::Rows({{"1"}}); });
  const ckpt::testing::FakePeer silent([](Wire& wire) { wire.Freeze(); });
  parameters_.parameters[0].second = "127.0.0.1,127.0.0.1";
  parameters_.parameters[1].second = silent.port() + "," + peer_->port();
  parameters_.timeouts.connect = milliseconds(300);
  EXPECT_TRUE(MustConnect());
  EXPECT_EQ(silent.connections(), 1);
}

TEST_F(Connect, ARefusedLoginIsNotTriedElsewhere) {
  Listen([](Wire& wire) {
    if (wire.ReadStartup()) wire.Write(Wire::ErrorMessage("FATAL", "28P01", "no"));
  });
  parameters_.parameters[0].second = "127.0.0.1,127.0.0.1";
  EXPECT_EQ(MustNotConnect().code, ErrorCode::kAuth);
  EXPECT_EQ(peer_->connections(), 1);
}

TEST_F(Connect, CancelEndsAnAttempt) {
  std::promise<void> arrived;
  const HangUp at_end(*this);
  Listen([&](Wire& wire) {
    arrived.set_value();
    wire.Freeze();
  });
  parameters_.timeouts.connect = kAmple;
  connector();
  std::thread stopper([&] {
    arrived.get_future().wait();
    connector_->Cancel();
  });
  const auto begin = clock_.Monotonic();
  EXPECT_EQ(MustNotConnect().code, ErrorCode::kConnection);
  EXPECT_LT(clock_.Monotonic() - begin, kAmple / 2);
  stopper.join();
  EXPECT_EQ(MustNotConnect().code, ErrorCode::kConnection) << "and stays cancelled";
}

TEST_F(Connect, RefusesUnknownParameters) {
  Listen([](Wire& wire) { wire.Freeze(); });
  parameters_.parameters.emplace_back("hots", "x");
  const Error error = MustNotConnect();
  EXPECT_EQ(error.code, ErrorCode::kConfig);
  EXPECT_THAT(error.message, HasSubstr("hots"));
}

// Poolers. The settings then go with every statement, in its own transaction.
TEST_F(Connect, APoolerThatRefusesOptionsIsAskedWithout) {
  std::mutex mutex;
  std::vector<std::string> queries;
  const HangUp at_end(*this);
  Listen([&](Wire& wire) {
    const auto startup = wire.ReadStartup();
    if (!startup) return;
    if (startup->find("-c statement_timeout") != std::string::npos) {
      wire.Write(Wire::ErrorMessage("FATAL", "08P01", "unsupported startup parameter: options"));
      return;
    }
    wire.Welcome();
    while (const auto sql = wire.ReadQuery()) {
      const std::lock_guard<std::mutex> lock(mutex);
      queries.push_back(*sql);
      wire.Write(Wire::Complete("SET") + Wire::Rows({{"pg_catalog", "on"}}));
    }
  });
  const auto session = MustConnect();
  ASSERT_TRUE(session);
  ASSERT_TRUE(session->QueryPrepared("SELECT 1", kAmple).ok());
  EXPECT_EQ(session->prepared_fallbacks(), 1);
  const auto notices = session->TakeNotices();
  ASSERT_EQ(notices.size(), 1U);
  EXPECT_THAT(notices[0].message, HasSubstr("pooler"));
  {
    const std::lock_guard<std::mutex> lock(mutex);
    ASSERT_EQ(queries.size(), 2U);
    for (const std::string& sql : queries) {
      EXPECT_TRUE(sql.starts_with("SET TRANSACTION READ ONLY; SET LOCAL ")) << sql;
    }
    EXPECT_TRUE(queries[1].ends_with("; SELECT 1"));
  }
  // Known by now: the next connection does not try, and does not say it again.
  EXPECT_EQ(peer_->connections(), 2);
  const auto again = MustConnect();
  EXPECT_EQ(peer_->connections(), 3);
  EXPECT_TRUE(again->TakeNotices().empty());
}

TEST_F(Connect, APoolerThatDropsOptionsIsNoticed) {
  std::promise<std::string> query;
  const HangUp at_end(*this);
  Listen([&](Wire& wire) {
    if (!wire.ReadStartup()) return;
    wire.Welcome();
    if (!wire.ReadQuery()) return;
    wire.Write(Wire::Rows({{"\"$user\", public", "off"}}));
    query.set_value(wire.ReadQuery().value_or(""));
    wire.Write(Wire::Rows({{"1"}}));
    wire.Freeze();
  });
  const auto session = MustConnect();
  ASSERT_TRUE(session);
  EXPECT_EQ(session->TakeNotices().size(), 1U);
  EXPECT_TRUE(session->Query("SELECT 1", kAmple).ok());
  EXPECT_THAT(query.get_future().get(), HasSubstr("SET LOCAL search_path = 'pg_catalog'"));
}

}  // namespace
}  // namespace ckpt::pg
