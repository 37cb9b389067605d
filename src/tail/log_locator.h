// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/log_source.h"

namespace ckpt::tail {

// What a file is, whatever its name. Stays the same while a file is renamed; may be given to
// another file once this one is deleted and closed.
struct FileIdentity {
  dev_t device = 0;
  ino_t inode = 0;
  // clang-tidy 14 takes the 0 that <=> compares with for a pointer.
  friend constexpr auto operator<=>(const FileIdentity&,
                                    const FileIdentity&) =
      default;  // NOLINT(modernize-use-nullptr)
};

struct LogFile {
  std::string path;
  FileIdentity identity;
  std::uint64_t size = 0;           // bytes
  std::int64_t modified_nanos = 0;  // mtime, nanoseconds since the Unix epoch
  // How much of it was there before anybody followed it: history that must not be replayed.
  std::uint64_t known_bytes = 0;
};

// A file, or a reason, or neither ("nothing newer").
struct Located {
  std::optional<LogFile> file;
  std::optional<LogProblem> problem;
};

// Decides which file is the log. Knows names and times; opens nothing that it locates.
// One thread at a time. Errors are values; the messages name the path and the cure.
class LogLocator {
 public:
  virtual ~LogLocator() = default;
  // The file to begin with. Always a file or a problem.
  virtual Located Newest() = 0;
  // The next file after `current`, in the order in which they were written, so that none is left
  // out when several appeared at once. A file without bytes is not next yet: its writer may still
  // be at work on `current`. A problem is only told when the log itself has vanished or is barred.
  virtual Located After(const LogFile& current) = 0;
};

// One path, symbolic links followed. When it names another file than before, that one is next.
class PathLocator final : public LogLocator {
 public:
  explicit PathLocator(std::string path) : path_(std::move(path)) {}
  Located Newest() override;
  Located After(const LogFile& current) override;

 private:
  std::string path_;
};

// How long each file already was when its directory was first looked at: what somebody appends to a
// log of last week (log_filename = 'postgresql-%a.log') is news, the rest of it is not.
// Bounded by the number of files there: those that vanish or shrink are dropped.
class KnownSizes {
 public:
  // Fills in `known_bytes`. The first call learns. `files` is everything that is there.
  void Apply(std::vector<LogFile>& files);

 private:
  bool learned_ = false;
  std::map<FileIdentity, std::uint64_t> sizes_;
};

// A glob(7) pattern, for log_filename with a time in it; the newest by (mtime, name) is the log.
// The pattern must match the files of one server in one format.
class GlobLocator final : public LogLocator {
 public:
  explicit GlobLocator(std::string pattern) : pattern_(std::move(pattern)) {}
  Located Newest() override;
  Located After(const LogFile& current) override;

 private:
  // All regular files that match, oldest first; a problem when there is none.
  std::vector<LogFile> Scan(std::optional<LogProblem>& problem);

  std::string pattern_;
  KnownSizes known_;
};

// A GlobLocator when `path` holds any of * ? [ and otherwise a PathLocator.
std::unique_ptr<LogLocator> MakeLocator(const std::string& path);

// What `status` says about `path`; a problem when it is no regular file.
Located DescribeFile(const std::string& path, const struct stat& status);
// stat(2) and DescribeFile.
Located StatFile(const std::string& path);
// The first non-empty one of `files` that was written after `current`: later by (mtime, name).
// REQUIRES: `files` sorted by SortByAge.
std::optional<LogFile> FirstAfter(const std::vector<LogFile>& files, const LogFile& current);
void SortByAge(std::vector<LogFile>& files);
// Regular files of `directory` whose names end with `suffix`, oldest first; empty when unreadable.
std::vector<LogFile> ListDirectory(const std::string& directory, const std::string& suffix);
// The problem that an errno of opening, reading or looking up `path` stands for, with its cure.
LogProblem ProblemFromErrno(const std::string& path, int error_number);

}  // namespace ckpt::tail
