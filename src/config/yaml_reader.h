// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/diagnostics.h"

namespace ckpt::config {

struct YamlEntry;

// A parsed YAML (or JSON) value that knows where it stood. A plain tree, owned by its holder.
struct YamlNode {
  enum class Kind : std::uint8_t { kNull, kScalar, kSequence, kMapping };

  Kind kind = Kind::kNull;
  Position at;
  std::string text;     // kScalar
  bool quoted = false;  // kScalar: written in quotes or as a block, so a text and nothing else
  std::vector<YamlNode> items;     // kSequence
  std::vector<YamlEntry> entries;  // kMapping, in the order of the file, keys unique
};
struct YamlEntry {
  std::string key;
  Position at;  // of the key
  YamlNode value;
};

// What a file of ours may hold at most. Over that it is refused, as are aliases, tags and a second
// document: nothing in it can grow when it is read.
struct YamlLimits {
  std::size_t bytes = std::size_t{2} << 20U;
  std::size_t nodes = 200'000;
  int depth = 16;
};

// Reads one document. Adds to `diagnostics` and gives nothing if the text is not YAML or breaks the
// limits; duplicate keys are reported too, the tree then holds the first. `file` is for messages.
// An empty text is a null node.
std::optional<YamlNode> ParseYaml(std::string_view text, std::string_view file,
                                  Diagnostics& diagnostics, const YamlLimits& limits = {});

// The same from a regular file.
std::optional<YamlNode> ReadYamlFile(const std::string& path, Diagnostics& diagnostics,
                                     const YamlLimits& limits = {});

}  // namespace ckpt::config
