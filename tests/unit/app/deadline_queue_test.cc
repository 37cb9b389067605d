// SPDX-License-Identifier: Apache-2.0
#include "app/deadline_queue.h"

#include <gtest/gtest.h>

#include <string>

namespace ckpt::app {
namespace {

using std::chrono::seconds;

TEST(DeadlineQueue, RunsWhatIsDueInOrderAndOnce) {
  int wakes = 0;
  std::string ran;
  DeadlineQueue queue([&] { ++wakes; });
  const MonotonicTime start{std::chrono::hours(1)};
  EXPECT_FALSE(queue.Next());
  queue.Add(start + seconds(2), [&] { ran += 'b'; });
  queue.Add(start + seconds(3), [&] { ran += 'c'; });
  EXPECT_EQ(wakes, 1) << "the second changes nothing for who waits";
  queue.Add(start + seconds(1), [&] { ran += 'a'; });
  EXPECT_EQ(wakes, 2);
  EXPECT_EQ(queue.Next(), start + seconds(1));
  queue.RunDue(start);
  EXPECT_EQ(ran, "");
  queue.RunDue(start + seconds(2));
  EXPECT_EQ(ran, "ab");
  queue.RunDue(start + seconds(9));
  EXPECT_EQ(ran, "abc");
  EXPECT_FALSE(queue.Next());
}

TEST(DeadlineQueue, ForgetsWhatIsCancelled) {
  int ran = 0;
  DeadlineQueue queue([] {});
  const MonotonicTime at{std::chrono::hours(1)};
  const auto first = queue.Add(at, [&] { ran += 1; });
  const auto second = queue.Add(at, [&] {
    ran += 10;
    queue.Cancel(first);  // from within, and of one that has run
  });
  queue.Add(at, [&] { ran += 100; });
  queue.Cancel(first);
  queue.RunDue(at);
  queue.Cancel(second);
  EXPECT_EQ(ran, 110);
}

}  // namespace
}  // namespace ckpt::app
