// SPDX-License-Identifier: Apache-2.0
#include "app/configuration.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace ckpt::app {
namespace {

class ConfigurationSourceTest : public ::testing::Test {
 protected:
  ConfigurationSourceTest() {
    std::string name = std::filesystem::temp_directory_path() / "configuration-XXXXXX";
    directory_ = ::mkdtemp(name.data());
    Write("main.yml", "targets: [{name: a, host: x}]\ntarget_files: [more/*.yml]\n");
    std::filesystem::create_directory(directory_ / "more");
  }
  ~ConfigurationSourceTest() override { std::filesystem::remove_all(directory_); }

  void Write(const std::string& name, const std::string& text) {
    std::ofstream(directory_ / name) << text;
  }
  ConfigurationSource Source() {
    return {directory_ / "main.yml", [](const std::string&) { return std::nullopt; }};
  }

  std::filesystem::path directory_;
};

TEST_F(ConfigurationSourceTest, SeesTargetFilesChangeOnceTheyHaveSettled) {
  ConfigurationSource source = Source();
  ASSERT_TRUE(source.Load().ok());
  EXPECT_FALSE(source.TargetFilesChanged());
  Write("more/b.yml", "[{name: b, host: x}]");
  EXPECT_FALSE(source.TargetFilesChanged()) << "it may not be all there";
  EXPECT_TRUE(source.TargetFilesChanged());
  const auto config = source.ReadTargetFiles();
  ASSERT_TRUE(config.ok());
  EXPECT_NE(config.value().Find("b"), nullptr);
  EXPECT_FALSE(source.TargetFilesChanged());
  std::filesystem::remove(directory_ / "more/b.yml");
  source.TargetFilesChanged();
  EXPECT_TRUE(source.TargetFilesChanged());
  EXPECT_EQ(source.ReadTargetFiles().value().targets().size(), 1U);
}

TEST_F(ConfigurationSourceTest, ABadTargetFileIsToldOnceAndTheRestIsNotReadAnew) {
  ConfigurationSource source = Source();
  ASSERT_TRUE(source.Load().ok());
  Write("main.yml", "targets: none");
  Write("more/b.yml", "[{nam: b}]");
  source.TargetFilesChanged();
  ASSERT_TRUE(source.TargetFilesChanged());
  const auto bad = source.ReadTargetFiles();
  ASSERT_FALSE(bad.ok());
  EXPECT_NE(bad.error().message.find("b.yml:1:3: unknown key `nam`"), std::string::npos)
      << bad.error().message;
  EXPECT_FALSE(source.TargetFilesChanged());
  EXPECT_FALSE(source.Load().ok());
  Write("more/b.yml", "[{name: b, host: xx}]");
  source.TargetFilesChanged();
  ASSERT_TRUE(source.TargetFilesChanged());
  EXPECT_EQ(source.ReadTargetFiles().value().targets().size(), 2U);
}

TEST_F(ConfigurationSourceTest, LoadReadsTargetFilesToo) {
  Write("more/b.yml", "[{name: b, host: x}]");
  ConfigurationSource source = Source();
  const auto config = source.Load();
  ASSERT_TRUE(config.ok());
  EXPECT_EQ(config.value().targets().size(), 2U);
  EXPECT_FALSE(source.TargetFilesChanged());
  EXPECT_FALSE(source.TargetFilesChanged());
}

}  // namespace
}  // namespace ckpt::app
