// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "core/clock.h"
#include "core/log_source.h"
#include "tail/log_locator.h"
#include "tail/log_position.h"
#include "tail/unique_fd.h"

namespace ckpt::tail {

// pread(2), or a test's stand-in for a failing disk.
using ReadAt = ssize_t (*)(int fd, void* buffer, std::size_t size, off_t offset);

struct FileFollowerOptions {
  // How much of the log that is there at the start is read, bytes; 0 begins at its end. Either way
  // the first chunk begins with a whole line.
  std::uint64_t read_last = 0;
  std::size_t bytes_per_step = std::size_t{4} << 20;
  // How often at most the name is looked up while there is nothing to read.
  std::chrono::milliseconds locate_interval{1000};
  // How long a deleted file is kept open after its last bytes, as its writer may still have it; and
  // how long the name may be missing, between a rename and a create, before that is told.
  std::chrono::milliseconds grace{60'000};
  ReadAt read_at = ::pread;
};

// Follows a log in the local file system through rotation and truncation. The model:
//  * A file is its (device, inode), whatever its name. Only at its end does the follower ask the
//    locator what comes next; then it reads the old file once more to its end and goes on with the
//    new one, once that has bytes. So nothing is lost with a writer that closes the old file before
//    or soon after it writes to the new one, as PostgreSQL's logging collector does.
//  * Fewer bytes than were read, or other bytes before the offset: truncated (copytruncate,
//    log_truncate_on_rotation). Reading restarts at 0. What was written between the last read and
//    the truncation is lost; no reader can help that.
//  * At the start reading begins at the end (or `read_last`); a file that appears later is read
//    from its first byte; one that was read before, from where that ended.
// With one fixed path, of several rotations between two steps only the first and last file are
// seen; a glob or current_logfiles finds them all.
// Owns its locator and one descriptor; the clock must outlive it. One thread at a time; reads never
// block on pipes or devices as those are refused. No I/O before the first Step().
class FileFollower final : public LogSource {
 public:
  FileFollower(std::unique_ptr<LogLocator> locator, const Clock& clock,
               FileFollowerOptions options = {});

  StepResult Step(const Sink& sink) override;
  LogSourceCounters Counters() const override;

 private:
  enum class ReadStatus { kEnd, kBound, kFailed };
  // Where a problem comes from: each is over when its own kind of action succeeds.
  enum class Stage : std::uint8_t { kLocate, kRead };
  // What one step hands around.
  struct Turn {
    const Sink& sink;
    std::size_t budget = 0;
    StepResult result = {};
  };
  // Where reading of an earlier file ended.
  struct Bookmark {
    FileIdentity identity;
    std::uint64_t offset = 0;
    std::string marker;
  };

  // Reads, file after file. kBound: more is waiting.
  ReadStatus Follow(Turn& turn);
  // Opens the newest file. False when there is none. Rate limited. REQUIRES: none is open.
  bool OpenNewest(Turn& turn);
  // The file to go on with, when there is one. Rate limited. May close the current one.
  std::optional<LogFile> LookForNext(Turn& turn);
  // Opens `file` and makes it the current one; on failure the current one stays.
  bool Open(const LogFile& file, Turn& turn);
  // Where reading of `file`, opened as `fd`, begins. Empty on a read error.
  std::optional<LogPosition> PositionIn(const LogFile& file, int fd, Turn& turn);
  // Passes on what the current file has, within the step's bound.
  ReadStatus ReadToEnd(Turn& turn);
  // Notices truncation; moves position_. False on a read error.
  bool CheckTruncation(Turn& turn);
  void SkipHole();
  // Tells; closes a stale file.
  void ReadFailed(int error_number, Turn& turn);
  ssize_t ReadSome(int fd, char* buffer, std::size_t size, std::uint64_t offset) const;

  void Problem(Stage stage, LogProblem problem, Turn& turn);
  void Over(Stage stage, Turn& turn);

  const std::unique_ptr<LogLocator> locator_;
  const Clock& clock_;
  const FileFollowerOptions options_;
  const std::unique_ptr<char[]> buffer_;

  UniqueFd fd_;
  LogFile file_;  // the current one, or the last one when fd_ is empty
  LogPosition position_;
  std::deque<Bookmark> bookmarks_;  // newest last
  bool at_start_ = true;            // no file opened yet and none known to be missing
  std::optional<MonotonicTime> located_at_;
  std::optional<MonotonicTime> missing_since_;
  MonotonicTime last_bytes_at_{};
  // The problem of each stage that was told and is not over; empty when none.
  std::string told_[2];
  LogSourceCounters counters_;
};

}  // namespace ckpt::tail
