// SPDX-License-Identifier: Apache-2.0
#include "tail/log_position.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace ckpt::tail {
namespace {

TEST(LogPosition, HandsOnEverythingFromTheBeginning) {
  LogPosition position;
  EXPECT_EQ(position.Accept("ab"), "ab");
  EXPECT_TRUE(position.TakeStartsFresh());
  EXPECT_EQ(position.Accept("c\n"), "c\n");
  EXPECT_FALSE(position.TakeStartsFresh());
  EXPECT_EQ(position.offset(), 4U);
}

TEST(LogPosition, SkipsToTheNextLineUnlessItBeginsWithOne) {
  LogPosition position;
  position.StartAt(100, "...half");
  EXPECT_EQ(position.Accept("still"), "");
  EXPECT_EQ(position.Accept(" it\nwhole"), "whole");
  EXPECT_EQ(position.Accept(" line\n"), " line\n");
  EXPECT_EQ(position.offset(), 100 + 5 + 9 + 6U);

  position.StartAt(100, "...\n");
  EXPECT_EQ(position.Accept("whole\n"), "whole\n");
}

TEST(LogPosition, LineEndAsTheLastByteLeavesNothing) {
  LogPosition position;
  position.StartAt(1, "x");
  EXPECT_EQ(position.Accept("half\n"), "");
  EXPECT_EQ(position.Accept("whole\n"), "whole\n");
}

TEST(LogPosition, MarkerIsTheLastBytes) {
  LogPosition position;
  std::string all;
  for (const std::size_t size : {1U, 100U, 155U, 1U, 300U, 255U, 256U, 257U, 0U, 10U}) {
    const std::string part(size, static_cast<char>('a' + size % 26));
    all += part;
    position.Accept(part);
    const std::size_t kept = std::min(all.size(), LogPosition::kMarkerBytes);
    EXPECT_EQ(position.marker(), all.substr(all.size() - kept)) << size;
  }
}

TEST(LogPosition, StripsLeadingNulsAfterATruncationOnly) {
  using std::string_literals::operator""s;
  LogPosition position;
  EXPECT_EQ(position.Accept("\0\0x"s), "\0\0x"s);
  position.StartAfterTruncation();
  EXPECT_EQ(position.offset(), 0U);
  EXPECT_EQ(position.marker(), "");
  EXPECT_EQ(position.Accept("\0\0"s), "");
  EXPECT_TRUE(position.skips_nuls());
  position.SkipHole(1000);
  EXPECT_EQ(position.Accept("\0a\0b"s), "a\0b"s);
  EXPECT_FALSE(position.skips_nuls());
  EXPECT_TRUE(position.TakeStartsFresh());
  EXPECT_EQ(position.offset(), 1004U);
}

}  // namespace
}  // namespace ckpt::tail
