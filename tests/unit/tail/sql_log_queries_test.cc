// SPDX-License-Identifier: Apache-2.0
#include "tail/sql_log_queries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace ckpt::tail {
namespace {

using ::testing::HasSubstr;

TEST(QuoteLiteral, CannotBeLeft) {
  struct Case {
    std::string_view text;
    std::string_view quoted;
  };
  for (const Case& test : {
           Case{"", "''"},
           {"log/postgresql.log", "'log/postgresql.log'"},
           {"it's", "'it''s'"},
           {"'; DROP TABLE t; --", "'''; DROP TABLE t; --'"},
           {"a\\b", "E'a\\\\b'"},
           {"\\'", "E'\\\\'''"},
       }) {
    EXPECT_EQ(QuoteLiteral(test.text), test.quoted);
  }
}

TEST(LogNamePattern, MatchesWhatTheCollectorMakesOfLogFilename) {
  struct Case {
    std::string_view log_filename;
    std::string_view format;
    std::string_view pattern;
  };
  for (const Case& test : {
           Case{"postgresql-%Y-%m-%d_%H%M%S.log", "stderr", "postgresql-%-%-%\\_%.log"},
           {"postgresql-%Y-%m-%d_%H%M%S.log", "csvlog", "postgresql-%-%-%\\_%.csv"},
           {"postgresql-%a.log", "jsonlog", "postgresql-%.json"},
           {"error/postgresql.log.%Y-%m-%d-%H", "csvlog", "error/postgresql.log.%-%-%-%.csv"},
           {"100%%_%Od", "stderr", "100\\%\\_%"},
           {"odd%", "stderr", "odd\\%"},
           {"a\\b.log", "stderr", "a\\\\b.log"},
           {"", "stderr", ""},
       }) {
    EXPECT_EQ(LogNamePattern(test.log_filename, test.format), test.pattern) << test.log_filename;
  }
}

TEST(DecodeBase64, ReadsEveryLength) {
  EXPECT_EQ(DecodeBase64(""), "");
  EXPECT_EQ(DecodeBase64("YQ=="), "a");
  EXPECT_EQ(DecodeBase64("YWI="), "ab");
  EXPECT_EQ(DecodeBase64("YWJj"), "abc");
  EXPECT_EQ(DecodeBase64("YWJj\nZA=="), "abcd");
  EXPECT_EQ(DecodeBase64("AP/+Cg=="), std::string("\0\xff\xfe\n", 4));
}

TEST(DecodeBase64, RefusesOtherText) {
  for (const char* text : {"Y", "YW", "YWJ", "Y===", "====", "YQ==YQ==", "YQ=a", "YW.j", "YWJj!",
                           "\\x6162", "YWJj Zg=="}) {
    EXPECT_FALSE(DecodeBase64(text)) << text;
  }
}

TEST(LogQueries, ValuesAreQuotedAndNeverTakenForPlaceholders) {
  const std::string sql = ListedLogfileExpression("it's/{after}", "{directory}'%", "{pattern}'");
  EXPECT_THAT(sql, HasSubstr("'it''s/{after}/'"));
  EXPECT_THAT(sql, HasSubstr("LIKE '{directory}''%'"));
  EXPECT_THAT(sql, HasSubstr("c.name = '{pattern}'''"));
}

TEST(LogQueries, ReadNamesTheBoundsAndTellsTheNameFirst) {
  const std::string sql = ReadQuery("NULL", "log/it's.log", 1000, 64);
  EXPECT_THAT(sql, HasSubstr("pg_read_binary_file('log/it''s.log', 1000, 64)"));
  EXPECT_THAT(sql, HasSubstr("FROM (SELECT NULL AS located OFFSET 0)"));
}

}  // namespace
}  // namespace ckpt::tail
