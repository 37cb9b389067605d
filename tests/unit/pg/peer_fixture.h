// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "pg/connector.h"
#include "testing/fake_peer.h"
#include "testing/real_clock.h"

namespace ckpt::pg {

// Connects to a FakePeer on loopback with short bounds. Tests assert that calls end, and end well
// before what would bound them if the code under test did not; they never sleep.
class PeerFixture : public ::testing::Test {
 protected:
  using Script = ckpt::testing::FakePeer::Script;
  using Wire = ckpt::testing::PeerWire;

  PeerFixture() { dog_.Start(); }

  void Listen(Script script) {
    peer_ = std::make_unique<ckpt::testing::FakePeer>(std::move(script));
    parameters_.parameters = {
        {"host", "127.0.0.1"}, {"port", peer_->port()}, {"user", "monitor"}, {"dbname", "app"}};
    parameters_.password = Secret(kPassword);
  }

  // A server that logs everybody in, says that our settings are in force, and answers each later
  // query through `answer`, which returns bytes to send.
  void Serve(std::function<std::string(const std::string& sql)> answer) {
    Listen([answer = std::move(answer)](Wire& wire) {
      if (!wire.ReadStartup()) return;
      wire.Welcome();
      while (const auto sql = wire.ReadQuery()) {
        const bool check = sql->find("current_setting('search_path')") != std::string::npos;
        wire.Write(check ? Wire::Rows({{"pg_catalog", "on"}}) : answer(*sql));
      }
    });
  }

  // Ends the peer's scripts at the end of the scope, before what they refer to goes away.
  class HangUp {
   public:
    explicit HangUp(PeerFixture& fixture) : fixture_(fixture) {}
    HangUp(const HangUp&) = delete;
    HangUp& operator=(const HangUp&) = delete;
    ~HangUp() { fixture_.peer_.reset(); }

   private:
    PeerFixture& fixture_;
  };

  PgConnector& connector() {
    if (!connector_) connector_ = std::make_unique<PgConnector>(parameters_, dog_, clock_);
    return *connector_;
  }
  std::unique_ptr<Session> MustConnect() {
    Result<std::unique_ptr<Session>> session = connector().Connect();
    EXPECT_TRUE(session.ok()) << session.error().message;
    return session.ok() ? std::move(session).value() : nullptr;
  }
  Error MustNotConnect() {
    Result<std::unique_ptr<Session>> session = connector().Connect();
    EXPECT_FALSE(session.ok());
    if (session.ok()) return Error{};
    EXPECT_EQ(session.error().message.find(kPassword), std::string::npos);
    EXPECT_EQ(session.error().message.find('\n'), std::string::npos);
    return session.error();
  }

  static constexpr const char* kPassword = "open-sesame-77";
  static constexpr std::chrono::milliseconds kAmple{30'000};

  ckpt::testing::RealClock clock_;
  Watchdog dog_{clock_};
  ConnectionParameters parameters_;
  std::unique_ptr<ckpt::testing::FakePeer> peer_;
  std::unique_ptr<PgConnector> connector_;
};

}  // namespace ckpt::pg
