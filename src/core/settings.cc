// SPDX-License-Identifier: Apache-2.0
#include "core/settings.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/numbers.h"

namespace ckpt {
namespace {

OptionalReal ReadNumber(const Setting& setting, const SettingRow& row) {
  if (setting.kind == SettingKind::kBool) {
    if (row.setting == "on") return 1.0;
    if (row.setting == "off") return 0.0;
    return std::nullopt;
  }
  const OptionalReal value = ParseReal(row.setting);
  if (!value || setting.kind == SettingKind::kNumber) return value;
  // The server's mark for "no limit" or "automatic", not a quantity.
  if (*value == -1) return value;
  const std::optional<double> factor = UnitFactor(row.unit);
  if (!factor) return std::nullopt;
  return *value * *factor;
}

}  // namespace

std::optional<double> UnitFactor(std::string_view unit) {
  if (unit.empty()) return 1.0;
  const std::size_t digits = unit.find_first_not_of("0123456789");
  if (digits == std::string_view::npos) return std::nullopt;
  double multiplier = 1;
  if (digits > 0) {
    const OptionalReal parsed = ParseReal(unit.substr(0, digits));
    if (!parsed) return std::nullopt;
    multiplier = *parsed;
  }
  constexpr std::array<std::pair<std::string_view, double>, 11> kUnits{{
      {"B", 1.0},
      {"kB", 1024.0},
      {"MB", 1024.0 * 1024},
      {"GB", 1024.0 * 1024 * 1024},
      {"TB", 1024.0 * 1024 * 1024 * 1024},
      {"us", 1e-6},
      {"ms", 1e-3},
      {"s", 1.0},
      {"min", 60.0},
      {"h", 3600.0},
      {"d", 86400.0},
  }};
  for (const auto& [name, factor] : kUnits) {
    if (unit.substr(digits) == name) return multiplier * factor;
  }
  return std::nullopt;
}

Settings ReadSettings(std::span<const SettingRow> rows, int* rejected) {
  Settings settings;
  const Setting* in_segments = nullptr;
  for (const SettingRow& row : rows) {
    for (const Setting& setting : SettingsTable()) {
      if (setting.name != row.name) continue;
      auto& pending = settings.pending_restart;
      if (row.pending_restart &&
          std::find(pending.begin(), pending.end(), setting.name) == pending.end()) {
        pending.push_back(setting.name);
      }
      if (const auto* text = std::get_if<OptionalText Settings::*>(&setting.field)) {
        settings.** text = std::string(row.setting);
        continue;
      }
      const auto number = std::get<OptionalReal Settings::*>(setting.field);
      settings.*number = ReadNumber(setting, row);
      if (!(settings.*number)) ++*rejected;
      if (setting.kind == SettingKind::kSegments) in_segments = &setting;
    }
  }
  if (in_segments != nullptr) {
    OptionalReal& size = settings.*std::get<OptionalReal Settings::*>(in_segments->field);
    if (size && *size != -1) {
      size = settings.wal_segment_size ? OptionalReal(*size * *settings.wal_segment_size)
                                       : std::nullopt;
    }
  }
  return settings;
}

}  // namespace ckpt
