// SPDX-License-Identifier: Apache-2.0
// Follows a log that grows at a given rate and is rotated by rename, and prints what that costs:
//   bench_follow_log [SECONDS=10] [MEGABYTES_PER_SECOND=50] [STEPS_PER_SECOND=10]
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "core/clock.h"
#include "tail/file_follower.h"

namespace {

using ckpt::LogSource;
using Steady = std::chrono::steady_clock;

class RealClock final : public ckpt::Clock {
 public:
  ckpt::UnixSeconds Wall() const override {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch())
        .count();
  }
  ckpt::MonotonicTime Monotonic() const override { return Steady::now(); }
};

unsigned Argument(int argc, char** argv, int index, unsigned otherwise) {
  unsigned value = otherwise;
  if (index < argc) {
    const std::string_view text(argv[index]);
    std::from_chars(text.data(), text.data() + text.size(), value);
  }
  return value == 0 ? otherwise : value;
}

double ThreadCpuSeconds() {
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double ResidentMegabytes() {
  std::ifstream statm("/proc/self/statm");
  std::uint64_t total = 0;
  std::uint64_t resident = 0;
  statm >> total >> resident;
  return static_cast<double>(resident) * static_cast<double>(::sysconf(_SC_PAGESIZE)) / 1e6;
}

// Writes lines in 50 bursts a second and renames the file about once a second.
std::uint64_t Write(const std::string& path, unsigned rate, Steady::time_point until) {
  std::string burst;
  while (burst.size() < std::size_t{rate} * 1'000'000 / 50) {
    burst += "2026-11-30 21:00:00.000 UTC [773] LOG:  duration: 0.123 ms  statement: SELECT 1\n";
  }
  std::uint64_t written = 0;
  auto next = Steady::now();
  for (unsigned i = 0; next < until; ++i, next += std::chrono::milliseconds(20)) {
    std::this_thread::sleep_until(next);
    if (i % 50 == 49) std::filesystem::rename(path, path + ".1");
    const int fd = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    const ssize_t size = ::write(fd, burst.data(), burst.size());
    ::close(fd);
    if (size > 0) written += static_cast<std::uint64_t>(size);
  }
  return written;
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned seconds = Argument(argc, argv, 1, 10);
  const unsigned rate = Argument(argc, argv, 2, 50);
  const unsigned steps = Argument(argc, argv, 3, 10);
  std::string directory = (std::filesystem::temp_directory_path() / "ckpt-bench-XXXXXX").string();
  if (::mkdtemp(directory.data()) == nullptr) return 1;
  const std::string path = directory + "/postgresql.log";
  { const std::ofstream create(path); }

  const RealClock clock;
  ckpt::tail::FileFollower follower(ckpt::tail::MakeLocator(path), clock,
                                    {.locate_interval = std::chrono::milliseconds(100)});
  std::uint64_t lines = 0;
  const LogSource::Sink sink = [&lines](const LogSource::Chunk& chunk) {
    for (const char c : chunk.bytes) lines += c == '\n' ? 1 : 0;
  };
  follower.Step(sink);

  std::atomic<bool> done = false;
  std::uint64_t written = 0;
  const double before = ResidentMegabytes();
  const auto start = Steady::now();
  std::thread writer([&] {
    written = Write(path, rate, start + std::chrono::seconds(seconds));
    done = true;
  });
  double most = 0;
  std::uint64_t taken = 0;
  for (bool last = false;; ++taken) {
    const LogSource::Outcome outcome = follower.Step(sink).outcome;
    most = std::max(most, ResidentMegabytes());
    if (outcome == LogSource::Outcome::kMore) continue;
    if (last) break;
    last = done;
    std::this_thread::sleep_for(std::chrono::microseconds(1'000'000 / steps));
  }
  const double cpu = ThreadCpuSeconds();
  const double wall = std::chrono::duration<double>(Steady::now() - start).count();
  writer.join();
  const ckpt::LogSourceCounters counters = follower.Counters();
  std::printf(
      "%.1f s, %.1f MB written, %.1f MB read, %llu lines, %llu rotations, %llu truncations\n"
      "%llu steps, cpu %.2f %% of one core, %.3f s per GB, resident %.1f MB (the writer's buffer "
      "included), %+.1f MB while running\n",
      wall, static_cast<double>(written) / 1e6, static_cast<double>(counters.bytes) / 1e6,
      static_cast<unsigned long long>(lines), static_cast<unsigned long long>(counters.rotations),
      static_cast<unsigned long long>(counters.truncations), static_cast<unsigned long long>(taken),
      100 * cpu / wall, cpu / (static_cast<double>(counters.bytes) / 1e9), most, most - before);
  std::filesystem::remove_all(directory);
  return written == counters.bytes ? 0 : 1;
}
