// SPDX-License-Identifier: Apache-2.0
#include "sys/process_stats.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "sys/memory.h"
#include "sys/system_clock.h"
#include "testing/manual_clock.h"

namespace ckpt::sys {
namespace {

// A folder that looks like /proc/PID.
class FakeProc : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = "/tmp/ckpt-proc-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void WriteStat(const std::string& text) const { std::ofstream(folder_ / "stat") << text; }

  std::filesystem::path folder_;
  testing::ManualClock clock_{1'700'000'000.5};
};

TEST_F(FakeProc, ReadsTheColumnsBehindAnyName) {
  for (const char* name : {"(x)", "(a b)", "(a) R 1 (b)"}) {
    WriteStat("42 " + std::string(name) +
              " S 1 42 42 0 -1 4194304 100 0 0 0 150 50 0 0 20 0 7 0 12345 104857600 2560 "
              "18446744073709551615 1 1 0\n");
    const ProcessStats stats = ProcessStatsReader(clock_, folder_.string()).Read();
    const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
    EXPECT_EQ(stats.cpu_seconds_total, 200.0 / ticks);
    EXPECT_EQ(stats.threads, 7);
    EXPECT_EQ(stats.virtual_memory_bytes, 104857600);
    EXPECT_EQ(stats.resident_memory_bytes, 2560 * sysconf(_SC_PAGESIZE));
    EXPECT_EQ(stats.start_time_seconds, 1'700'000'000.5);
  }
}

TEST_F(FakeProc, LeavesOutWhatIsNotTold) {
  for (const char* text :
       {"", "42", "42 (x)", "42 (x) S 1 2", "42 (x) S a b c d e f g h i j k l"}) {
    WriteStat(text);
    const ProcessStats stats = ProcessStatsReader(clock_, folder_.string()).Read();
    EXPECT_EQ(stats.cpu_seconds_total, std::nullopt) << text;
    EXPECT_EQ(stats.threads, std::nullopt) << text;
    EXPECT_EQ(stats.open_fds, std::nullopt) << text;
  }
  EXPECT_EQ(ProcessStatsReader(clock_, "/nonexistent").Read().resident_memory_bytes, std::nullopt);
}

TEST(ProcessStatsReader, ReadsTheProcessItself) {
  const SystemClock clock;
  const ProcessStatsReader reader(clock);
  const ProcessStats before = reader.Read();
  EXPECT_GE(before.cpu_seconds_total, 0.0);
  EXPECT_GE(before.threads, 1);
  EXPECT_GT(before.resident_memory_bytes, 100'000);
  EXPECT_GT(before.virtual_memory_bytes, before.resident_memory_bytes);
  EXPECT_NEAR(before.start_time_seconds, clock.Wall(), 3600);

  std::vector<int> fds;
  for (int i = 0; i < 5; ++i) fds.push_back(open("/dev/null", O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(reader.Read().open_fds.value_or(0), before.open_fds.value_or(0) + 5);
  for (const int fd : fds) close(fd);

  rlimit limit = {};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
  if (limit.rlim_cur != RLIM_INFINITY) {
    EXPECT_EQ(before.max_fds, static_cast<std::int64_t>(limit.rlim_cur));
  }
}

TEST(SystemClock, GoesOn) {
  const SystemClock clock;
  EXPECT_GT(clock.Wall(), 1'600'000'000.0);
  const MonotonicTime first = clock.Monotonic();
  EXPECT_GE(clock.Monotonic(), first);
}

TEST(Memory, TakesTheHints) {
  EXPECT_TRUE(LimitArenas(2));
  ReleaseFreeMemory();  // how much there is to give back is up to the allocator
}

}  // namespace
}  // namespace ckpt::sys
