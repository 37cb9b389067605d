// SPDX-License-Identifier: Apache-2.0
#include "tail/file_follower.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace ckpt::tail {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{64} << 10;
// So that one step ends even among thousands of small files.
constexpr int kFilesPerStep = 64;
// A day of hourly and a month of daily files whose names come back (postgresql-%d.log).
constexpr std::size_t kMaxBookmarks = 64;

constexpr std::size_t Index(auto enumerator) { return static_cast<std::size_t>(enumerator); }

}  // namespace

FileFollower::FileFollower(std::unique_ptr<LogLocator> locator, const Clock& clock,
                           FileFollowerOptions options)
    : locator_(std::move(locator)),
      clock_(clock),
      options_(options),
      // Not zeroed, so that pages which no read ever fills cost no memory.
      buffer_(new char[kBufferBytes]) {}

LogSourceCounters FileFollower::Counters() const {
  LogSourceCounters counters = counters_;
  counters.missing = missing_since_.has_value();
  if (fd_) {
    counters.name = file_.path;
    counters.offset = position_.offset();
  }
  return counters;
}

LogSource::StepResult FileFollower::Step(const Sink& sink) {
  Turn turn{sink, options_.bytes_per_step, {}};
  const ReadStatus status = Follow(turn);
  if (status == ReadStatus::kBound) {
    turn.result.outcome = Outcome::kMore;
  } else if (turn.result.bytes > 0) {
    turn.result.outcome = Outcome::kRead;
  } else if (missing_since_) {
    turn.result.outcome = Outcome::kMissing;
  } else if (!told_[Index(Stage::kLocate)].empty() || !told_[Index(Stage::kRead)].empty()) {
    turn.result.outcome = Outcome::kFailed;
  }
  return std::move(turn.result);
}

FileFollower::ReadStatus FileFollower::Follow(Turn& turn) {
  bool reopened = false;
  for (int files = 0; files < kFilesPerStep; ++files) {
    if (!fd_ && !OpenNewest(turn)) return ReadStatus::kEnd;
    ReadStatus status = ReadToEnd(turn);
    std::optional<LogFile> next;
    if (status == ReadStatus::kEnd) {
      next = LookForNext(turn);
      if (!next) return ReadStatus::kEnd;
      // Its writer may have added to the old file just before it began the new one.
      status = ReadToEnd(turn);
    }
    if (status == ReadStatus::kFailed && !fd_ && !std::exchange(reopened, true)) continue;
    if (status != ReadStatus::kEnd) return status;
    if (!Open(*next, turn)) return ReadStatus::kEnd;
  }
  return ReadStatus::kBound;
}

bool FileFollower::OpenNewest(Turn& turn) {
  const MonotonicTime now = clock_.Monotonic();
  if (located_at_ && now - *located_at_ < options_.locate_interval) return false;
  located_at_ = now;
  Located located = locator_->Newest();
  if (located.file) {
    missing_since_.reset();
    return Open(*located.file, turn);
  }
  if (located.problem->kind == LogErrorKind::kMissing) {
    if (!missing_since_) missing_since_ = now;
    // What appears from now on is new, to its first byte.
    at_start_ = false;
  }
  Problem(Stage::kLocate, std::move(*located.problem), turn);
  return false;
}

std::optional<LogFile> FileFollower::LookForNext(Turn& turn) {
  const MonotonicTime now = clock_.Monotonic();
  if (located_at_ && now - *located_at_ < options_.locate_interval) return std::nullopt;
  located_at_ = now;

  struct stat status {};
  bool unlinked = false;
  if (::fstat(fd_.get(), &status) == 0) {
    unlinked = status.st_nlink == 0;
    if (Located described = DescribeFile(file_.path, status); described.file) {
      file_ = std::move(*described.file);
    }
  }
  Located located = locator_->After(file_);
  const bool missing = located.problem && located.problem->kind == LogErrorKind::kMissing;
  if (!missing) missing_since_.reset();
  if (missing && !missing_since_) missing_since_ = now;

  // An unlinked file holds disk space that its owner wanted back. A renamed one costs nothing.
  if (unlinked && !located.file && now - last_bytes_at_ >= options_.grace) fd_ = UniqueFd();
  if (missing) {
    if (now - *missing_since_ >= options_.grace) {
      Problem(Stage::kLocate, std::move(*located.problem), turn);
    }
  } else if (located.problem) {
    Problem(Stage::kLocate, std::move(*located.problem), turn);
  } else if (!located.file) {
    Over(Stage::kLocate, turn);
  }
  return located.file;
}

bool FileFollower::Open(const LogFile& file, Turn& turn) {
  UniqueFd fd(::open(file.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!fd) {
    Problem(Stage::kLocate, ProblemFromErrno(file.path, errno), turn);
    return false;
  }
  // The name may have gone to another file since it was looked up.
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) {
    Problem(Stage::kLocate, ProblemFromErrno(file.path, errno), turn);
    return false;
  }
  Located opened = DescribeFile(file.path, status);
  if (opened.problem) {
    Problem(Stage::kLocate, std::move(*opened.problem), turn);
    return false;
  }
  if (opened.file->identity == file.identity && file.known_bytes <= opened.file->size) {
    opened.file->known_bytes = file.known_bytes;
  }

  const bool first = counters_.opens == 0;
  const bool same = !first && opened.file->identity == file_.identity;
  // The name came back to the current file since it was looked up.
  if (fd_ && same) return false;
  std::optional<LogPosition> position = PositionIn(*opened.file, fd.get(), turn);
  if (!position) return false;
  if (!first && !same) {
    if (bookmarks_.size() == kMaxBookmarks) bookmarks_.pop_front();
    bookmarks_.push_back({file_.identity, position_.offset(), std::string(position_.marker())});
    ++counters_.rotations;
  }
  std::erase_if(bookmarks_, [&](const Bookmark& bookmark) {
    return bookmark.identity == opened.file->identity;
  });
  fd_ = std::move(fd);
  file_ = std::move(*opened.file);
  position_ = std::move(*position);
  at_start_ = false;
  missing_since_.reset();
  // There may be more files after this one.
  located_at_.reset();
  last_bytes_at_ = clock_.Monotonic();
  ++counters_.opens;
  Over(Stage::kLocate, turn);
  return true;
}

