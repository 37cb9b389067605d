// SPDX-License-Identifier: Apache-2.0
#include "config/dsn.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace ckpt::config {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

TEST(Dsn, IsTakenApart) {
  const struct {
    const char* text;
    Pairs pairs;
    const char* name;
  } cases[] = {
      {"", {}, "localhost:5432"},
      {"  host=h  ", {{"host", "h"}}, "h:5432"},
      {"host = h port =5433 dbname= d",
       {{"host", "h"}, {"port", "5433"}, {"dbname", "d"}},
       "h:5433/d"},
      {"host=a host=b", {{"host", "b"}}, "b:5432"},
      {R"(password='it\'s a \\' user=u)",
       {{"password", R"(it's a \)"}, {"user", "u"}},
       "localhost:5432"},
      {R"(password=a\ b\)", {{"password", "a b"}}, "localhost:5432"},
      {"password='' user=''", {{"password", ""}, {"user", ""}}, "localhost:5432"},
      {"host=/run/pg dbname=d", {{"host", "/run/pg"}, {"dbname", "d"}}, "localhost:5432/d"},
      {"host=@abstract", {{"host", "@abstract"}}, "localhost:5432"},
      {"host=a,b port=1,2", {{"host", "a,b"}, {"port", "1,2"}}, "a:1"},
      {"hostaddr=192.0.2.1", {{"hostaddr", "192.0.2.1"}}, "192.0.2.1:5432"},
      {"postgresql://", {}, "localhost:5432"},
      {"postgres://h", {{"host", "h"}}, "h:5432"},
      {"postgresql://h/", {{"host", "h"}}, "h:5432"},
      {"postgresql:///d", {{"dbname", "d"}}, "localhost:5432/d"},
      {"postgresql://u@", {{"user", "u"}}, "localhost:5432"},
      {"postgresql://u:p@h:5433/d?sslmode=require&application_name=x",
       {{"user", "u"},
        {"password", "p"},
        {"host", "h"},
        {"port", "5433"},
        {"dbname", "d"},
        {"sslmode", "require"},
        {"application_name", "x"}},
       "h:5433/d"},
      {"postgresql://u:@h", {{"user", "u"}, {"host", "h"}}, "h:5432"},
      {"postgresql://u%40x:p%2F%3a%25@h/d%20e",
       {{"user", "u@x"}, {"password", "p/:%"}, {"host", "h"}, {"dbname", "d e"}},
       "h:5432/d e"},
      {"postgresql://u:a:b@h", {{"user", "u"}, {"password", "a:b"}, {"host", "h"}}, "h:5432"},
      {"postgresql://[::1]:5433/d",
       {{"host", "::1"}, {"port", "5433"}, {"dbname", "d"}},
       "[::1]:5433/d"},
      {"postgresql://[2001:db8::1]", {{"host", "2001:db8::1"}}, "[2001:db8::1]:5432"},
      {"postgresql://%2Frun%2Fpg/d", {{"host", "/run/pg"}, {"dbname", "d"}}, "localhost:5432/d"},
      {"postgresql://a:1,b,[::1]:3/d",
       {{"host", "a,b,::1"}, {"port", "1,,3"}, {"dbname", "d"}},
       "a:1/d"},
      {"postgresql://h?user=u&password=p",
       {{"host", "h"}, {"user", "u"}, {"password", "p"}},
       "h:5432"},
      {"postgresql://h/d?options=-c%20a%3Db&host=/x",
       {{"host", "/x"}, {"dbname", "d"}, {"options", "-c a=b"}},
       "localhost:5432/d"},
      {"postgresql://h?ssl=true", {{"host", "h"}, {"sslmode", "require"}}, "h:5432"},
      {"postgresql://h/d?", {{"host", "h"}, {"dbname", "d"}}, "h:5432/d"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.text);
    const Result<Conninfo> conninfo = Conninfo::Parse(Secret(c.text));
    ASSERT_TRUE(conninfo.ok()) << conninfo.error().message;
    EXPECT_EQ(conninfo.value().pairs(), c.pairs);
    EXPECT_EQ(conninfo.value().DefaultTargetName(), c.name);
    // What is written out is read back as the same.
    const Result<Conninfo> again = Conninfo::Parse(conninfo.value().ToKeywordString());
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(again.value().pairs(), c.pairs);
  }
}

