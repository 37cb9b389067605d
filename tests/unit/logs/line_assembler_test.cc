// SPDX-License-Identifier: Apache-2.0
#include "logs/line_assembler.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ckpt::logs {
namespace {

std::vector<std::string> Lines(LineAssembler& assembler, std::string_view bytes,
                               std::size_t chunk) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < bytes.size(); at += chunk) {
    assembler.Feed(bytes.substr(at, chunk),
                   [&](std::string_view line) { lines.emplace_back(line); });
  }
  return lines;
}

struct Case {
  const char* name;
  std::string bytes;
  std::vector<std::string> lines;
};

std::vector<Case> Cases() {
  using std::string_literals::operator""s;
  return {
      {"nothing", "", {}},
      {"no line end", "half", {}},
      {"one line", "one\n", {"one"}},
      {"empty lines", "\n\na\n", {"", "", "a"}},
      {"carriage returns", "one\r\ntwo\r\n\r\n", {"one", "two", ""}},
      {"a lone carriage return stays", "a\rb\n", {"a\rb"}},
      {"NULs before a line go", "\0\0\0one\n"s, {"one"}},
      {"NULs within stay", "o\0e\n"s, {"o\0e"s}},
      {"only NULs", "\0\0\n\0one\n"s, {"", "one"}},
      {"invalid UTF-8 stays", "\xff\xfe\x80\n", {"\xff\xfe\x80"}},
  };
}

TEST(LineAssembler, GivesTheSameLinesForAnyChunks) {
  for (const Case& c : Cases()) {
    for (const std::size_t chunk : {1U, 2U, 3U, 1000U}) {
      SCOPED_TRACE(std::string(c.name) + " in chunks of " + std::to_string(chunk));
      LineAssembler assembler;
      EXPECT_EQ(Lines(assembler, c.bytes, chunk), c.lines);
      EXPECT_EQ(assembler.lines_too_long(), 0U);
    }
  }
}

TEST(LineAssembler, CutsALongLineOnceAndCountsIt) {
  for (const std::size_t chunk : {1U, 4U, 9U, 1000U}) {
    SCOPED_TRACE(chunk);
    LineAssembler assembler(8);
    EXPECT_EQ(Lines(assembler, "12345678\n123456789abcdefghi\nshort\n", chunk),
              (std::vector<std::string>{"12345678", "12345678", "short"}));
    EXPECT_EQ(assembler.lines_too_long(), 1U);
  }
}

TEST(LineAssembler, HoldsNoMoreThanTheCapWhateverComes) {
  LineAssembler assembler(1024);
  const std::string megabyte(1 << 20, 'x');
  for (int i = 0; i < 10; ++i) {
    assembler.Feed(megabyte, [](std::string_view) { FAIL() << "there is no line end"; });
    EXPECT_EQ(assembler.held_bytes(), 1024U);
  }
  const std::string nuls(1 << 20, '\0');
  LineAssembler sparse(1024);
  for (int i = 0; i < 10; ++i) sparse.Feed(nuls, [](std::string_view) { FAIL(); });
  EXPECT_EQ(sparse.held_bytes(), 0U);
}

TEST(LineAssembler, ResetDropsTheHalfLine) {
  LineAssembler assembler;
  EXPECT_TRUE(Lines(assembler, "half", 10).empty());
  assembler.Reset();
  EXPECT_EQ(Lines(assembler, "whole\n", 10), std::vector<std::string>{"whole"});
}

TEST(LineAssembler, FlushPassesOnTheLastLineOnce) {
  LineAssembler assembler;
  std::vector<std::string> lines;
  const auto take = [&](std::string_view line) { lines.emplace_back(line); };
  assembler.Feed("a\nlast\r", take);
  assembler.Flush(take);
  assembler.Flush(take);
  EXPECT_EQ(lines, (std::vector<std::string>{"a", "last"}));
}

}  // namespace
}  // namespace ckpt::logs
