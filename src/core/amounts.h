// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

// Amounts for people to read, and for postgresql.conf. Independent of the locale.
namespace ckpt {

// "512 MB", "1.5 GB": binary multiples, three significant digits, from bytes up. Negative and
// not-a-number amounts are "?".
std::string BytesText(double bytes);

// "0.25 s", "45 s", "12 min", "3.5 h", "2 days".
std::string DurationText(double seconds);

// "35 %" of 0.35; one decimal below 10 %.
std::string PercentText(double ratio);

// A count in full, "1234567"; fractions are rounded to `decimals` and trailing zeros cut.
std::string NumberText(double value, int decimals = 0);

// As postgresql.conf spells a size: '4GB' where it is whole gigabytes, else '1536MB' or '256kB'.
// Rounded down to whole kilobytes.
std::string SizeSetting(double bytes);

// As postgresql.conf spells a time: '15min', '90s', '50ms'.
std::string TimeSetting(double seconds);

}  // namespace ckpt
