// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "config/config.h"

namespace ckpt::config {
namespace {

class TargetFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = "/tmp/ckpt-config-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    std::filesystem::create_directory(folder_ / "d");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string Write(const std::string& name, const std::string& content) const {
    std::ofstream(folder_ / name) << content;
    return folder_ / name;
  }
  static std::vector<std::string> Names(const ValidatedConfig& config) {
    std::vector<std::string> names;
    for (const TargetConfig& target : config.targets()) names.push_back(target.name);
    return names;
  }

  std::filesystem::path folder_;
};

TEST_F(TargetFiles, AreReadInOrderWithTheDefaults) {
  const std::string path = Write("c.yml",
                                 "targets:\n- name: a\ntarget_files: [d/*.yml, 'd/[b-c].*', none]\n"
                                 "defaults: {user: u, labels: {env: prod, team: x}}\n");
  Write("d/c.json", R"([{"name": "c", "port": 5433, "labels": {"team": "y"}}])");
  Write("d/b.yml", "- name: b\n  password_file: secret\n- name: b2\n");
  Write("d/empty.yml", "# later\n");
  const auto config = Validate(LoadConfigFile(path));
  ASSERT_TRUE(config.ok()) << config.error().message;
  EXPECT_EQ(Names(config.value()), (std::vector<std::string>{"a", "b", "b2", "c"}));
  EXPECT_EQ(config.value().file(), path);
  EXPECT_EQ(
      config.value().target_files(),
      (std::vector<std::string>{folder_ / "d/*.yml", folder_ / "d/[b-c].*", folder_ / "none"}));
  const TargetConfig* b = config.value().Find("b");
  ASSERT_NE(b, nullptr);
  EXPECT_EQ(b->user, "u");
  EXPECT_EQ(b->password_file, folder_ / "d/secret") << "relative to its own file";
  EXPECT_EQ(config.value().Find("c")->labels, (LabelMap{{"env", "prod"}, {"team", "y"}}));
  EXPECT_EQ(config.value().Find("x"), nullptr);
}

TEST_F(TargetFiles, MayBeNoneYet) {
  const auto config = Validate(LoadConfigText("target_files: [/nonexistent/*.yml]", "c.yml"));
  ASSERT_TRUE(config.ok());
  EXPECT_TRUE(config.value().targets().empty());
}

TEST_F(TargetFiles, ReportTheirOwnPlaces) {
  const std::string path = Write("c.yml", "targets: [{name: a, prot: 1}]\ntarget_files: ['d/*']\n");
  const std::string first = Write("d/1.yml", "- name: a\n");
  const std::string second = Write("d/2.yml", "name: b\n");
  const std::string third = Write("d/3.yml", "- {name: b}\n- {name: b}\n");
  std::filesystem::create_directory(folder_ / "d/4.yml");
  const auto config = Validate(LoadConfigFile(path));
  ASSERT_FALSE(config.ok());
  EXPECT_EQ(config.error().message,
            path + ":1:21: unknown key `prot`; did you mean `port`?\n" + first +
                ":1:3: name: the same as of the target at " + path +
                ":1:12; give each a `name` of its own\n" + second +
                ":1:1: targets: must be a list, one `- name: ...` for each server\n" + third +
                ":2:4: name: the same as of the target at " + third +
                ":1:4; give each a `name` of its own\n" + (folder_ / "d/4.yml").string() +
                ": not a regular file");
}

TEST_F(TargetFiles, AMissingFileIsAnError) {
  const auto config = Validate(LoadConfigFile("/nonexistent/c.yml"));
  ASSERT_FALSE(config.ok());
  EXPECT_EQ(config.error().message, "/nonexistent/c.yml: cannot open: No such file or directory");
}

TEST_F(TargetFiles, EqualTargetsCompareEqualWhereverTheyStand) {
  const auto one = Validate(LoadConfigText("targets: [{name: a, host: h}]", "c.yml"));
  const auto other = Validate(LoadConfigText("targets:\n\n- host: h\n  name: a\n", "d.yml"));
  const auto changed = Validate(LoadConfigText("targets: [{name: a, host: i}]", "c.yml"));
  ASSERT_TRUE(one.ok() && other.ok() && changed.ok());
  EXPECT_EQ(one.value().targets()[0], other.value().targets()[0]);
  EXPECT_FALSE(one.value().targets()[0] == changed.value().targets()[0]);
}

}  // namespace
}  // namespace ckpt::config
