// SPDX-License-Identifier: Apache-2.0
#include "pg/server_report.h"

#include <gtest/gtest.h>

#include <array>

namespace ckpt::pg {
namespace {

TEST(ServerReport, TakesVerboseTextApart) {
  struct Case {
    const char* name;
    const char* text;
    const char* severity;
    const char* sqlstate;
    const char* message;
  };
  constexpr std::array<Case, 8> kCases{{
      {"statement",
       "ERROR:  42P01: relation \"x\" does not exist\nLINE 1: SELECT secret FROM x\n"
       "                           ^\nLOCATION:  parserOpenTable, parse_relation.c:1384\n",
       "ERROR", "42P01", "relation \"x\" does not exist"},
      {"detail and hint",
       "ERROR:  42883: function f() does not exist\nLINE 1: SELECT f()\n               ^\n"
       "HINT:  No function matches.\nLOCATION:  ParseFuncOrColumn\n",
       "ERROR", "42883", "function f() does not exist HINT: No function matches."},
      {"login",
       "connection to server at \"127.0.0.1\", port 5 failed: FATAL:  28P01: password "
       "authentication failed for user \"u\"\nLOCATION:  auth_failed, auth.c:326\n",
       "FATAL", "28P01",
       "connection to server at \"127.0.0.1\", port 5 failed: password authentication failed for "
       "user \"u\""},
      {"translated severity", "FEHLER:  22012: Division durch Null\n", "FEHLER", "22012",
       "Division durch Null"},
      {"libpq's own", "server closed the connection unexpectedly\n\tThis probably means\n", "", "",
       "server closed the connection unexpectedly This probably means"},
      {"no state", "ERROR:  something odd: 12345: no", "", "", "ERROR: something odd: 12345: no"},
      {"bytes", "ERROR:  XX000: caf\xe9 \x01 end", "ERROR", "XX000", "caf? ? end"},
      {"empty", "", "", "", ""},
  }};
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    const ServerReport report = ParseServerReport(c.text, {});
    EXPECT_EQ(report.severity, c.severity);
    EXPECT_EQ(report.sqlstate, c.sqlstate);
    EXPECT_EQ(report.message, c.message);
  }
}

TEST(ServerReport, IsShortAndHoldsNoSecret) {
  const std::vector<Secret> secrets{Secret("hunter2hunter2")};
  const ServerReport report = ParseServerReport(
      "ERROR:  XX000: you said hunter2hunter2 " + std::string(5000, 'x'), secrets);
  EXPECT_EQ(report.message.size(), kMaxMessage);
  EXPECT_EQ(report.message.find("hunter2"), std::string::npos);
  EXPECT_TRUE(report.message.starts_with("you said <redacted> x"));
}

TEST(ServerReport, CodesOfSqlstates) {
  struct Case {
    const char* sqlstate;
    ErrorCode code;
    bool ends;
  };
  constexpr std::array<Case, 20> kCases{{
      {"28P01", ErrorCode::kAuth, false},
      {"28000", ErrorCode::kAuth, false},
      {"3D000", ErrorCode::kAuth, false},
      {"42501", ErrorCode::kPermission, false},
      {"25006", ErrorCode::kPermission, false},
      {"42P01", ErrorCode::kMissingRelation, false},
      {"42703", ErrorCode::kMissingRelation, false},
      {"42883", ErrorCode::kMissingRelation, false},
      {"0A000", ErrorCode::kMissingRelation, false},
      {"57014", ErrorCode::kTimeout, false},
      {"55P03", ErrorCode::kTimeout, false},
      {"40001", ErrorCode::kTimeout, false},
      {"53300", ErrorCode::kConnection, false},
      {"57P01", ErrorCode::kConnection, true},
      {"57P03", ErrorCode::kConnection, true},
      {"08006", ErrorCode::kConnection, true},
      {"08P01", ErrorCode::kProtocol, true},
      {"XX000", ErrorCode::kProtocol, false},
      {"42601", ErrorCode::kInternal, false},
      {"", ErrorCode::kInternal, false},
  }};
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.sqlstate);
    EXPECT_EQ(CodeOfSqlstate(c.sqlstate), c.code);
    EXPECT_EQ(EndsConnection(c.sqlstate), c.ends);
  }
}

TEST(ServerReport, ErrorsKeepTheSqlstate) {
  const Error error = StatementError({"ERROR", "0A000", "not supported"});
  EXPECT_EQ(error.code, ErrorCode::kMissingRelation);
  EXPECT_EQ(error.sqlstate, "0A000");
  EXPECT_EQ(error.message, "not supported (SQLSTATE 0A000)");
}

TEST(ServerReport, ConnectErrorsWithoutSqlstate) {
  struct Case {
    const char* text;
    ErrorCode code;
    const char* cure;
  };
  constexpr std::array<Case, 7> kCases{{
      {"expected authentication request from server, but received H", ErrorCode::kProtocol,
       "check host and port"},
      {"received invalid response to SSL negotiation: H", ErrorCode::kProtocol,
       "check host and port"},
      {"fe_sendauth: no password supplied", ErrorCode::kAuth, "passfile"},
      {"server does not support SSL, but SSL was required", ErrorCode::kConfig, "sslmode"},
      {"invalid sslmode value: \"x\"", ErrorCode::kConfig, ""},
      {"invalid connection option \"x\"", ErrorCode::kConfig, ""},
      {"could not connect: Connection refused", ErrorCode::kConnection, ""},
  }};
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.text);
    const Error error = ConnectError({"", "", c.text});
    EXPECT_EQ(error.code, c.code);
    EXPECT_NE(error.message.find(c.cure), std::string::npos);
  }
  // CONNECT on the database refused: about the login, not about a view.
  EXPECT_EQ(ConnectError({"FATAL", "42501", "permission denied for database"}).code,
            ErrorCode::kAuth);
}

}  // namespace
}  // namespace ckpt::pg
