// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "config/config.h"
#include "config/connection.h"
#include "config/settings.h"

namespace ckpt::config {
namespace {

using std::string_view;

constexpr std::size_t kLongestName = 128;
// `target` and the two of histograms and summaries.
constexpr string_view kReservedLabels[] = {"target", "le", "quantile"};

bool IsNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         string_view("_.:/@[]-").find(c) != string_view::npos;
}

bool IsTargetName(string_view name) {
  return !name.empty() && name.size() <= kLongestName &&
         std::all_of(name.begin(), name.end(), IsNameCharacter);
}

// The checks of one target; adds what it finds to the diagnostics.
class TargetCheck {
 public:
  TargetCheck(LoadedTarget& target, const ValidateOptions& options, Diagnostics& diagnostics)
      : config_(target.config),
        where_(target.where),
        options_(options),
        diagnostics_(diagnostics) {}

  void Run() {
    CheckConnection();
    CheckName();
    CheckIntervals();
    CheckLog();
    CheckLabels();
  }

 private:
  void Report(string_view key, const std::string& message) {
    diagnostics_.Add(where_.file, where_.Of(key), std::string(key) + ": " + message);
  }
  bool Given(string_view key) const { return where_.keys.count(key) > 0; }

  void CheckConnection() {
    if (Given("dsn")) {
      for (const Setting& setting : Settings()) {
        if (!setting.keyword.empty() && Given(setting.key)) {
          Report(setting.key, "cannot stand beside `dsn`; put it into the connection string");
        }
      }
    }
    if (Given("password_file") && Given("password_env")) {
      Report("password_env", "cannot stand beside `password_file`");
    } else if (Given("password_env")) {
      config_.password_file.clear();  // of the defaults
    } else if (Given("password_file")) {
      config_.password_env.clear();
    } else if (!config_.password_file.empty() && !config_.password_env.empty()) {
      Report("password_env", "`defaults` has both `password_file` and `password_env`");
    }
    const Result<Conninfo> conninfo = TargetConninfo(config_);
    if (!conninfo.ok()) {
      diagnostics_.Add(where_.file, where_.Of("dsn"), conninfo.error().message);
      return;
    }
    TakeConnectTimeout(conninfo.value());
    if (conninfo.value().Has("password")) {
      for (const string_view key : {string_view("password_file"), string_view("password_env")}) {
        if (Given(key)) Report(key, "`dsn` has a password already");
      }
      config_.password_file.clear();
      config_.password_env.clear();
    }
    if (config_.name.empty()) {
      config_.name = conninfo.value().DefaultTargetName().substr(0, kLongestName);
      std::replace_if(
          config_.name.begin(), config_.name.end(), [](char c) { return !IsNameCharacter(c); },
          '_');
    }
  }

  // What the connection string says of the time to connect goes before our default.
  void TakeConnectTimeout(const Conninfo& conninfo) {
    const std::optional<std::string> seconds = conninfo.Get("connect_timeout");
    if (!seconds || Given("connect_timeout")) return;
    if (SetFromText(*FindSetting("connect_timeout"), *seconds + "s", config_)) {
      diagnostics_.Add(where_.file, where_.Of("dsn"),
                       "dsn: connect_timeout must be from 1 to 60 seconds");
    }
  }

  void CheckName() {
    if (!config_.name.empty() && !IsTargetName(config_.name)) {
      Report("name", "may hold letters, digits and _ . : / @ [ ] - only, at most " +
                         std::to_string(kLongestName));
    }
  }

  void CheckIntervals() {
    if (config_.survey_interval < config_.pulse_interval) {
      Report(Given("survey_interval") ? "survey_interval" : "pulse_interval",
             "survey_interval must not be below pulse_interval");
    }
    if (config_.lock_timeout > config_.statement_timeout) {
      Report(Given("lock_timeout") ? "lock_timeout" : "statement_timeout",
             "lock_timeout must not be above statement_timeout");
    }
  }

  void CheckLog() {
    const bool has_path = !config_.log_path.empty();
    if (config_.log_follow == LogFollow::kAuto) {
      config_.log_follow = has_path ? LogFollow::kFile : LogFollow::kOff;
    } else if (config_.log_follow == LogFollow::kFile && !has_path) {
      Report("log.follow", "`file` needs log.path");
    } else if (config_.log_follow == LogFollow::kSql && has_path) {
      Report("log.path", "is not read with log.follow: sql; remove one of them");
    }
  }

  void CheckLabels() {
    const auto is_reserved = [&](string_view name) {
      return name.starts_with("__") ||
             std::find(std::begin(kReservedLabels), std::end(kReservedLabels), name) !=
                 std::end(kReservedLabels) ||
             std::find(options_.reserved_labels.begin(), options_.reserved_labels.end(), name) !=
                 options_.reserved_labels.end();
    };
    for (const auto& [name, value] : config_.labels) {
      if (is_reserved(name)) {
        Report("labels", QuoteKey(name) + " is a label of our own or of Prometheus");
      }
    }
  }

  TargetConfig& config_;
  const Provenance& where_;
  const ValidateOptions& options_;
  Diagnostics& diagnostics_;
};

}  // namespace

const TargetConfig* ValidatedConfig::Find(string_view name) const {
  const auto found = std::find_if(targets_.begin(), targets_.end(),
                                  [&](const TargetConfig& target) { return target.name == name; });
  return found == targets_.end() ? nullptr : &*found;
}

Result<ValidatedConfig> Validate(Config config, const ValidateOptions& options) {
  Diagnostics& diagnostics = config.diagnostics;
  // A file that could not be read says enough.
  if (diagnostics.ok() && config.targets.empty() && config.target_files.empty()) {
    diagnostics.Add(config.file, {}, "no target: add one under `targets`, or `target_files`");
  }
  std::unordered_map<std::string, const Provenance*> first_of_name;
  for (LoadedTarget& target : config.targets) {
    TargetCheck(target, options, diagnostics).Run();
    if (target.config.name.empty()) continue;
    const auto [first, is_new] = first_of_name.emplace(target.config.name, &target.where);
    if (is_new) continue;
    diagnostics.Add(target.where.file, target.where.Of("name"),
                    "name: the same as of the target at " +
                        Diagnostic{first->second->file, first->second->Of("name"), ""}.Place() +
                        "; give each a `name` of its own");
  }
  if (!diagnostics.ok()) return diagnostics.ToError();

  ValidatedConfig validated;
  validated.file_ = std::move(config.file);
  validated.target_files_ = std::move(config.target_files);
  for (LoadedTarget& target : config.targets) {
    validated.targets_.push_back(std::move(target.config));
  }
  return validated;
}

}  // namespace ckpt::config
