// SPDX-License-Identifier: Apache-2.0
#include "app/command_line.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ckpt::app {
namespace {

std::variant<CommandLine, Exit, Subcommand> Parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "pgcheckpoint_exporter");
  return ParseCommandLine(static_cast<int>(arguments.size()), arguments.data());
}

TEST(CommandLine, ServesByDefault) {
  const auto parsed = Parse({});
  const auto* line = std::get_if<CommandLine>(&parsed);
  ASSERT_NE(line, nullptr);
  EXPECT_EQ(line->listen_addresses, std::vector<std::string>{":10432"});
  EXPECT_EQ(line->telemetry_path, "/metrics");
  EXPECT_FALSE(line->enable_lifecycle);
}

TEST(CommandLine, HelpAndVersionEndWell) {
  for (const char* flag : {"--help", "--version"}) {
    const auto parsed = Parse({flag});
    const auto* exit = std::get_if<Exit>(&parsed);
    ASSERT_NE(exit, nullptr) << flag;
    EXPECT_EQ(exit->status, 0) << flag;
    EXPECT_NE(exit->text.find("pgcheckpoint_exporter"), std::string::npos) << exit->text;
  }
}

TEST(CommandLine, RefusesWhatItDoesNotKnowAndNamesIt) {
  struct Case {
    std::vector<const char*> arguments;
    const char* names;
  };
  const Case cases[] = {
      {{"--config.fil=x"}, "--config.fil"},
      {{"stray"}, "stray"},
      {{"--log.level=loud"}, "--log.level"},
      {{"--log.format=xml"}, "--log.format"},
      {{"--describe=all"}, "--describe"},
      {{"--web.telemetry-path=metrics"}, "--web.telemetry-path"},
      {{"--web.systemd-socket", "--web.listen-address=:1"}, "--web.systemd-socket"},
      {{"--config.file"}, "--config.file"},
  };
  for (const Case& test : cases) {
    const auto parsed = Parse(test.arguments);
    const auto* exit = std::get_if<Exit>(&parsed);
    ASSERT_NE(exit, nullptr) << test.names;
    EXPECT_EQ(exit->status, 2) << test.names;
    EXPECT_NE(exit->text.find(test.names), std::string::npos) << exit->text;
  }
}

}  // namespace
}  // namespace ckpt::app
