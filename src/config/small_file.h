// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "core/result.h"

namespace ckpt::config {

// The bytes of a regular file of at most `limit` bytes. The error (kConfig) is the reason only,
// without the path and never with content.
Result<std::string> ReadSmallFile(const std::string& path, std::size_t limit);

}  // namespace ckpt::config
