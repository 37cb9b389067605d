// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "core/checkpoint_event.h"
#include "fake_checkpointer.h"

namespace ckpt::testing {

inline std::string Describe(const CheckpointEvent& e) {
  std::ostringstream out;
  out << EventKindName(e.kind) << " " << ReasonLabel(e.reason) << (e.failed ? " failed" : "")
      << " x" << e.coalesced;
  if (e.start) out << " start " << *e.start - FakeCheckpointer::kEpoch;
  if (e.end) out << " end " << *e.end - FakeCheckpointer::kEpoch;
  if (e.total_seconds) out << " total " << *e.total_seconds;
  return out.str();
}

inline std::string Describe(const std::vector<CheckpointEvent>& events) {
  std::string out;
  for (const CheckpointEvent& e : events) out += Describe(e) + "\n";
  return out;
}

// What must hold of every event, whatever happens.
inline void CheckSane(const std::vector<CheckpointEvent>& events) {
  for (const CheckpointEvent& e : events) {
    SCOPED_TRACE(Describe(e));
    EXPECT_GE(e.coalesced, 1);
    EXPECT_EQ(e.origin, EventOrigin::kStats);
    if (e.start && e.end) {
      EXPECT_GE(*e.end, *e.start);
    }
    for (const auto& seconds : {e.write_seconds, e.sync_seconds, e.total_seconds}) {
      if (seconds) {
        EXPECT_GE(*seconds, 0);
      }
    }
    EXPECT_GE(e.buffers_written.value_or(0), 0);
    EXPECT_GT(e.distance_bytes.value_or(1), 0);
  }
}

inline void ExpectTimes(const CheckpointEvent& event, const FakeCheckpointer& fake,
                        const Pass& run) {
  SCOPED_TRACE(Describe(event));
  ASSERT_TRUE(event.start && event.end && event.total_seconds);
  EXPECT_NEAR(*event.start, fake.ServerTime(run.start), 1.0);
  EXPECT_NEAR(*event.end, fake.ServerTime(run.end()), 1.0);
  EXPECT_NEAR(*event.total_seconds, run.end() - run.start, 1.2);
}

}  // namespace ckpt::testing
