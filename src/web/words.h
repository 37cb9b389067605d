// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/checkpoint_event.h"
#include "core/server_version.h"

// Values as people write them. The same in every locale.
namespace ckpt::web {

// "16/B374D848", as the server prints a WAL position.
std::string LsnText(std::int64_t position);

// "15.18"; a beta or development version too is its numbers.
std::string VersionText(ServerVersion version);

// The words of a set of flags, each in the first spelling of kFlagWords.
std::vector<std::string_view> FlagWords(CheckpointFlags flags);

// "512 B", "23.4 MB", "1.00 GB": powers of 1024 as PostgreSQL counts, three digits.
std::string BytesText(double bytes);

// "0.004 s", "3.2 s", "4:05", "2:03:20"; from 1 min on as a clock shows it.
std::string SecondsText(double seconds);

// For short waits: "0.42 ms", "12 ms", "1.2 s".
std::string MillisecondsText(double seconds);

// "2.1" below 10, "12" from there on.
std::string FactorText(double factor);

// How long ago or ahead, roughly: "8 s", "3 min", "2 h", "5 days".
std::string AboutText(double seconds);

// "1,234,567".
std::string CountText(double count);

// 0..1 as "83 %", one decimal below 10 %.
std::string PercentText(double ratio);

// UTC: "2026-11-30T22:28:17Z".
std::string TimestampText(double time);

}  // namespace ckpt::web
