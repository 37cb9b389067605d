// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "config/config.h"

namespace ckpt::config {

// Which member a setting fills; its type is the type of the setting.
using SettingMember =
    std::variant<std::string TargetConfig::*, Secret TargetConfig::*, bool TargetConfig::*,
                 int TargetConfig::*, std::int64_t TargetConfig::*,
                 std::chrono::milliseconds TargetConfig::*,
                 std::optional<std::chrono::milliseconds> TargetConfig::*,
                 std::optional<std::int64_t> TargetConfig::*, LogFormat TargetConfig::*,
                 LogFollow TargetConfig::*, LabelMap TargetConfig::*>;

enum class SettingScope : std::uint8_t {
  kTarget,    // only in an entry of `targets`
  kAnywhere,  // there and in `defaults`
};

// One key of a target. `key` is the path in the file, dots between levels. Limits and default are
// written as in a file, so that the parser, the check and the documentation read the same text.
struct Setting {
  std::string_view key;
  SettingMember member;
  SettingScope scope = SettingScope::kAnywhere;
  std::string_view default_text = {};  // empty: none
  std::string_view min = {};
  std::string_view max = {};
  bool is_path = false;           // relative to the folder of the file
  std::string_view keyword = {};  // libpq's name for it; makes it part of the connection
  std::span<const std::string_view> words = {};  // the only values
  std::string_view example;
  std::string_view help;
};

// TABLE (settings.cc): every key of a target. The loader, the connection string,
// docs/configuration.md and the check of the example file derive from it.
std::span<const Setting> Settings();

// A key at the top of a configuration file.
struct TopLevelKey {
  std::string_view key;
  std::string_view type;
  std::string_view help;
};
std::span<const TopLevelKey> TopLevelKeys();

// The row with that key, or null.
const Setting* FindSetting(std::string_view key);

// What a setting takes, in words ("duration", "size", "true or false", ...).
std::string_view SettingTypeName(const Setting& setting);

// A target with every default of the table.
TargetConfig DefaultTarget();

// Sets a scalar setting from its text. The answer is empty when done, else what is expected of the
// value. REQUIRES: the setting is not a mapping (labels).
std::optional<std::string> SetFromText(const Setting& setting, std::string_view text,
                                       TargetConfig& target);

}  // namespace ckpt::config
