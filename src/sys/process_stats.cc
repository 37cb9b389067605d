// SPDX-License-Identifier: Apache-2.0
#include "sys/process_stats.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <string_view>
#include <utility>

namespace ckpt::sys {
namespace {

using std::string_view;

// Columns of /proc/PID/stat, from 1 as proc(5) numbers them.
constexpr std::size_t kUserTime = 14;
constexpr std::size_t kSystemTime = 15;
constexpr std::size_t kThreads = 20;
constexpr std::size_t kVirtualSize = 23;
constexpr std::size_t kResidentPages = 24;

std::string ReadStat(const std::string& path) {
  std::string content;
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return content;
  std::array<char, 4096> buffer{};
  const ssize_t count = read(fd, buffer.data(), buffer.size());
  if (count > 0) content.assign(buffer.data(), static_cast<std::size_t>(count));
  close(fd);
  return content;
}

// Column `number` of the line. The second is the program's name in parentheses, which may hold
// blanks and parentheses, so columns are counted from the last parenthesis.
std::optional<std::int64_t> Column(string_view stat, std::size_t number) {
  const std::size_t name_end = stat.rfind(')');
  if (name_end == string_view::npos || name_end + 2 > stat.size()) return std::nullopt;
  string_view rest = stat.substr(name_end + 2);
  for (std::size_t column = 3; column < number; ++column) {
    const std::size_t blank = rest.find(' ');
    if (blank == string_view::npos) return std::nullopt;
    rest.remove_prefix(blank + 1);
  }
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (error != std::errc()) return std::nullopt;
  return value;
}

std::optional<std::int64_t> CountEntries(const std::string& path) {
  DIR* const folder = opendir(path.c_str());
  if (folder == nullptr) return std::nullopt;
  std::int64_t count = 0;
  while (const dirent* const entry = readdir(folder)) {
    if (entry->d_name[0] != '.') ++count;
  }
  closedir(folder);
  // The folder itself was open while it was read.
  return count > 0 ? count - 1 : 0;
}

std::optional<std::int64_t> Limit(__rlimit_resource resource) {
  rlimit limit = {};
  if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  return static_cast<std::int64_t>(limit.rlim_cur);
}

}  // namespace

ProcessStatsReader::ProcessStatsReader(const Clock& clock, std::string proc)
    : proc_(std::move(proc)), start_time_(clock.Wall()) {}

ProcessStats ProcessStatsReader::Read() const {
  ProcessStats stats;
  stats.start_time_seconds = start_time_;
  const std::string stat = ReadStat(proc_ + "/stat");
  const auto user = Column(stat, kUserTime);
  const auto system = Column(stat, kSystemTime);
  if (user && system) {
    stats.cpu_seconds_total =
        static_cast<double>(*user + *system) / static_cast<double>(sysconf(_SC_CLK_TCK));
  }
  stats.threads = Column(stat, kThreads);
  stats.virtual_memory_bytes = Column(stat, kVirtualSize);
  if (const auto pages = Column(stat, kResidentPages)) {
    stats.resident_memory_bytes = *pages * sysconf(_SC_PAGESIZE);
  }
  stats.open_fds = CountEntries(proc_ + "/fd");
  stats.max_fds = Limit(RLIMIT_NOFILE);
  stats.virtual_memory_max_bytes = Limit(RLIMIT_AS);
  return stats;
}

}  // namespace ckpt::sys
