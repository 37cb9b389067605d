// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "tail/log_locator.h"

namespace ckpt::tail {

// A line of the file `current_logfiles`, which the logging collector keeps in the data directory
// and replaces by rename at each rotation.
struct CurrentLogfile {
  std::string format;  // as in log_destination: "stderr", "csvlog", "jsonlog"
  std::string path;    // absolute, or relative to the data directory when log_directory is
};

// Reads the text of `current_logfiles`. Errors: kParse, a line that is not "FORMAT PATH".
Result<std::vector<CurrentLogfile>> ParseCurrentLogfiles(std::string_view text);

// Follows `current_logfiles` in a data directory. `formats` are the acceptable ones, the best
// first. Several rotations between two looks are caught up with through the files beside the
// current one that have its extension.
class CurrentLogfilesLocator final : public LogLocator {
 public:
  CurrentLogfilesLocator(std::string data_directory, std::vector<std::string> formats)
      : data_directory_(std::move(data_directory)), formats_(std::move(formats)) {}
  Located Newest() override;
  Located After(const LogFile& current) override;

 private:
  // What `current_logfiles` says now.
  Located Current() const;
  // The files of the same kind in the directory of `file`, itself included, oldest first.
  std::vector<LogFile> Siblings(const LogFile& file);

  std::string data_directory_;
  std::vector<std::string> formats_;
  KnownSizes known_;
};

}  // namespace ckpt::tail
