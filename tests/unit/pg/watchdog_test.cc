// SPDX-License-Identifier: Apache-2.0
#include "pg/watchdog.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <thread>

#include "testing/manual_clock.h"
#include "testing/real_clock.h"

namespace ckpt::pg {
namespace {

using std::chrono::seconds;
using Verdict = Watchdog::Verdict;

constexpr std::int64_t kPlenty = 1 << 20;

class SocketPair {
 public:
  SocketPair() {
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends_.data()) != 0) ::abort();
  }
  SocketPair(const SocketPair&) = delete;
  SocketPair& operator=(const SocketPair&) = delete;
  ~SocketPair() {
    for (const int end : ends_) ::close(end);
  }
  int mine() const { return ends_[0]; }
  int theirs() const { return ends_[1]; }
  // Whether my end was shut down; does not wait.
  bool broken() const {
    char byte = 0;
    return ::recv(ends_[0], &byte, 1, MSG_DONTWAIT) == 0;
  }

 private:
  std::array<int, 2> ends_{};
};

TEST(Watchdog, BreaksAtTheDeadlineAndNotBefore) {
  testing::ManualClock clock;
  Watchdog dog(clock);
  const SocketPair pair;
  const auto deadline = clock.Monotonic() + seconds(3);
  const auto guard = dog.Watch(pair.mine(), deadline, kPlenty, nullptr);
  ASSERT_TRUE(guard);

  EXPECT_EQ(dog.Step(), deadline);
  clock.Advance(2.9);
  EXPECT_EQ(dog.Step(), deadline);
  EXPECT_FALSE(pair.broken());
  EXPECT_EQ(guard->verdict(), Verdict::kNone);

  clock.Advance(0.1);
  EXPECT_EQ(dog.Step(), std::nullopt);
  EXPECT_TRUE(pair.broken());
  EXPECT_EQ(guard->verdict(), Verdict::kDeadline);
}

TEST(Watchdog, LeavesASocketAloneOnceTheGuardIsGone) {
  testing::ManualClock clock;
  Watchdog dog(clock);
  const SocketPair pair;
  { const auto guard = dog.Watch(pair.mine(), clock.Monotonic() + seconds(1), kPlenty, nullptr); }
  clock.Advance(10);
  EXPECT_EQ(dog.Step(), std::nullopt);
  EXPECT_FALSE(pair.broken());
}

TEST(Watchdog, ActsOnTheSocketEvenWhenItsNumberIsReused) {
  testing::ManualClock clock;
  Watchdog dog(clock);
  const SocketPair innocent;
  std::array<int, 2> old{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, old.data()), 0);
  const auto guard = dog.Watch(old[0], clock.Monotonic() + seconds(1), kPlenty, nullptr);
  ASSERT_TRUE(guard);
  // As libpq does when it gives up a connection: closed, and the number goes to somebody else.
  ASSERT_EQ(::dup2(innocent.mine(), old[0]), old[0]);
  clock.Advance(2);
  (void)dog.Step();
  EXPECT_FALSE(innocent.broken());
  char byte = 0;
  EXPECT_EQ(::recv(old[1], &byte, 1, MSG_DONTWAIT), 0) << "the watched socket was shut down";
  ::close(old[0]);
  ::close(old[1]);
}

TEST(Watchdog, BreakEndsOnlyTheOwnersWaits) {
  testing::ManualClock clock;
  Watchdog dog(clock);
  const SocketPair mine;
  const SocketPair other;
  const int owner = 0;
  const int other_owner = 0;
  const auto deadline = clock.Monotonic() + seconds(1);
  const auto my_guard = dog.Watch(mine.mine(), deadline, kPlenty, &owner);
  const auto other_guard = dog.Watch(other.mine(), deadline, kPlenty, &other_owner);
  dog.Break(&owner);
  EXPECT_TRUE(mine.broken());
  EXPECT_EQ(my_guard->verdict(), Verdict::kCancelled);
  EXPECT_FALSE(other.broken());
  EXPECT_EQ(other_guard->verdict(), Verdict::kNone);
}

TEST(Watchdog, RefusesWhatIsNoDescriptor) {
  testing::ManualClock clock;
  Watchdog dog(clock);
  EXPECT_FALSE(dog.Watch(-1, clock.Monotonic(), kPlenty, nullptr));
}

TEST(Watchdog, ThreadWakesForAnEarlierDeadline) {
  testing::RealClock clock;
  Watchdog dog(clock);
  dog.Start();
  const SocketPair patient;
  const SocketPair urgent;
  const auto late = dog.Watch(patient.mine(), clock.Monotonic() + seconds(600), kPlenty, nullptr);
  const auto soon =
      dog.Watch(urgent.mine(), clock.Monotonic() + std::chrono::milliseconds(20), kPlenty, nullptr);
  // Blocks until the thread breaks it; the test's own time limit would end a thread that sleeps.
  char byte = 0;
  EXPECT_EQ(::recv(urgent.mine(), &byte, 1, 0), 0);
  EXPECT_EQ(soon->verdict(), Verdict::kDeadline);
  EXPECT_EQ(late->verdict(), Verdict::kNone);
}

}  // namespace
}  // namespace ckpt::pg
