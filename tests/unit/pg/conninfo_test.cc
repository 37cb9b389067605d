// SPDX-License-Identifier: Apache-2.0
#include "pg/conninfo.h"

#include <gtest/gtest.h>
#include <libpq-fe.h>

#include <array>
#include <cstdlib>
#include <map>
#include <memory>

namespace ckpt::pg {
namespace {

// What libpq makes of a connection string, environment and defaults included.
std::map<std::string, std::string> Understood(const Secret& conninfo) {
  char* message = nullptr;
  const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> options(
      PQconninfoParse(conninfo.Reveal().c_str(), &message), &PQconninfoFree);
  EXPECT_EQ(message, nullptr) << message;
  std::map<std::string, std::string> values;
  for (const PQconninfoOption* o = options.get(); o != nullptr && o->keyword != nullptr; ++o) {
    if (o->val != nullptr) values[o->keyword] = o->val;
  }
  return values;
}

ConnectionParameters Parameters(std::vector<std::pair<std::string, std::string>> parameters) {
  ConnectionParameters result;
  result.parameters = std::move(parameters);
  return result;
}

TEST(Conninfo, QuotesWhatLibpqWouldMisread) {
  ConnectionParameters parameters = Parameters({{"dbname", "it's a \\ base"}, {"user", "u v"}});
  parameters.password = Secret("p'w \\ x=y");
  const auto conninfo = BuildConninfo(parameters, {"h", "", "1"}, true);
  ASSERT_TRUE(conninfo.ok());
  const auto values = Understood(conninfo.value());
  EXPECT_EQ(values.at("dbname"), "it's a \\ base");
  EXPECT_EQ(values.at("user"), "u v");
  EXPECT_EQ(values.at("password"), "p'w \\ x=y");
}

TEST(Conninfo, SettingsFollowTheCallersOptions) {
  const auto conninfo = BuildConninfo(Parameters({{"user", "u"}, {"options", "-c work_mem=1MB"}}),
                                      {"h", "", "1"}, true);
  ASSERT_TRUE(conninfo.ok());
  const std::string options = Understood(conninfo.value()).at("options");
  EXPECT_TRUE(options.starts_with("-c work_mem=1MB -c statement_timeout=2000 ")) << options;
  for (const char* setting :
       {"lock_timeout=500", "default_transaction_read_only=on", "search_path=pg_catalog",
        "client_min_messages=warning", "DateStyle=ISO", "extra_float_digits=3"}) {
    EXPECT_NE(options.find(setting), std::string::npos) << setting;
  }
  const auto bare = BuildConninfo(Parameters({{"user", "u"}}), {"h", "", "1"}, false);
  EXPECT_EQ(Understood(bare.value()).at("options"), "");
}

TEST(Conninfo, DefaultsAreOursUnlessGiven) {
  const auto ours =
      Understood(BuildConninfo(Parameters({{"user", "u"}}), {"h", "", "1"}, true).value());
  EXPECT_EQ(ours.at("application_name"), "pgcheckpoint_exporter");
  EXPECT_EQ(ours.at("gssencmode"), "disable");
  const auto given = Understood(BuildConninfo(Parameters({{"user", "u"},
                                                          {"application_name", "mine"},
                                                          {"gssencmode", "prefer"},
                                                          {"sslmode", "require"}}),
                                              {"h", "", "1"}, true)
                                    .value());
  EXPECT_EQ(given.at("application_name"), "mine");
  EXPECT_EQ(given.at("gssencmode"), "prefer");
  EXPECT_EQ(given.at("sslmode"), "require");
}

TEST(Conninfo, TheEnvironmentDoesNotLeakIn) {
  // Every variable that libpq reads for a keyword is set; none may show.
  const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> defaults(PQconndefaults(),
                                                                              &PQconninfoFree);
  std::map<std::string, std::string> variables;
  for (const PQconninfoOption* o = defaults.get(); o->keyword != nullptr; ++o) {
    if (o->envvar != nullptr && std::string(o->keyword) != "service")
      variables[o->keyword] = o->envvar;
  }
  ASSERT_GT(variables.size(), 15U);
  for (const auto& [keyword, variable] : variables) ::setenv(variable.c_str(), "leaked", 1);
  const auto conninfo = BuildConninfo(Parameters({}), {"", "", "5432"}, true);
  ASSERT_TRUE(conninfo.ok());
  // Every keyword with a variable is in the string itself: nothing is left for the environment.
  const auto values = Understood(conninfo.value());
  for (const auto& [keyword, variable] : variables) {
    EXPECT_TRUE(values.contains(keyword)) << keyword;
    EXPECT_EQ(values.at(keyword).find("leaked"), std::string::npos) << keyword;
    ::unsetenv(variable.c_str());
  }
  EXPECT_FALSE(values.at("user").empty());
}

TEST(Conninfo, TakesHostListsApart) {
  const auto endpoints = EndpointsOf(Parameters({{"host", "a,b,/run/pg"}, {"port", "1,,3"}}));
  ASSERT_TRUE(endpoints.ok());
  ASSERT_EQ(endpoints.value().size(), 3U);
  EXPECT_EQ(endpoints.value()[1].host, "b");
  EXPECT_EQ(endpoints.value()[1].port, "5432");
  EXPECT_EQ(endpoints.value()[2].host, "/run/pg");
  EXPECT_EQ(endpoints.value()[2].port, "3");

  const auto one_port = EndpointsOf(Parameters({{"hostaddr", "::1,127.0.0.1"}, {"port", "7"}}));
  ASSERT_EQ(one_port.value().size(), 2U);
  EXPECT_EQ(one_port.value()[1].hostaddr, "127.0.0.1");
  EXPECT_EQ(one_port.value()[1].port, "7");

  EXPECT_EQ(EndpointsOf(Parameters({})).value().size(), 1U);
}

TEST(Conninfo, RefusesWhatCannotBeSent) {
  const std::array<ConnectionParameters, 3> bad{
      Parameters({{"user", "u"}, {"DB NAME", "x"}}),
      Parameters({{"user", "u"}, {"", "x"}}),
      Parameters({{"user", "u"}, {"dbname", std::string("a\0b", 3)}}),
  };
  for (const ConnectionParameters& parameters : bad) {
    const auto conninfo = BuildConninfo(parameters, {"h", "", "1"}, true);
    ASSERT_FALSE(conninfo.ok());
    EXPECT_EQ(conninfo.error().code, ErrorCode::kConfig);
  }
  for (const auto& parameters : {Parameters({{"host", "a,b"}, {"port", "1,2,3"}}),
                                 Parameters({{"host", "a,b"}, {"hostaddr", "::1"}})}) {
    const auto endpoints = EndpointsOf(parameters);
    ASSERT_FALSE(endpoints.ok());
    EXPECT_EQ(endpoints.error().code, ErrorCode::kConfig);
  }
}

TEST(Conninfo, LocalSettingsBeginReadOnly) {
  const std::string sql = LocalSettingsSql(SessionTimeouts{});
  EXPECT_TRUE(sql.starts_with("SET TRANSACTION READ ONLY; SET LOCAL statement_timeout = '2000'; "));
  EXPECT_TRUE(sql.ends_with("; "));
}

}  // namespace
}  // namespace ckpt::pg
