// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/result.h"
#include "core/web_config.h"

namespace ckpt::config {

// Reads the file of --web.config.file: the web configuration of the Prometheus exporter toolkit.
// Paths in it are relative to its folder. An empty file is valid and means plain HTTP for everyone.
// Certificates are not opened here. Error (kConfig): all that is wrong, each with
// file:line:column; never a value, as any may be a misplaced secret.
Result<WebConfig> LoadWebConfig(const std::string& path);

// The same from a text; `path` is for messages and relative paths.
Result<WebConfig> ParseWebConfig(std::string_view text, const std::string& path);

}  // namespace ckpt::config
