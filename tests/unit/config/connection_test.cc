// SPDX-License-Identifier: Apache-2.0
#include "config/connection.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "config/config.h"

namespace ckpt::config {
namespace {

using Variables = std::map<std::string, std::string>;
using Pairs = std::vector<std::pair<std::string, std::string>>;

Environment Of(Variables variables) {
  return [variables](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
}

class ConnectionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = "/tmp/ckpt-secret-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string Write(const std::string& name, const std::string& content) const {
    std::ofstream(folder_ / name) << content;
    return folder_ / name;
  }
  // The only target of `settings`, a flow mapping.
  static TargetConfig Target(const std::string& settings, const std::string& defaults = "{}") {
    const auto config = Validate(
        LoadConfigText("defaults: " + defaults + "\ntargets: [" + settings + "]", "c.yml"));
    EXPECT_TRUE(config.ok()) << config.error().message;
    return config.ok() ? config.value().targets()[0] : TargetConfig{};
  }

  std::filesystem::path folder_;
};

TEST_F(ConnectionTest, HasTheKeysOfTheTarget) {
  const auto connection = ResolveConnection(
      Target("{host: h, port: 5433, user: u, sslmode: require, passfile: /p}"), Of({}));
  ASSERT_TRUE(connection.ok());
  EXPECT_EQ(connection.value().parameters, (Pairs{{"host", "h"},
                                                  {"port", "5433"},
                                                  {"dbname", "postgres"},
                                                  {"user", "u"},
                                                  {"passfile", "/p"},
                                                  {"sslmode", "require"}}));
  EXPECT_TRUE(connection.value().password.empty());
  EXPECT_TRUE(connection.value().secrets.empty());
}

TEST_F(ConnectionTest, TheDsnGoesBeforeDefaults) {
  const TargetConfig target =
      Target("{dsn: 'postgresql://u:p@h:5433?connect_timeout=7&options=-c%20geqo%3Doff'}",
             "{user: other, dbname: d, sslmode: require, password_file: /none}");
  EXPECT_EQ(target.name, "h:5433/d");
  EXPECT_EQ(target.connect_timeout, std::chrono::seconds(7));
  const auto connection = ResolveConnection(target, Of({}));
  ASSERT_TRUE(connection.ok()) << connection.error().message;
  EXPECT_EQ(connection.value().parameters, (Pairs{{"user", "u"},
                                                  {"host", "h"},
                                                  {"port", "5433"},
                                                  {"connect_timeout", "7"},
                                                  {"options", "-c geqo=off"},
                                                  {"dbname", "d"},
                                                  {"sslmode", "require"}}));
  EXPECT_EQ(connection.value().password.Reveal(), "p");
}

TEST_F(ConnectionTest, ReadsThePasswordAtEveryCall) {
  const std::string path = Write("password", "hunter2\r\n");
  const TargetConfig target = Target("{password_file: " + path + "}");
  EXPECT_EQ(ResolveConnection(target, Of({})).value().password.Reveal(), "hunter2");
  Write("password", "  with blanks ");
  const auto changed = ResolveConnection(target, Of({}));
  EXPECT_EQ(changed.value().password.Reveal(), "  with blanks ");
  EXPECT_EQ(changed.value().secrets, std::vector<Secret>{Secret("  with blanks ")});

  const TargetConfig from_variable = Target("{password_env: P}");
  EXPECT_EQ(ResolveConnection(from_variable, Of({{"P", "hunter2"}})).value().password.Reveal(),
            "hunter2");
  // PGPASSWORD would go to every server.
  EXPECT_TRUE(ResolveConnection(Target("{}"), Of({{"PGPASSWORD", "x"}})).value().password.empty());
}

TEST_F(ConnectionTest, ATargetsPasswordSourceReplacesTheDefaults) {
  const std::string path = Write("password", "file");
  const Environment environment = Of({{"P", "variable"}});
  EXPECT_EQ(
      ResolveConnection(Target("{password_env: P}", "{password_file: " + path + "}"), environment)
          .value()
          .password.Reveal(),
      "variable");
  EXPECT_EQ(
      ResolveConnection(Target("{password_file: " + path + "}", "{password_env: P}"), environment)
          .value()
          .password.Reveal(),
      "file");
}

TEST_F(ConnectionTest, NamesThePasswordSourceThatFails) {
  const auto error = [](const std::string& settings, Variables variables) {
    const auto connection = ResolveConnection(Target(settings), Of(std::move(variables)));
    return connection.ok() ? "(no error)" : connection.error().message;
  };
  EXPECT_EQ(error("{password_file: /nonexistent/p}", {}),
            "password_file /nonexistent/p: cannot open: No such file or directory");
  const std::string path = Write("password", "\n\n");
  EXPECT_EQ(error("{password_file: " + path + "}", {}), "password_file " + path + ": is empty");
  Write("password", std::string(5000, 'x'));
  EXPECT_EQ(error("{password_file: " + path + "}", {}),
            "password_file " + path + ": larger than 4096 bytes");
  Write("password", std::string("a\0b", 3));
  EXPECT_EQ(error("{password_file: " + path + "}", {}),
            "password_file " + path + ": holds a NUL character");
  EXPECT_EQ(error("{password_env: P}", {}), "password_env: the variable P is not set");
  EXPECT_EQ(error("{password_env: P}", {{"P", ""}}), "password_env: the variable P is not set");
}

TEST_F(ConnectionTest, TargetsComeFromTheEnvironment) {
  const std::string password = Write("password", "hunter2\n");
  const std::string dsn = Write("dsn", "\n postgresql://u@h/d \n");
  const struct {
    Variables variables;
    std::vector<std::string> names;
    Pairs first;
    std::string password;
  } cases[] = {
      {{{"DATA_SOURCE_NAME", "postgresql://u:p@h:1/d?sslmode=disable"}},
       {"h:1/d"},
       {{"user", "u"}, {"host", "h"}, {"port", "1"}, {"dbname", "d"}, {"sslmode", "disable"}},
       "p"},
      {{{"DATA_SOURCE_NAME", "user=u host=/run/pg sslmode=disable"}},
       {"localhost:5432/postgres"},
       {{"user", "u"},
        {"host", "/run/pg"},
        {"sslmode", "disable"},
        {"port", "5432"},
        {"dbname", "postgres"}},
       ""},
      {{{"DATA_SOURCE_NAME", "postgresql://a,b/d,postgres://c/e"}},
       {"a:5432/d", "c:5432/e"},
       {{"host", "a,b"}, {"dbname", "d"}, {"port", "5432"}},
       ""},
      {{{"DATA_SOURCE_NAME_FILE", dsn}},
       {"h:5432/d"},
       {{"user", "u"}, {"host", "h"}, {"dbname", "d"}, {"port", "5432"}},
       ""},
      {{{"DATA_SOURCE_URI", "h:1/d?sslmode=disable"},
        {"DATA_SOURCE_USER", "u@x"},
        {"DATA_SOURCE_PASS", "p@/:?"}},
       {"h:1/d"},
       {{"host", "h"}, {"port", "1"}, {"dbname", "d"}, {"sslmode", "disable"}, {"user", "u@x"}},
       "p@/:?"},
      {{{"DATA_SOURCE_URI", "h"}, {"DATA_SOURCE_PASS_FILE", password}, {"PGPASSWORD", "other"}},
       {"h:5432/postgres"},
       {{"host", "h"}, {"port", "5432"}, {"dbname", "postgres"}},
       "hunter2"},
      {{{"PGHOST", "h"},
        {"PGPORT", "5433"},
        {"PGDATABASE", "d"},
        {"PGUSER", "u"},
        {"PGPASSWORD", "hunter2"},
        {"PGSSLMODE", "verify-full"},
        {"PGPASSFILE", "/p"}},
       {"h:5433/d"},
       {{"host", "h"},
        {"port", "5433"},
        {"dbname", "d"},
        {"user", "u"},
        {"passfile", "/p"},
        {"sslmode", "verify-full"}},
       "hunter2"},
      {{{"DATA_SOURCE_NAME", "postgresql://u:p@h/d"}, {"PGPASSWORD", "x"}, {"PGUSER", "y"}},
       {"h:5432/d"},
       {{"user", "u"}, {"host", "h"}, {"dbname", "d"}, {"port", "5432"}},
       "p"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.names[0] + " of " + c.variables.begin()->first);
    const Environment environment = Of(c.variables);
    Result<Config> config = ConfigFromEnvironment(environment);
    ASSERT_TRUE(config.ok()) << config.error().message;
    const auto validated = Validate(std::move(config).value());
    ASSERT_TRUE(validated.ok()) << validated.error().message;
    ASSERT_EQ(validated.value().targets().size(), c.names.size());
    for (std::size_t i = 0; i < c.names.size(); ++i) {
      EXPECT_EQ(validated.value().targets()[i].name, c.names[i]);
      EXPECT_NE(validated.value().Find(c.names[i]), nullptr);
    }
    const auto connection = ResolveConnection(validated.value().targets()[0], environment);
    ASSERT_TRUE(connection.ok()) << connection.error().message;
    EXPECT_EQ(connection.value().parameters, c.first);
    EXPECT_EQ(connection.value().password.Reveal(), c.password);
  }
}

TEST_F(ConnectionTest, EnvironmentErrorsNameTheVariable) {
  const auto error = [](Variables variables) {
    Result<Config> config = ConfigFromEnvironment(Of(std::move(variables)));
    if (!config.ok()) return config.error().message;
    const auto validated = Validate(std::move(config).value());
    return validated.ok() ? "(no error)" : validated.error().message;
  };
  const std::string nothing =
      "no server to watch: give --config.file, or set DATA_SOURCE_NAME or PGHOST";
  EXPECT_EQ(error({}), nothing);
  EXPECT_EQ(error({{"PGPASSWORD", "hunter2"}, {"DATA_SOURCE_NAME", ""}}), nothing);
  EXPECT_EQ(error({{"DATA_SOURCE_NAME", "host=h hunter2"}}),
            "DATA_SOURCE_NAME: item 2 is not key=value; a value with blanks needs single quotes");
  EXPECT_EQ(error({{"DATA_SOURCE_NAME", "postgresql://h/d,postgresql://h/d"}}),
            "DATA_SOURCE_NAME: name: the same as of the target at DATA_SOURCE_NAME; give each a "
            "`name` of its own");
  EXPECT_EQ(error({{"DATA_SOURCE_URI", "h/d?hunter2"}}),
            "DATA_SOURCE_URI: parameter 1 is not key=value");
  EXPECT_EQ(error({{"DATA_SOURCE_NAME_FILE", "/nonexistent"}}),
            "DATA_SOURCE_NAME_FILE: /nonexistent: cannot open: No such file or directory");
  const std::string empty = Write("empty", " \n");
  EXPECT_EQ(error({{"DATA_SOURCE_URI", "h"}, {"DATA_SOURCE_USER_FILE", empty}}),
            "DATA_SOURCE_USER_FILE: " + empty + ": is empty");
  EXPECT_EQ(error({{"PGHOST", "h"}, {"PGPORT", "hunter2"}}),
            "PGHOST: dsn: the port is not a number from 1 to 65535; special characters in a user "
            "name or password must be percent-encoded");
  EXPECT_EQ(error({{"PGHOST", "h"}, {"PGSERVICE", "s"}}),
            "PGHOST: dsn: service files are not read; write their keys here");
}

TEST(Environment, IsACopy) {
  setenv("CKPT_TEST_VARIABLE", "a=b", 1);
  const Environment environment = CaptureEnvironment();
  unsetenv("CKPT_TEST_VARIABLE");
  EXPECT_EQ(environment("CKPT_TEST_VARIABLE"), "a=b");
  EXPECT_EQ(environment("CKPT_TEST_OTHER"), std::nullopt);
  const std::vector<std::string> names = LibpqVariables();
  for (const char* name : {"PGHOST", "PGPASSWORD", "PGOPTIONS", "PGSERVICE", "PGTZ"}) {
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
  }
}

}  // namespace
}  // namespace ckpt::config
