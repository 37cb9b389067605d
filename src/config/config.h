// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/diagnostics.h"
#include "core/result.h"
#include "core/secret.h"

namespace ckpt::config {

// How a server log is written. kAuto: told by its first lines.
enum class LogFormat : std::uint8_t { kAuto, kStderr, kCsvlog, kJsonlog };
inline constexpr std::string_view kLogFormatWords[] = {"auto", "stderr", "csvlog", "jsonlog"};

// How a server log is read: from files of this machine, through the connection, or not at all.
// kAuto occurs only before validation.
enum class LogFollow : std::uint8_t { kAuto, kFile, kSql, kOff };
inline constexpr std::string_view kLogFollowWords[] = {"auto", "file", "sql", "off"};

using LabelMap = std::map<std::string, std::string>;

// One server to watch, as its settings say. The meaning, unit, range and default of each member is
// its row in settings.h, which names the YAML key; a default-constructed one has no defaults yet
// (DefaultTarget() has). A plain value; equal ones need no restart of their worker on reload.
struct TargetConfig {
  std::string name;
  Secret dsn;
  std::string host;
  std::string hostaddr;
  int port = 0;  // 0: not set
  std::string dbname;
  std::string user;
  std::string password_file;
  std::string password_env;
  std::string passfile;
  std::string sslmode;
  std::string sslrootcert;
  std::string sslcert;
  std::string sslkey;
  LabelMap labels;

  std::chrono::milliseconds pulse_interval{0};
  std::chrono::milliseconds survey_interval{0};
  std::chrono::milliseconds connect_timeout{0};
  std::chrono::milliseconds statement_timeout{0};
  std::chrono::milliseconds lock_timeout{0};

  std::string log_path;
  LogFormat log_format = LogFormat::kAuto;
  LogFollow log_follow = LogFollow::kAuto;
  std::int64_t log_read_last = 0;  // bytes
  std::string log_line_prefix;
  std::string log_timezone;

  bool commit_probe_enabled = false;
  std::chrono::milliseconds commit_probe_interval{0};
  bool pg_stat_statements = false;
  int events_kept = 0;
  std::optional<std::chrono::milliseconds> recovery_time_objective;
  std::optional<std::int64_t> wal_disk_size;  // bytes

  friend bool operator==(const TargetConfig&, const TargetConfig&) = default;
};

// Where a target was written, for the messages of Validate(). Keys are those of settings.h; only
// the ones of the target itself, not those that it has from `defaults`.
struct Provenance {
  std::string file;
  Position at;
  std::map<std::string_view, Position> keys;

  Position Of(std::string_view key) const {
    const auto found = keys.find(key);
    return found == keys.end() ? at : found->second;
  }
};

struct LoadedTarget {
  TargetConfig config;
  Provenance where;
};

// A configuration as read, with what is wrong in it so far. A setting that could not be read has
// its default, so that Validate() can go on and report everything at once.
struct Config {
  std::string file;  // the configuration file, or "environment"
  std::vector<LoadedTarget> targets;
  std::vector<std::string> target_files;  // globs, absolute or relative to the working directory
  // For reading `target_files` again: what their targets begin from, and how many of `targets`,
  // the first ones, are from the configuration itself.
  TargetConfig defaults;
  std::size_t own_targets = 0;
  Diagnostics diagnostics;
};

// What Validate() may hold against a configuration beyond the rules of its own.
struct ValidateOptions {
  // Label names that samples already carry; a constant label of that name would collide.
  std::vector<std::string> reserved_labels;
};

// A configuration that holds together: at least one target or a glob that may bring some, unique
// names, consistent intervals, readable connection strings. Immutable; share it freely.
// Only Validate() makes one.
class ValidatedConfig {
 public:
  const std::vector<TargetConfig>& targets() const { return targets_; }
  const std::vector<std::string>& target_files() const { return target_files_; }
  const std::string& file() const { return file_; }
  // The target of that name, or null. Valid as long as this object.
  const TargetConfig* Find(std::string_view name) const;

 private:
  friend Result<ValidatedConfig> Validate(Config config, const ValidateOptions& options);
  ValidatedConfig() = default;

  std::string file_;
  std::vector<TargetConfig> targets_;
  std::vector<std::string> target_files_;
};

// Checks the whole and fills in what follows from it: a missing target name (host:port/dbname) and
// log.follow. The error (kConfig) lists every finding of reading and of checking, in every file,
// one line each, as file:line:column: message.
Result<ValidatedConfig> Validate(Config config, const ValidateOptions& options = {});

// Reads a configuration file and the files that its `target_files` globs match now. Relative paths
// in a file are relative to its folder. What is wrong is in Config::diagnostics.
Config LoadConfigFile(const std::string& path);

// The same from text; `file` is for messages and for relative paths.
Config LoadConfigText(std::string_view text, const std::string& file);

// The same configuration with what its `target_files` globs match now, each file read again.
Config ReadTargetFilesAgain(Config config);

// The files that the globs match now, each once, in the order of the globs and sorted within one.
// None is fine: they may come later.
std::vector<std::string> MatchingFiles(const std::vector<std::string>& globs);

}  // namespace ckpt::config
