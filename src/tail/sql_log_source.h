// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/clock.h"
#include "core/log_source.h"
#include "core/result.h"
#include "core/row_set.h"
#include "tail/log_position.h"

namespace ckpt::tail {

// Runs one read-only statement on the target's connection. Does not throw.
using RunQuery = std::function<Result<RowSet>(const std::string& sql)>;

struct SqlLogSourceOptions {
  // As in log_destination, the best first; the first that the server writes is read.
  std::vector<std::string> formats = {"jsonlog", "csvlog", "stderr"};
  // How much of the log that is there at the start is read, bytes; 0 begins at its end.
  std::uint64_t read_last = 0;
  std::size_t bytes_per_step = std::size_t{256} << 10;
  // For a role that may list the logs but not see these settings; else the server's own are used.
  std::optional<std::string> log_directory;
  std::optional<std::string> log_filename;
  // How often privileges and settings are looked at again while they do not allow to read.
  std::chrono::milliseconds access_interval{60'000};
};

// Follows the log of a server over SQL, where its files cannot be reached. Knows the current file
// from pg_current_logfile(), else from pg_ls_logdir() and log_filename; reads it with
// pg_read_binary_file(). PostgreSQL rotates by a new name: the old file is read to its end first,
// which is certain as each statement asks for the name before it reads. With the right to list,
// every file of several rotations between two steps is read. Truncation shows as other or no bytes
// in front of the offset. What a server wrote before this began is not replayed.
//
// A step runs one statement, two or three when it begins or changes a file. What the role may do
// is read from the catalogs, so a refusal costs no ERROR in the server's log, and the problem holds
// the GRANTs that cure it. For another server behind the same address, make another source.
// One thread at a time, that of the connection; `run` must outlive nothing but this.
class SqlLogSource final : public LogSource {
 public:
  SqlLogSource(RunQuery run, const Clock& clock, SqlLogSourceOptions options = {});

  StepResult Step(const Sink& sink) override;
  LogSourceCounters Counters() const override;

 private:
  struct Bookmark {
    std::uint64_t offset = 0;
    std::string marker;  // empty: not known
  };
  // One row, text or NULL by column.
  using Row = std::vector<std::optional<std::string>>;

  // Each: what is wrong, if anything.
  using Failure = std::optional<LogProblem>;
  Failure Follow(const Sink& sink, StepResult& result);
  // Learns what the role may and the server does, unless known.
  Failure EnsureAccess();
  // What of it forbids reading, if anything.
  Failure JudgeAccess(const Row& row);
  // Finds the first file. path_ stays empty when there is none yet.
  Failure Begin();
  // Remembers where the files end that are there now, where they can be listed.
  Failure LearnSizes();
  // Goes on with `located`, or with what was written between it and the current file.
  Failure SwitchTo(std::string located);
  // Sets position_ for `path` and makes it the current file.
  Failure Open(const std::string& path);
  // Reads at the current position; `located` becomes the path that the server names.
  Failure Read(const Sink& sink, StepResult& result, std::optional<std::string>& located);
  // After Read() failed: goes on with the file that the server names now, if that is another.
  void LeaveDeletedFile();

  std::string PathExpression() const;
  std::string ListExpression() const;
  Result<Row> QueryRow(const std::string& sql, std::size_t columns);
  // The located path in `text`, checked.
  Failure TakePath(const std::optional<std::string>& text, std::optional<std::string>& path) const;
  void Conclude(Failure failure, StepResult& result);

  const RunQuery run_;
  const Clock& clock_;
  const SqlLogSourceOptions options_;

  bool access_ = false;  // known, and enough
  std::optional<MonotonicTime> access_asked_at_;
  Failure refusal_;  // what forbids reading
  bool may_current_ = false;
  bool may_list_ = false;  // and names are known
  std::string format_;
  std::string directory_;
  std::string pattern_;

  std::string path_;  // the current file; empty when none
  LogPosition position_;
  std::map<std::string, Bookmark> bookmarks_;  // by path
  bool at_start_ = true;                       // no file opened yet and none known to be missing
  std::string told_;                           // the problem that was told and is not over
  LogSourceCounters counters_;
};

}  // namespace ckpt::tail
