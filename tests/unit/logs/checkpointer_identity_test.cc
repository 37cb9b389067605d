// SPDX-License-Identifier: Apache-2.0
#include "logs/checkpointer_identity.h"

#include <gtest/gtest.h>

namespace ckpt::logs {
namespace {

LogRecord Record(std::int64_t pid, double time, std::string_view backend_type = {}) {
  LogRecord record;
  record.pid = pid;
  record.time = time;
  record.backend_type = backend_type;
  return record;
}

Starting Start(std::initializer_list<CheckpointFlag> flags) {
  Starting starting;
  for (const CheckpointFlag flag : flags) starting.flags.Add(flag);
  return starting;
}

Complete Done(double total) {
  Complete complete;
  complete.numbers.total_seconds = total;
  return complete;
}

bool Accepts(CheckpointerIdentity& identity, const LogRecord& record,
             const CheckpointMessage& message) {
  return identity.MayHaveWritten(record, RoleOf(record), message);
}

TEST(CheckpointerIdentity, BelievesTheBackendType) {
  CheckpointerIdentity identity;
  EXPECT_TRUE(Accepts(identity, Record(1, 0, "checkpointer"), Start({CheckpointFlag::kTime})));
  EXPECT_TRUE(Accepts(identity, Record(9, 0, "startup"), Start({CheckpointFlag::kEndOfRecovery})));
  EXPECT_TRUE(Accepts(identity, Record(9, 0, "startup"), RedoStarts{}));
  EXPECT_TRUE(Accepts(identity, Record(2, 0, "postmaster"), ServerReady{}));
  for (const char* other : {"client backend", "autovacuum worker", "background worker", "walsender",
                            "postmaster", "background writer", "something new"}) {
    EXPECT_FALSE(Accepts(identity, Record(3, 0, other), Start({CheckpointFlag::kTime}))) << other;
    EXPECT_FALSE(Accepts(identity, Record(3, 0, other), Done(0))) << other;
    EXPECT_FALSE(Accepts(identity, Record(3, 0, other), RedoStarts{})) << other;
  }
  EXPECT_FALSE(Accepts(identity, Record(1, 0, "checkpointer"), RedoStarts{}));
}

TEST(CheckpointerIdentity, BelievesNoSession) {
  CheckpointerIdentity identity;
  LogRecord record = Record(1, 0);
  record.is_session = true;
  EXPECT_FALSE(Accepts(identity, record, Start({CheckpointFlag::kTime})));
  EXPECT_FALSE(Accepts(identity, record, ShutDown{}));
  record.backend_type = "checkpointer";
  EXPECT_FALSE(Accepts(identity, record, Done(1)));
}

TEST(CheckpointerIdentity, LearnsThePidAndRefusesAnother) {
  CheckpointerIdentity identity;
  EXPECT_TRUE(Accepts(identity, Record(10, 0), Start({CheckpointFlag::kTime})));
  EXPECT_FALSE(Accepts(identity, Record(99, 1), Start({CheckpointFlag::kWal})));
  EXPECT_FALSE(Accepts(identity, Record(99, 1), Done(300)));  // nor a claim that cannot be
  EXPECT_FALSE(Accepts(identity, Record(99, 1), TooFrequent{}));
  EXPECT_TRUE(Accepts(identity, Record(10, 5), Done(5)));
  EXPECT_TRUE(identity.IsCheckpointer(Record(10, 6), ProcessRole::kUnknown));
  EXPECT_FALSE(identity.IsCheckpointer(Record(99, 6), ProcessRole::kUnknown));
}

TEST(CheckpointerIdentity, PrefersThePidItIsTold) {
  CheckpointerIdentity identity;
  identity.SetPid(10);
  EXPECT_FALSE(Accepts(identity, Record(99, 0), Start({CheckpointFlag::kTime})));
  EXPECT_TRUE(Accepts(identity, Record(10, 0), Start({CheckpointFlag::kTime})));
}

TEST(CheckpointerIdentity, AcceptsANewProcessWhenTheServerStartsAnew) {
  for (const CheckpointMessage& sign :
       {CheckpointMessage{Interrupted{}}, CheckpointMessage{WasShutDown{}},
        CheckpointMessage{Reinitializing{}}, CheckpointMessage{ShutDown{}}}) {
    CheckpointerIdentity identity;
    identity.SetPid(10);
    EXPECT_TRUE(Accepts(identity, Record(20, 0), sign));
    EXPECT_TRUE(Accepts(identity, Record(21, 0), Start({CheckpointFlag::kTime})));
    EXPECT_EQ(identity.pid(), 21);
  }
}

// To version 14 the startup process writes the end-of-recovery checkpoint.
TEST(CheckpointerIdentity, DoesNotTakeTheStartupProcessForTheCheckpointer) {
  CheckpointerIdentity identity;
  identity.SetPid(10);
  EXPECT_TRUE(Accepts(identity, Record(20, 0), Start({CheckpointFlag::kEndOfRecovery})));
  EXPECT_TRUE(Accepts(identity, Record(20, 1), Done(1)));
  EXPECT_TRUE(Accepts(identity, Record(21, 2), Start({CheckpointFlag::kTime})));
  EXPECT_EQ(identity.pid(), 21);
}

// Lines about a server start can be missing, or in a language that hides them.
TEST(CheckpointerIdentity, BelievesAStrangerWhosePairAgreesWithItself) {
  CheckpointerIdentity identity;
  identity.SetPid(10);
  EXPECT_FALSE(Accepts(identity, Record(11, 100), Start({CheckpointFlag::kTime})));
  EXPECT_FALSE(Accepts(identity, Record(12, 127), Done(27)));  // not who started
  EXPECT_TRUE(Accepts(identity, Record(11, 127), Done(27)));
  EXPECT_EQ(identity.pid(), 11);
}

}  // namespace
}  // namespace ckpt::logs
