// SPDX-License-Identifier: Apache-2.0
#include "core/activity.h"

#include <gtest/gtest.h>

namespace ckpt {
namespace {

PulseStats Waiting(const char* wait) {
  PulseStats pulse;
  pulse.checkpointer_pid = 42;
  if (wait != nullptr) pulse.checkpointer_wait_event = wait;
  return pulse;
}

TEST(Activity, ReadsTheWaitOfEachVersion) {
  struct Case {
    int major;
    const char* wait;
    Phase previous;
    Phase phase;
    bool in_progress;
  };
  const Case cases[] = {
      {10, "CheckpointerMain", Phase::kWrite, Phase::kIdle, false},
      {19, "CheckpointerMain", Phase::kUnknown, Phase::kIdle, false},
      {18, "CheckpointerShutdown", Phase::kFinish, Phase::kShutdown, false},
      {14, "CheckpointWriteDelay", Phase::kIdle, Phase::kWrite, true},
      {12, "DataFileWrite", Phase::kIdle, Phase::kWrite, true},
      {12, "SLRUFlushSync", Phase::kWrite, Phase::kWrite, true},
      {13, "SLRUFlushSync", Phase::kWrite, Phase::kSync, true},
      {17, "SlruSync", Phase::kWrite, Phase::kSync, true},
      {15, "DataFileSync", Phase::kWrite, Phase::kSync, true},
      {17, "CheckpointDelayComplete", Phase::kSync, Phase::kFinish, true},
      {15, "ControlFileSyncUpdate", Phase::kSync, Phase::kFinish, true},
      // No wait, or one met in any phase: the phase goes on; after idle it is the first one.
      {13, nullptr, Phase::kIdle, Phase::kWrite, true},
      {13, nullptr, Phase::kUnknown, Phase::kWrite, true},
      {13, nullptr, Phase::kSync, Phase::kSync, true},
      {15, "WALWrite", Phase::kWrite, Phase::kWrite, true},
      {15, "WALWrite", Phase::kFinish, Phase::kFinish, true},
      {15, "BufferContent", Phase::kIdle, Phase::kWrite, true},
      // A name of other versions is not known by heart, yet it is work.
      {16, "SlruSync", Phase::kIdle, Phase::kWrite, true},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(std::to_string(c.major) + " " + (c.wait != nullptr ? c.wait : "NULL"));
    const Activity activity = ReadActivity(Waiting(c.wait), {c.major * 10000}, c.previous);
    EXPECT_EQ(activity.phase, c.phase);
    EXPECT_EQ(activity.in_progress, c.in_progress);
  }
}

TEST(Activity, IsUnknownToARoleThatMayNotSeeIt) {
  const Activity activity = ReadActivity(PulseStats{}, {150000}, Phase::kWrite);
  EXPECT_EQ(activity.phase, Phase::kUnknown);
  EXPECT_FALSE(activity.in_progress.has_value());
}

TEST(Activity, HasALabelForEveryPhase) {
  for (const PhaseInfo& info : kPhases) EXPECT_EQ(PhaseLabel(info.phase), info.label);
  for (const CheckpointerWait& wait : CheckpointerWaits()) {
    EXPECT_NE(wait.phase, Phase::kUnknown) << wait.wait_event;
  }
}

}  // namespace
}  // namespace ckpt