std::optional<LogPosition> FileFollower::PositionIn(const LogFile& file, int fd, Turn& turn) {
  const bool same = counters_.opens > 0 && file.identity == file_.identity;
  const auto bookmark =
      std::find_if(bookmarks_.begin(), bookmarks_.end(),
                   [&](const Bookmark& mark) { return mark.identity == file.identity; });
  std::uint64_t offset = file.known_bytes;
  std::string_view expected;
  if (same) {
    offset = position_.offset();
    expected = position_.marker();
  } else if (bookmark != bookmarks_.end()) {
    offset = bookmark->offset;
    expected = bookmark->marker;
  } else if (at_start_) {
    offset = file.size - std::min(file.size, options_.read_last);
  }

  char buffer[LogPosition::kMarkerBytes];
  const std::size_t wanted = std::min<std::uint64_t>(offset, sizeof buffer);
  const ssize_t got = ReadSome(fd, buffer, wanted, offset - wanted);
  if (got < 0) {
    Problem(Stage::kRead, ProblemFromErrno(file.path, errno), turn);
    return std::nullopt;
  }
  const std::string_view before(buffer, static_cast<std::size_t>(got));
  LogPosition position;
  if (before.size() < wanted || !before.ends_with(expected)) {
    // Truncated since, or another file that was given the same inode.
    position.StartAfterTruncation();
  } else if (same) {
    position = position_;
  } else {
    position.StartAt(offset, before);
  }
  return position;
}

FileFollower::ReadStatus FileFollower::ReadToEnd(Turn& turn) {
  if (!CheckTruncation(turn)) return ReadStatus::kFailed;
  if (position_.skips_nuls()) SkipHole();
  while (turn.budget > 0) {
    const ssize_t got =
        ReadSome(fd_.get(), buffer_.get(), std::min(kBufferBytes, turn.budget), position_.offset());
    if (got < 0) {
      ReadFailed(errno, turn);
      return ReadStatus::kFailed;
    }
    Over(Stage::kRead, turn);
    if (got == 0) return ReadStatus::kEnd;
    const auto size = static_cast<std::size_t>(got);
    turn.budget -= size;
    last_bytes_at_ = clock_.Monotonic();
    const std::string_view bytes = position_.Accept({buffer_.get(), size});
    if (bytes.empty()) continue;
    turn.result.bytes += bytes.size();
    counters_.bytes += bytes.size();
    turn.sink({bytes, position_.TakeStartsFresh(), file_.path});
  }
  return ReadStatus::kBound;
}

bool FileFollower::CheckTruncation(Turn& turn) {
  struct stat status {};
  if (::fstat(fd_.get(), &status) != 0) {
    ReadFailed(errno, turn);
    return false;
  }
  const auto size = static_cast<std::uint64_t>(status.st_size);
  bool truncated = size < position_.offset();
  const std::string_view marker = position_.marker();
  if (size > position_.offset() && !marker.empty()) {
    char before[LogPosition::kMarkerBytes];
    const ssize_t got =
        ReadSome(fd_.get(), before, marker.size(), position_.offset() - marker.size());
    // A read error will come up again, and be told, by the reading itself.
    if (got >= 0) truncated = marker != std::string_view(before, static_cast<std::size_t>(got));
  }
  if (truncated) {
    position_.StartAfterTruncation();
    ++counters_.truncations;
  }
  return true;
}

void FileFollower::SkipHole() {
  const off_t data = ::lseek(fd_.get(), static_cast<off_t>(position_.offset()), SEEK_DATA);
  // Where the file system cannot tell, the hole is read as NULs, within the bounds of a step.
  if (data > 0 && static_cast<std::uint64_t>(data) > position_.offset()) {
    position_.SkipHole(static_cast<std::uint64_t>(data));
  }
}

void FileFollower::ReadFailed(int error_number, Turn& turn) {
  Problem(Stage::kRead, ProblemFromErrno(file_.path, error_number), turn);
  if (error_number != ESTALE) return;
  fd_ = UniqueFd();
  located_at_.reset();
}

ssize_t FileFollower::ReadSome(int fd, char* buffer, std::size_t size, std::uint64_t offset) const {
  ssize_t got = 0;
  do {
    got = options_.read_at(fd, buffer, size, static_cast<off_t>(offset));
  } while (got < 0 && errno == EINTR);
  return got;
}

void FileFollower::Problem(Stage stage, LogProblem problem, Turn& turn) {
  ++counters_.errors[Index(problem.kind)];
  std::string& told = told_[Index(stage)];
  if (told == problem.message) return;
  told = problem.message;
  turn.result.problem = std::move(problem);
}

void FileFollower::Over(Stage stage, Turn& turn) {
  std::string& told = told_[Index(stage)];
  if (told.empty()) return;
  told.clear();
  // A stale file that was opened again within the step that told of it is worth only that word.
  turn.result.recovered = !turn.result.problem;
}

}  // namespace ckpt::tail
