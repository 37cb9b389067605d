// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace ckpt {

// Why a log could not be read; the value of the label `kind` of the log error counter.
enum class LogErrorKind : std::uint8_t {
  kMissing,
  kPermission,
  kNotRegular,
  kStale,
  kIo,
  kQuery,
  kConfig,
};

struct LogErrorKindInfo {
  LogErrorKind kind;
  std::string_view label;
  std::string_view meaning;
};
// TABLE: one row a kind, in the order of the enumerators. Labels, counters and docs derive from it.
inline constexpr std::array<LogErrorKindInfo, 7> kLogErrorKinds{{
    {LogErrorKind::kMissing, "missing", "No log file there (yet)."},
    {LogErrorKind::kPermission, "permission", "The file or the SQL function may not be read."},
    {LogErrorKind::kNotRegular, "not_regular", "The path is a directory, pipe, socket or device."},
    {LogErrorKind::kStale, "stale", "A network file system dropped the open file (ESTALE)."},
    {LogErrorKind::kIo, "io", "The operating system failed to read."},
    {LogErrorKind::kQuery, "query", "The query that reads the log failed or its answer is wrong."},
    {LogErrorKind::kConfig, "config", "The server does not write the log that was asked for."},
}};

constexpr std::string_view LogErrorKindName(LogErrorKind kind) {
  return kLogErrorKinds[static_cast<std::size_t>(kind)].label;
}
static_assert([] {
  for (std::size_t i = 0; i < kLogErrorKinds.size(); ++i) {
    if (static_cast<std::size_t>(kLogErrorKinds[i].kind) != i) return false;
  }
  return true;
}());

// A reason why a log cannot be read, with its cure in the message. Holds no bytes of the log.
struct LogProblem {
  LogErrorKind kind = LogErrorKind::kIo;
  std::string message;
};

// What a source has done since it was made (counters only grow) and where it is.
struct LogSourceCounters {
  std::uint64_t opens = 0;        // files opened or, over SQL, begun; the first one included
  std::uint64_t rotations = 0;    // times another file took over from the one that was read
  std::uint64_t truncations = 0;  // times a file lost or changed bytes that had been read
  std::uint64_t bytes = 0;        // handed to the sink
  std::array<std::uint64_t, kLogErrorKinds.size()> errors{};  // failed attempts, by LogErrorKind
  bool missing = false;      // there is no file under the name that was asked for
  std::string name;          // the file being read; empty when none
  std::uint64_t offset = 0;  // the next byte of it to be read

  std::uint64_t ErrorsOf(LogErrorKind kind) const { return errors[static_cast<std::size_t>(kind)]; }
};

// A growing log as a stream of bytes, wherever it lives. A source hides rotation, truncation and
// absence; it does not look for lines, so a chunk may begin and end in the middle of one.
// One thread at a time. A source neither sleeps nor starts threads: its owner calls Step() about
// once a second, and again at once while it answers kMore.
class LogSource {
 public:
  struct Chunk {
    std::string_view bytes;  // never empty; valid during the call only
    // These bytes do not continue the previous chunk: drop the half line that it ended with.
    bool starts_fresh = false;
    std::string_view name;  // the file they come from; valid during the call only
  };
  // Must not throw and must not call the source.
  using Sink = std::function<void(const Chunk&)>;

  enum class Outcome : std::uint8_t {
    kIdle,     // nothing new
    kRead,     // read all that there was
    kMore,     // stopped at the bound of one step; more is waiting
    kMissing,  // no file to read; it will be picked up from its first byte when it appears
    kFailed,   // could not read; will be tried again by the next step
  };

  struct StepResult {
    Outcome outcome = Outcome::kIdle;
    std::size_t bytes = 0;  // handed to the sink by this step
    // What is wrong, set once when it begins or changes, so it can be logged as it is. A source may
    // read on in spite of it: a follower reads the old file while it may not open the new one.
    std::optional<LogProblem> problem;
    bool recovered = false;  // the last problem told is over
  };

  virtual ~LogSource() = default;
  // Reads a bounded amount, passes it on. Does not throw for anything a log or a server does.
  virtual StepResult Step(const Sink& sink) = 0;
  virtual LogSourceCounters Counters() const = 0;
};

}  // namespace ckpt
