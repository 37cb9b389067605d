// SPDX-License-Identifier: Apache-2.0
#include "app/configuration.h"

#include <sys/stat.h>

#include <utility>

#include "metrics/catalog.h"

namespace ckpt::app {
namespace {

// A constant label may not have the name of one that samples carry already.
config::ValidateOptions Options() {
  config::ValidateOptions options;
  for (const metrics::Entry& entry : metrics::Catalog()) {
    for (std::size_t i = 0; i < LabelCount(*entry.family); ++i) {
      options.reserved_labels.emplace_back(LabelKey(*entry.family, i));
    }
  }
  return options;
}

}  // namespace

ConfigurationSource::ConfigurationSource(std::string file, Environment environment)
    : file_(std::move(file)), environment_(std::move(environment)) {}

Result<config::ValidatedConfig> ConfigurationSource::Load() {
  config::Config config;
  if (!file_.empty()) {
    config = config::LoadConfigFile(file_);
  } else {
    Result<config::Config> found = config::ConfigFromEnvironment(environment_);
    if (!found.ok()) return found.error();
    config = std::move(found).value();
    config.own_targets = config.targets.size();
  }
  Result<config::ValidatedConfig> valid = config::Validate(config, Options());
  if (!valid.ok()) return valid;
  std::swap(loaded_, config);
  if (loaded_.target_files.empty()) return valid;
  // Which files there are is known only now: look first and read after, so that no change between
  // the two is missed.
  looked_ = Look();
  valid = ReadTargetFiles();
  if (!valid.ok()) std::swap(loaded_, config);
  return valid;
}

bool ConfigurationSource::TargetFilesChanged() {
  std::vector<Stamp> now = Look();
  const bool settled = now == looked_;
  looked_ = std::move(now);
  return settled && looked_ != read_;
}

Result<config::ValidatedConfig> ConfigurationSource::ReadTargetFiles() {
  read_ = looked_;
  config::Config config = config::ReadTargetFilesAgain(loaded_);
  return config::Validate(std::move(config), Options());
}

std::vector<ConfigurationSource::Stamp> ConfigurationSource::Look() const {
  std::vector<Stamp> stamps;
  for (std::string& path : config::MatchingFiles(loaded_.target_files)) {
    Stamp stamp{std::move(path)};
    struct stat status = {};
    if (::stat(stamp.path.c_str(), &status) == 0) {
      stamp.inode = status.st_ino;
      stamp.size = static_cast<std::uint64_t>(status.st_size);
      stamp.modified_ns = static_cast<std::uint64_t>(status.st_mtim.tv_sec) * 1'000'000'000U +
                          static_cast<std::uint64_t>(status.st_mtim.tv_nsec);
    }
    stamps.push_back(std::move(stamp));
  }
  return stamps;
}

}  // namespace ckpt::app
