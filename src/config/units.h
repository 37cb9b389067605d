// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ckpt::config {

// Prometheus durations: whole numbers with ms, s, m, h or d, the larger unit first ("500ms", "1s",
// "1h30m"); "0" needs no unit. Empty for anything else, and for what does not fit.
std::optional<std::chrono::milliseconds> ParseDuration(std::string_view text);

// PostgreSQL sizes: a whole number with B, kB, MB, GB or TB, in powers of 1024 ("64MB"); "0" needs
// no unit. Bytes; empty for anything else, and for what does not fit.
std::optional<std::int64_t> ParseSize(std::string_view text);

// Exactly "true" or "false".
std::optional<bool> ParseBool(std::string_view text);

// A whole decimal number; no sign but '-', no leading zeros, nothing after it.
std::optional<std::int64_t> ParseInteger(std::string_view text);

// The shortest text that the parsers above read back as the same value: "1h30m", "64MB".
std::string FormatDuration(std::chrono::milliseconds duration);
std::string FormatSize(std::int64_t bytes);

}  // namespace ckpt::config
