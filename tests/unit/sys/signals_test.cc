// SPDX-License-Identifier: Apache-2.0
#include "sys/signals.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <thread>

namespace ckpt::sys {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(SignalWaiter, TellsWhatWasAsked) {
  SignalWaiter waiter;
  const struct {
    int number;
    Signal signal;
  } cases[] = {
      {SIGTERM, Signal::kTerminate}, {SIGINT, Signal::kTerminate}, {SIGHUP, Signal::kReload}};
  for (const auto& c : cases) {
    ASSERT_EQ(kill(getpid(), c.number), 0);
    EXPECT_EQ(waiter.Wait(seconds(10)), c.signal);
  }
  EXPECT_EQ(waiter.Wait(milliseconds(0)), Signal::kNone);
  EXPECT_EQ(waiter.Wait(milliseconds(-5)), Signal::kNone);
}

TEST(SignalWaiter, WakesUpForEventsOfOurOwn) {
  SignalWaiter waiter;
  std::thread other([&] { waiter.Wake(); });
  EXPECT_EQ(waiter.Wait(milliseconds::max()), Signal::kNone);
  other.join();
  waiter.Wake();
  waiter.Wake();
  EXPECT_EQ(waiter.Wait(seconds(10)), Signal::kNone);
}

TEST(SignalWaiter, ReceivesInMainWhatOtherThreadsAreSent) {
  SignalWaiter waiter;
  std::thread other([] { ASSERT_EQ(kill(getpid(), SIGHUP), 0); });
  EXPECT_EQ(waiter.Wait(seconds(10)), Signal::kReload);
  other.join();
}

TEST(SignalWaiter, SurvivesABrokenPipe) {
  const SignalWaiter waiter;
  int ends[2] = {};
  ASSERT_EQ(pipe(ends), 0);
  close(ends[0]);
  EXPECT_EQ(write(ends[1], "x", 1), -1);
  EXPECT_EQ(errno, EPIPE);
  close(ends[1]);
}

TEST(SignalWaiter, GivesTheMaskBack) {
  { const SignalWaiter waiter; }
  sigset_t mask;
  ASSERT_EQ(pthread_sigmask(SIG_SETMASK, nullptr, &mask), 0);
  EXPECT_EQ(sigismember(&mask, SIGTERM), 0);
  EXPECT_EQ(sigismember(&mask, SIGHUP), 0);
}

}  // namespace
}  // namespace ckpt::sys
