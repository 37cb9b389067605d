// SPDX-License-Identifier: Apache-2.0
#include "core/backoff.h"

#include <gtest/gtest.h>

namespace ckpt {
namespace {

using std::chrono::milliseconds;

TEST(Backoff, DoublesUpToTheMost) {
  Backoff backoff(milliseconds(1000), milliseconds(5000), [] { return 0.0; });
  EXPECT_EQ(backoff.Next(), milliseconds(1000));
  EXPECT_EQ(backoff.Next(), milliseconds(2000));
  EXPECT_EQ(backoff.Next(), milliseconds(4000));
  EXPECT_EQ(backoff.Next(), milliseconds(5000));
  EXPECT_EQ(backoff.Next(), milliseconds(5000));
}

TEST(Backoff, StartsAgainAfterSuccess) {
  Backoff backoff(milliseconds(10), milliseconds(1000), [] { return 0.0; });
  for (int i = 0; i < 5; ++i) (void)backoff.Next();
  backoff.Reset();
  EXPECT_EQ(backoff.Next(), milliseconds(10));
}

TEST(Backoff, JitterShortensByUpToAHalf) {
  double random = 0.0;
  Backoff backoff(milliseconds(1000), milliseconds(1000), [&] { return random; });
  random = 0.5;
  EXPECT_EQ(backoff.Next(), milliseconds(750));
  random = 0.999;
  EXPECT_EQ(backoff.Next(), milliseconds(500));
}

TEST(Backoff, NeverWaitsForNothingNorOverflows) {
  Backoff tiny(milliseconds(1), milliseconds(1), [] { return 0.999; });
  EXPECT_EQ(tiny.Next(), milliseconds(1));
  Backoff broken_source(milliseconds(100), milliseconds(100), [] { return -7.0; });
  EXPECT_EQ(broken_source.Next(), milliseconds(100));
  const milliseconds day = std::chrono::hours(24);
  Backoff large(day, milliseconds::max() / 4, [] { return 0.0; });
  for (int i = 0; i < 200; ++i) EXPECT_GE(large.Next(), day);
}

}  // namespace
}  // namespace ckpt
