// SPDX-License-Identifier: Apache-2.0
#include "config/yaml_reader.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "config/small_file.h"

namespace ckpt::config {
namespace {

std::string ParseError(std::string_view text, const YamlLimits& limits = {}) {
  Diagnostics diagnostics;
  const auto root = ParseYaml(text, "f", diagnostics, limits);
  return diagnostics.ok() ? "(no error)" : diagnostics.ToError().message;
}

TEST(YamlReader, KeepsPlacesAndQuotes) {
  Diagnostics diagnostics;
  const auto root = ParseYaml("a: 1\nb:\n  - 'x'\n  - {c: \"d\"}\ne:\n", "f", diagnostics);
  ASSERT_TRUE(root.has_value());
  ASSERT_TRUE(diagnostics.ok());
  ASSERT_EQ(root->entries.size(), 3U);
  const YamlEntry& a = root->entries[0];
  EXPECT_EQ(a.key, "a");
  EXPECT_EQ(a.at, (Position{1, 1}));
  EXPECT_EQ(a.value.text, "1");
  EXPECT_FALSE(a.value.quoted);
  EXPECT_EQ(a.value.at, (Position{1, 4}));
  const YamlNode& b = root->entries[1].value;
  ASSERT_EQ(b.items.size(), 2U);
  EXPECT_TRUE(b.items[0].quoted);
  EXPECT_EQ(b.items[0].at, (Position{3, 5}));
  EXPECT_EQ(b.items[1].entries[0].value.at, (Position{4, 9}));
  EXPECT_EQ(root->entries[2].value.kind, YamlNode::Kind::kNull);
}

TEST(YamlReader, ReadsQuotes) {
  Diagnostics diagnostics;
  const auto root = ParseYaml(
      "a: 'it''s'\r\nb: \"\\\"x\\\\\"\r\nc: |\r\n  'd\r\ne: f'\r\n'g': \"h\"", "f", diagnostics);
  ASSERT_TRUE(diagnostics.ok()) << diagnostics.ToError().message;
  ASSERT_EQ(root->entries.size(), 5U);
  EXPECT_EQ(root->entries[0].value.text, "it's");
  EXPECT_EQ(root->entries[1].value.text, "\"x\\");
  EXPECT_EQ(root->entries[2].value.text, "'d\n");
  EXPECT_EQ(root->entries[3].value.text, "f'");
  EXPECT_EQ(root->entries[4].key, "g");
  EXPECT_EQ(root->entries[4].value.text, "h");
}

TEST(YamlReader, ReadsJsonAndAByteOrderMark) {
  Diagnostics diagnostics;
  const auto root = ParseYaml("\xEF\xBB\xBF[{\"name\": \"a\", \"port\": 5432}]", "f", diagnostics);
  ASSERT_TRUE(root.has_value());
  ASSERT_EQ(root->items.size(), 1U);
  EXPECT_EQ(root->items[0].entries[1].value.text, "5432");
}

TEST(YamlReader, RefusesWhatItDoesNotRead) {
  const struct {
    std::string text;
    const char* error;
  } cases[] = {
      {"a: &x 1\nb: *x\n", "f:1:4: anchors are not read; use `defaults`, or quote the text"},
      {"a: *hunter2\n", "f:1:4: aliases are not read; use `defaults`, or quote the text"},
      {"a: !!str 1\n", "f:1:4: tags are not read; quote the text if it begins with !"},
      {"a: !hunter2\n", "f:1:4: tags are not read; quote the text if it begins with !"},
      {"a: 1\n---\nb: 2\n", "f:2:1: only one YAML document is read"},
      {"? [a]\n: b\n", "f:1:3: a key must be a plain word"},
      {"? {a: b}\n: c\n", "f:1:3: a key must be a plain word"},
      {"~: b\n", "f:1:1: a key must be a plain word"},
      {"a: [1\n", "f:2:1: not valid YAML: end of sequence flow not found"},
      {"a: b: c\n", "f:1:5: not valid YAML: illegal map value"},
      {"a: 'b\n", "f:1:4: a quote is not closed"},
      {"a: 'b\nc: d\n", "f:1:4: a quote is not closed"},
      {"a: \"b\\\"\nc: d\n", "f:1:4: a quote is not closed"},
      {"a: 'it''s\r\nc: d''\r\n", "f:1:4: a quote is not closed"},
      {"a: 'b", "f:1:6: not valid YAML: illegal EOF in scalar"},
      {"%YAML 3.0\n---\na: 1\n", "f:1:1: not valid YAML: YAML major version too large"},
      {"a: 1\nb: 2\na: 3\n", "f:3:1: duplicate key `a`, first given at line 1"},
      {"{a: 1, \"a\": 2}", "f:1:8: duplicate key `a`, first given at line 1"},
      {"a: \xFF\n", "f:1:4: not UTF-8 text"},
      {"a: 1\n\xC3(\n", "f:2:1: not UTF-8 text"},
      {"a: caf\xC3\xA9 \xE2\x82\n", "f:1:10: not UTF-8 text"},
      {std::string("a: \0b\n", 6), "f:1:4: not UTF-8 text"},
      {"a: \x1b[31m\n", "f:1:4: not UTF-8 text"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.text);
    EXPECT_EQ(ParseError(c.text), c.error);
  }
}

TEST(YamlReader, IsBounded) {
  EXPECT_EQ(ParseError(std::string(100'000, '[')), "f:1:1: a key must be a plain word");
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  EXPECT_NE(ParseError(deep).find("nested too deeply"), std::string::npos);
  YamlLimits limits;
  limits.nodes = 5;
  EXPECT_EQ(ParseError("[1, 2, 3, 4]", limits), "(no error)");
  EXPECT_EQ(ParseError("[1, 2, 3, 4, 5]", limits), "f:1:14: too many values in one file");
  limits.bytes = 10;
  EXPECT_EQ(ParseError("aaaaaaaaaaa", limits), "f: larger than 10 bytes");
}

class SmallFile : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = "/tmp/ckpt-file-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  static std::string Error(const std::string& path, std::size_t limit) {
    const auto content = ReadSmallFile(path, limit);
    return content.ok() ? "(no error)" : content.error().message;
  }

  std::filesystem::path folder_;
};

TEST_F(SmallFile, ReadsRegularFilesUpToItsLimit) {
  const std::string path = folder_ / "f";
  std::ofstream(path) << "content";
  EXPECT_EQ(ReadSmallFile(path, 7).value(), "content");
  EXPECT_EQ(Error(path, 6), "larger than 6 bytes");
  std::filesystem::create_symlink(path, folder_ / "link");
  EXPECT_EQ(ReadSmallFile(folder_ / "link", 7).value(), "content");
  EXPECT_EQ(Error(folder_ / "none", 7), "cannot open: No such file or directory");
  EXPECT_EQ(Error(folder_, 7), "not a regular file");
  ASSERT_EQ(mkfifo((folder_ / "fifo").c_str(), 0600), 0);
  EXPECT_EQ(Error(folder_ / "fifo", 7), "not a regular file");
  EXPECT_EQ(Error("/dev/zero", 7), "not a regular file");
}

TEST(Diagnostics, AreSortedByPlace) {
  Diagnostics diagnostics;
  EXPECT_TRUE(diagnostics.ok());
  diagnostics.Add("b", {1, 1}, "x");
  diagnostics.Add("a", {10, 1}, "x");
  diagnostics.Add("a", {2, 5}, "y");
  diagnostics.Add("a", {2, 5}, "z");
  diagnostics.Add("a", {}, "w");
  EXPECT_EQ(diagnostics.ToError().message, "a: w\na:2:5: y\na:2:5: z\na:10:1: x\nb:1:1: x");
}

}  // namespace
}  // namespace ckpt::config
