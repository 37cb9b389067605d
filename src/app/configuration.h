// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/config.h"
#include "config/connection.h"

namespace ckpt::app {

// Where the configuration comes from: a file and the target files that it names, or, where `file`
// is empty, the environment. Reads it as often as asked, and tells when target files have changed.
// For one thread. Every error (kConfig) lists all findings, one a line, with their places.
class ConfigurationSource {
 public:
  ConfigurationSource(std::string file, Environment environment);

  // Reads everything. A good one is what ReadTargetFiles() builds on from now on.
  Result<config::ValidatedConfig> Load();

  // One look at the target files of the last good configuration. True: they are not those that
  // were last read, and did not change between the last look and this one, so that none is read
  // while it is being written.
  bool TargetFilesChanged();

  // Reads the target files only; the rest is that of the last good configuration.
  Result<config::ValidatedConfig> ReadTargetFiles();

 private:
  // What tells one state of a file from another.
  struct Stamp {
    std::string path;
    std::uint64_t inode = 0, size = 0, modified_ns = 0;
    friend bool operator==(const Stamp&, const Stamp&) = default;
  };
  std::vector<Stamp> Look() const;

  const std::string file_;
  const Environment environment_;
  config::Config loaded_;      // as it was last read with success
  std::vector<Stamp> read_;    // the target files when they were last read, with success or not
  std::vector<Stamp> looked_;  // at the last look
};

}  // namespace ckpt::app
