// SPDX-License-Identifier: Apache-2.0
#include "config/describe.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "config/config.h"
#include "config/settings.h"

namespace ckpt::config {
namespace {

std::string ReadFile(const std::string& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// Compares a file of the repository with what the tables give; with CKPT_UPDATE_GOLDEN set, writes
// it instead.
void ExpectFile(const std::string& name, const std::string& expected) {
  const std::string path = std::string(CKPT_SOURCE_DIR "/") + name;
  if (std::getenv("CKPT_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << expected;
  EXPECT_EQ(ReadFile(path), expected)
      << name << " is not what the tables give; run this test with CKPT_UPDATE_GOLDEN=1";
}

TEST(DescribeConfig, IsTheDocumentation) { ExpectFile("docs/configuration.md", DescribeConfig()); }

TEST(ExampleConfig, IsTheExampleFile) {
  ExpectFile("config/pgcheckpoint_exporter.yml", ExampleConfig());
}

TEST(ExampleConfig, IsValidAsItIs) {
  const auto config = Validate(LoadConfigText(ExampleConfig(), "example.yml"));
  ASSERT_TRUE(config.ok()) << config.error().message;
  EXPECT_EQ(config.value().targets().size(), 1U);
}

// The example with the comment sign of `key` and of its group taken away.
std::string Uncomment(const std::string& key) {
  std::istringstream in(ExampleConfig());
  std::string out;
  const std::size_t dot = key.find('.');
  const std::string group = dot == std::string::npos ? "" : key.substr(0, dot);
  const std::string name = dot == std::string::npos ? key : key.substr(dot + 1);
  bool in_group = group.empty();
  for (std::string line; std::getline(in, line);) {
    const std::string plain_start = group.empty() ? "    # " : "    #   ";
    if (!group.empty() && line == "    # " + group + ":") {
      in_group = true;
      line = "    " + group + ":";
    } else if (in_group && line.rfind(plain_start + name + ": ", 0) == 0) {
      line.erase(4, 2);
    }
    out += line + "\n";
  }
  return out;
}

TEST(ExampleConfig, EveryExampleValueIsRead) {
  for (const Setting& setting : Settings()) {
    SCOPED_TRACE(std::string(setting.key));
    EXPECT_FALSE(setting.example.empty());
    if (setting.key == "name") continue;
    const std::string text = Uncomment(std::string(setting.key));
    const Config config = LoadConfigText(text, "example.yml");
    EXPECT_TRUE(config.diagnostics.ok()) << config.diagnostics.ToError().message;
    ASSERT_EQ(config.targets.size(), 1U);
    EXPECT_EQ(config.targets[0].where.keys.count(setting.key), 1U) << text;
  }
}

}  // namespace
}  // namespace ckpt::config
