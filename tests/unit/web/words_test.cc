// SPDX-License-Identifier: Apache-2.0
#include "web/words.h"

#include <gtest/gtest.h>

#include <limits>

namespace ckpt::web {
namespace {

TEST(Words, WriteValuesAsPeopleDo) {
  struct Case {
    std::string text;
    const char* expected;
  };
  const double inf = std::numeric_limits<double>::infinity();
  const Case cases[] = {
      {LsnText(0), "0/0"},
      {LsnText(0x16'B374'D848), "16/B374D848"},
      {LsnText(INT64_MAX), "7FFFFFFF/FFFFFFFF"},
      {VersionText({100023}), "10.23"},
      {BytesText(0), "0 B"},
      {BytesText(999), "999 B"},
      {BytesText(1000), "0.98 kB"},
      {BytesText(1023.6 * 1024), "1.00 MB"},
      {BytesText(16 * 1048576.0), "16.0 MB"},
      {BytesText(123.4 * 1048576), "123 MB"},
      {BytesText(1e30), "888178419700125 PB"},
      {SecondsText(-1), "0.000 s"},
      {SecondsText(0.0042), "0.004 s"},
      {SecondsText(3.21), "3.2 s"},
      {SecondsText(9.96), "10 s"},
      {SecondsText(59.4), "59 s"},
      {SecondsText(59.6), "1:00"},
      {SecondsText(245), "4:05"},
      {SecondsText(7400), "2:03:20"},
      {SecondsText(inf), "?"},
      {AboutText(0), "0 s"},
      {AboutText(89), "89 s"},
      {AboutText(180), "3 min"},
      {AboutText(3 * 3600), "3 h"},
      {AboutText(5 * 86400), "5 days"},
      {CountText(0), "0"},
      {CountText(999), "999"},
      {CountText(1000), "1,000"},
      {CountText(1234567), "1,234,567"},
      {CountText(-1234), "-1,234"},
      {PercentText(0), "0 %"},
      {PercentText(0.0312), "3.1 %"},
      {PercentText(0.834), "83 %"},
      {PercentText(1), "100 %"},
      {TimestampText(0), "1970-01-01T00:00:00Z"},
      {TimestampText(1'800'000'000.9), "2027-01-15T08:00:00Z"},
      {TimestampText(1e300), "?"},
      {TimestampText(std::numeric_limits<double>::quiet_NaN()), "?"},
  };
  for (const Case& test : cases) EXPECT_EQ(test.text, test.expected);
}

TEST(Words, NameEachFlagOnceInItsFirstSpelling) {
  CheckpointFlags flags;
  EXPECT_TRUE(FlagWords(flags).empty());
  for (const FlagWord& word : kFlagWords) flags.Add(word.flag);
  const std::vector<std::string_view> expected{
      "shutdown", "end-of-recovery", "immediate", "force", "wait", "wal", "time", "flush-all"};
  EXPECT_EQ(FlagWords(flags), expected);
}

}  // namespace
}  // namespace ckpt::web
