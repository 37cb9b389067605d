// SPDX-License-Identifier: Apache-2.0
#include "app/configuration.h"

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

Result<config::ValidatedConfig> LoadConfiguration(const std::string& file,
                                                  const Environment& environment) {
  if (!file.empty()) return config::Validate(config::LoadConfigFile(file), Options());
  Result<config::Config> config = config::ConfigFromEnvironment(environment);
  if (!config.ok()) return config.error();
  return config::Validate(std::move(config).value(), Options());
}

}  // namespace ckpt::app
