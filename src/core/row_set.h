// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace ckpt {

// What a query returned, as text; an empty optional is SQL NULL. This is all that crosses from the
// database library into the core, and a recorded one is a test fixture.
struct RowSet {
  std::vector<std::string> columns;
  std::vector<std::vector<std::optional<std::string>>> rows;
};

}  // namespace ckpt
