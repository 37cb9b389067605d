// SPDX-License-Identifier: Apache-2.0
#include "core/forced_trigger.h"

#include <gtest/gtest.h>

#include <limits>

namespace ckpt {
namespace {

constexpr double kMega = 1024.0 * 1024.0;

Settings With(double max_wal_megabytes, double segment_megabytes, double target) {
  Settings settings;
  settings.max_wal_size = max_wal_megabytes * kMega;
  settings.wal_segment_size = segment_megabytes * kMega;
  settings.checkpoint_completion_target = target;
  return settings;
}

TEST(ForcedTrigger, CountsSegmentsAsTheServerDoes) {
  struct Case {
    int major;
    double max_wal, segment, target;
    std::int64_t segments;
  };
  const Case cases[] = {
      // The defaults of each generation.
      {10, 1024, 16, 0.5, 25},
      {11, 1024, 16, 0.5, 42},
      {13, 1024, 16, 0.5, 42},
      {14, 1024, 16, 0.9, 33},
      {19, 1024, 16, 0.9, 33},
      // Never less than one.
      {15, 32, 16, 0.9, 1},
      {15, 2, 1, 1.0, 1},
      {10, 48, 16, 1.0, 1},
      {10, 64, 16, 0.5, 1},
      {11, 64, 16, 0.5, 2},
      // Seen on a live 15: trigger at 160, 208 and 256 MB.
      {15, 320, 16, 0.9, 10},
      {15, 320, 16, 0.5, 13},
      {15, 512, 16, 0.9, 16},
      // max_wal_size is cut to whole segments first.
      {15, 1023, 16, 0.0, 63},
      {15, 1000, 64, 0.9, 7},
      {15, 1024 * 1024, 1024, 0.9, 538},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(::testing::Message() << c.major << " " << c.max_wal << " " << c.target);
    const auto trigger = ReadForcedTrigger(With(c.max_wal, c.segment, c.target), {c.major * 10000});
    ASSERT_TRUE(trigger);
    EXPECT_EQ(trigger->segments, c.segments);
  }
}

TEST(ForcedTrigger, LiesOnASegmentBoundary) {
  const ForcedTrigger trigger{33, 16 << 20};
  const std::int64_t segment = trigger.segment_bytes;
  EXPECT_EQ(trigger.TriggerLsn(0), 33 * segment);
  EXPECT_EQ(trigger.TriggerLsn(segment - 1), 33 * segment);
  EXPECT_EQ(trigger.TriggerLsn(segment), 34 * segment);
  EXPECT_EQ(trigger.Distance(7 * segment), 33 * segment);
  EXPECT_EQ(trigger.Distance(8 * segment - 1), 32 * segment + 1);
}

TEST(ForcedTrigger, IsEmptyWithoutSensibleSettings) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Settings missing = With(1024, 16, 0.9);
  missing.wal_segment_size.reset();
  const Settings bad[] = {Settings{},          missing,
                          With(1024, 0, 0.9),  With(-1, 16, 0.9),
                          With(nan, 16, 0.9),  With(1024, 16, 1.5),
                          With(1024, 16, nan), With(1e18, 16, 0.9)};
  for (const Settings& settings : bad) {
    EXPECT_FALSE(ReadForcedTrigger(settings, {150000}));
  }
}

}  // namespace
}  // namespace ckpt