TEST(Dsn, ErrorsQuoteNothing) {
  // Every text holds "hunter2" where a slip would put a password.
  const char* const cases[] = {
      "hunter2",
      "host",
      "host=a hunter2",
      "host=a password=it hunter2 user=u",
      "host=a password=it hunter2=x",
      "password='hunter2",
      "passwordd=hunter2",
      "=hunter2",
      "host=a port=hunter2",
      "host=a port=65536",
      "host=a port=1,hunter2",
      "mysql://u:hunter2@h/d",
      "Postgresql://u:hunter2@h/d",
      "u:hunter2@h/d",
      "postgresql://u:hunter2",
      "postgresql://u:hunter2/d",
      "postgresql://u:p/hunter2@h/d",
      "postgresql://u:12/hunter2@h/d",
      "postgresql://u:12/3/hunter2@h/d",
      "postgresql://u:p?hunter2@h/d",
      "postgresql://u:12?hunter2@h/d",
      "postgresql://u:12?hunter2=1@h/d",
      "postgresql://u:p@hunter2@h/d",
      "postgresql://u:hunter2%@h/d",
      "postgresql://u:hunter2%4@h/d",
      "postgresql://u:hunter2%zz@h/d",
      "postgresql://u:hunter2%00@h/d",
      "postgresql://u%zz:hunter2@h/d",
      "postgresql://u:hunter2@h%/d",
      "postgresql://u:hunter2@h/d%",
      "postgresql://u:hunter2@[::1/d",
      "postgresql://u:hunter2@[::1]x/d",
      "postgresql://u:hunter2@h:0/d",
      "postgresql://u:hunter2@h:x/d",
      "postgresql://h/d?hunter2",
      "postgresql://h/d?hunter2=1",
      "postgresql://h/d?user=%zzhunter2",
      "postgresql://h/d?user=u&&hunter2=",
      "service=hunter2",
      "postgresql://u:hunter2@h?service=x",
  };
  for (const char* text : cases) {
    SCOPED_TRACE(text);
    const Result<Conninfo> conninfo = Conninfo::Parse(Secret(text));
    ASSERT_FALSE(conninfo.ok());
    EXPECT_EQ(conninfo.error().code, ErrorCode::kConfig);
    EXPECT_FALSE(conninfo.error().message.empty());
    EXPECT_EQ(conninfo.error().message.find("hunter2"), std::string::npos)
        << conninfo.error().message;
  }
  EXPECT_FALSE(Conninfo::Parse(Secret("user=" + std::string(9000, 'x'))).ok());
  EXPECT_FALSE(Conninfo::Parse(Secret(std::string("user=a\0b", 8))).ok());
}

TEST(Dsn, KnowsItsSecrets) {
  const auto conninfo = Conninfo::Parse(Secret("user=u password=a sslpassword=b sslkey=k"));
  ASSERT_TRUE(conninfo.ok());
  EXPECT_EQ(conninfo.value().Secrets(), (std::vector<Secret>{Secret("a"), Secret("b")}));
}

TEST(Dsn, OwnWordsGoBeforeOurs) {
  auto conninfo = Conninfo::Parse(Secret("application_name=mine user=''")).value();
  conninfo.SetIfAbsent("application_name", "ours");
  conninfo.SetIfAbsent("user", "ours");
  conninfo.SetIfAbsent("host", "");
  conninfo.SetIfAbsent("dbname", "d");
  EXPECT_EQ(conninfo.Get("application_name"), "mine");
  EXPECT_EQ(conninfo.Get("user"), "");
  EXPECT_FALSE(conninfo.Has("host"));
  EXPECT_EQ(conninfo.Get("dbname"), "d");
}

}  // namespace
}  // namespace ckpt::config
