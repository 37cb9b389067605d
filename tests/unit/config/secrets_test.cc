// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "config/config.h"
#include "config/settings.h"

namespace ckpt::config {
namespace {

// A password wherever an operator's slip may put one; no message may repeat it. It is not a name
// ("!"), because what looks like the name of a key or label may be quoted.
constexpr const char* kSecret = "hunter2!";

TEST(Secrets, AreInNoMessage) {
  const std::string secret = kSecret;
  std::vector<std::string> texts{
      "password: " + secret,
      secret,
      secret + ": 1",
      "targets: " + secret,
      "targets: [" + secret + "]",
      "targets: [" + secret + ": 1]",
      "targets: [{dsn: 'postgresql://u:" + secret + "@[::1/d'}]",
      "targets: [{dsn: 'host=a password=x " + secret + "'}]",
      "targets: [{dsn: postgresql://u:" + secret + "@h/d}, {dsn: postgresql://v:" + secret +
          "@h/d}]",
      "targets:\n- password:" + secret,
      "targets:\n- host: a\n  password:" + secret,
      "targets:\n- host: a\n  password:" + secret + ":",
      "targets:\n- host: a\n  " + secret + ": x",
      "targets:\n- host: a\n  dsn: postgres://u:" + secret + "@h: x",
      "targets:\n- host: a\n  dsn: *" + secret,
      "targets:\n- host: a\n  dsn: &" + secret + " x",
      "targets:\n- host: a\n  dsn: !" + secret + " x",
      "targets:\n- host: a\n  dsn: '" + secret,
      "targets:\n- host: a\n  dsn: \"\\q" + secret + "\"",
      "targets:\n- host: a\n  ? [" + secret + "]\n  : x",
      "targets:\n- labels: {" + secret + ": x}",
      "targets:\n- labels: {a: [" + secret + "]}",
      "%" + secret + "\n---\na: 1",
      "target_files: " + secret,
      "defaults: " + secret,
      "@" + secret,
      "`" + secret,
      "a: |" + secret,
  };
  for (const Setting& setting : Settings()) {
    if (setting.key == "labels") continue;
    const std::string key(setting.key);
    const std::size_t dot = key.find('.');
    for (const std::string& value :
         {"'" + secret + "'", "['" + secret + "']", "{'" + secret + "': '" + secret + "'}"}) {
      const std::string line =
          dot == std::string::npos
              ? key + ": " + value
              : key.substr(0, dot) + ": {" + key.substr(dot + 1) + ": " + value + "}";
      // The unknown key makes sure that there is an error to look at.
      texts.push_back("targets:\n- " + line + "\n  xyzzy: 1\n");
      texts.push_back("defaults:\n  " + line + "\n  xyzzy: 1\n");
    }
  }
  for (const std::string& text : texts) {
    SCOPED_TRACE(text);
    const auto config = Validate(LoadConfigText(text, "c.yml"));
    ASSERT_FALSE(config.ok());
    EXPECT_EQ(config.error().message.find("hunter2"), std::string::npos) << config.error().message;
  }
}

}  // namespace
}  // namespace ckpt::config
