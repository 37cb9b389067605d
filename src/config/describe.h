// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ckpt::config {

// docs/configuration.md: every key, type, default, range and meaning, from the tables.
std::string DescribeConfig();

// config/pgcheckpoint_exporter.yml: an example file with every key of the tables, those of a target
// commented out but for its connection.
std::string ExampleConfig();

}  // namespace ckpt::config
