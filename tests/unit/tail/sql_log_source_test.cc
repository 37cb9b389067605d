// SPDX-License-Identifier: Apache-2.0
#include "tail/sql_log_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tail/sql_log_queries.h"
#include "unit/tail/follower_fixture.h"

namespace ckpt::tail {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Outcome = LogSource::Outcome;

// As PostgreSQL writes it: lines of 76 characters.
std::string EncodeBase64(std::string_view bytes) {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  std::size_t column = 0;
  for (std::size_t i = 0; i < bytes.size(); i += 3, column += 4) {
    if (column == 76) {
      text += '\n';
      column = 0;
    }
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      group = group << 8U | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      text += i + j > bytes.size() ? '=' : kAlphabet[group >> (18U - 6U * j) & 63U];
    }
  }
  return text;
}

// A server with logs, which understands the statements of sql_log_queries.h by their shape.
struct FakeServer {
  RowSet access{
      {},
      {{"t", "t", "t", "exporter", "postgres", "log", "postgresql-%d.log", "on", "stderr,csvlog"}}};
  std::map<std::string, std::string> files;
  std::optional<std::string> current;  // what pg_current_logfile() says
  std::optional<std::string> listed;   // what the list says comes next
  std::optional<Error> error;          // every statement fails so
  std::optional<std::string> garbage;  // in place of the bytes
  std::vector<std::string> statements;

  Result<RowSet> Run(const std::string& sql) {
    statements.push_back(sql);
    if (error) return *error;
    if (sql == AccessQuery()) return access;
    if (sql.find(" AS path, size") != std::string::npos) {
      RowSet rows;
      for (const auto& [path, text] : files) {
        rows.rows.push_back({path, std::to_string(text.size())});
      }
      return rows;
    }
    std::optional<std::string> located;
    if (sql.find("pg_current_logfile") != std::string::npos) located = current;
    if (sql.find("pg_ls_logdir") != std::string::npos) located = listed;
    const std::regex file_pattern(R"(pg_read_binary_file\('([^']*)', )");
    const std::regex range_pattern(R"(', (\d+), (\d+)\), 'base64')");
    const std::regex last_pattern(R"(greatest\(low - (\d+)::bigint)");
    std::smatch name;
    if (!std::regex_search(sql, name, file_pattern)) return RowSet{{}, {{located}}};
    const auto file = files.find(name[1]);
    if (file == files.end()) {
      return Error{ErrorCode::kInternal, "could not open file \"" + name[1].str() + "\""};
    }
    const std::string& text = file->second;
    std::smatch match;
    if (std::regex_search(sql, match, last_pattern)) {
      const std::size_t start = text.size() - std::min(text.size(), std::stoul(match[1]));
      const std::size_t before = std::min(start, LogPosition::kMarkerBytes);
      return RowSet{{},
                    {{std::to_string(text.size()), std::to_string(start),
                      EncodeBase64(text.substr(start - before, before))}}};
    }
    EXPECT_TRUE(std::regex_search(sql, match, range_pattern)) << sql;
    const std::size_t offset = std::min(text.size(), std::stoul(match[1]));
    const std::string bytes = text.substr(offset, std::stoul(match[2]));
    return RowSet{{}, {{located, garbage ? *garbage : EncodeBase64(bytes)}}};
  }
};

class SqlLogSourceTest : public ::testing::Test {
 protected:
  SqlLogSourceTest() {
    server_.files["log/1.csv"] = "old\n";
    server_.current = "log/1.csv";
    Make({});
  }
  void Make(SqlLogSourceOptions options) {
    source_ = std::make_unique<SqlLogSource>(
        [this](const std::string& sql) { return server_.Run(sql); }, clock_, std::move(options));
  }
  LogSource::StepResult Step() {
    clock_.Advance(1);
    server_.statements.clear();
    return source_->Step([this](const LogSource::Chunk& chunk) { sink_.Take(chunk); });
  }
  // Steps while there is more.
  std::vector<std::string> Lines() {
    for (int i = 0; i < 100 && Step().outcome == Outcome::kMore; ++i) {
    }
    return sink_.Drain();
  }

  testing::ManualClock clock_;
  FakeServer server_;
  LineSink sink_;
  std::unique_ptr<SqlLogSource> source_;
};

TEST_F(SqlLogSourceTest, BeginsAtTheEndAndTakesOneStatementAStep) {
  EXPECT_THAT(Lines(), IsEmpty());
  server_.files["log/1.csv"] += "new\n";
  const LogSource::StepResult result = Step();
  EXPECT_EQ(result.outcome, Outcome::kRead);
  EXPECT_EQ(result.bytes, 4U);
  EXPECT_THAT(sink_.Drain(), ElementsAre("new"));
  EXPECT_EQ(server_.statements.size(), 1U);
  EXPECT_EQ(Step().outcome, Outcome::kIdle);
  EXPECT_EQ(source_->Counters().name, "log/1.csv");
  EXPECT_EQ(source_->Counters().offset, 8U);
  EXPECT_EQ(source_->Counters().opens, 1U);
}

TEST_F(SqlLogSourceTest, ReadsTheLastBytesFromAWholeLineOn) {
  server_.files["log/1.csv"] = "one\ntwo\nthree\n";
  Make({.read_last = 8});
  EXPECT_THAT(Lines(), ElementsAre("three"));
  Make({.read_last = 10});
  EXPECT_THAT(Lines(), ElementsAre("two", "three"));
  Make({.read_last = 1000});
  EXPECT_THAT(Lines(), ElementsAre("one", "two", "three"));
}

TEST_F(SqlLogSourceTest, ChoosesTheBestFormatThatIsWritten) {
  Step();
  Step();
  EXPECT_THAT(server_.statements[0], HasSubstr("pg_current_logfile('csvlog')"));
  server_.access.rows[0][8] = "stderr, \"jsonlog\"";
  Make({});
  Step();
  Step();
  EXPECT_THAT(server_.statements[0], HasSubstr("pg_current_logfile('jsonlog')"));
}

TEST_F(SqlLogSourceTest, OneStepReadsABoundedAmount) {
  Make({.bytes_per_step = 1000});
  Lines();
  server_.files["log/1.csv"] += std::string(2499, 'x') + "\n";
  LogSource::StepResult result = Step();
  EXPECT_EQ(result.outcome, Outcome::kMore);
  EXPECT_EQ(result.bytes, 1000U);
  EXPECT_EQ(Step().outcome, Outcome::kMore);
  result = Step();
  EXPECT_EQ(result.outcome, Outcome::kRead);
  EXPECT_EQ(result.bytes, 500U);
  EXPECT_EQ(sink_.Drain().at(0).size(), 2499U);
}

TEST_F(SqlLogSourceTest, FinishesTheOldFileBeforeTheNewName) {
  Lines();
  server_.files["log/1.csv"] += "last\n";
  server_.files["log/2.csv"] = "first\n";
  server_.current = "log/2.csv";
  EXPECT_THAT(Lines(), ElementsAre("last", "first"));
  EXPECT_EQ(source_->Counters().rotations, 1U);
  EXPECT_EQ(source_->Counters().name, "log/2.csv");
}

TEST_F(SqlLogSourceTest, TakesTheFilesBetweenWhereItMayList) {
  Lines();
  server_.files["log/2.csv"] = "second\n";
  server_.files["log/3.csv"] = "third\n";
  server_.current = "log/3.csv";
  server_.listed = "log/2.csv";
  Step();
  EXPECT_EQ(source_->Counters().name, "log/2.csv");
  server_.listed = std::nullopt;
  EXPECT_THAT(Lines(), ElementsAre("second", "third"));
}

TEST_F(SqlLogSourceTest, ListsWhereItMayNotAskForTheCurrentFile) {
  server_.access.rows[0][1] = "f";
  server_.listed = "log/1.csv";
  Lines();
  server_.listed = std::nullopt;
  server_.files["log/1.csv"] += "more\n";
  Step();
  EXPECT_THAT(sink_.Drain(), ElementsAre("more"));
  EXPECT_THAT(server_.statements[0],
              AllOf(HasSubstr("pg_ls_logdir"), HasSubstr("LIKE 'postgresql-%.csv'"),
                    HasSubstr("c.name = '1.csv'"), Not(HasSubstr("pg_current_logfile"))));
  server_.files["log/2.csv"] = "second\n";
  server_.listed = "log/2.csv";
  Step();
  server_.listed = std::nullopt;
  EXPECT_THAT(Lines(), ElementsAre("second"));
  EXPECT_FALSE(source_->Counters().missing);
}

TEST_F(SqlLogSourceTest, LogOfLastWeekThatIsAppendedToIsNotReplayed) {
  server_.files["log/mon.csv"] = "last week\n";
  Lines();
  server_.files["log/mon.csv"] += "this week\n";
  server_.current = "log/mon.csv";
  EXPECT_THAT(Lines(), ElementsAre("this week"));
  server_.files["log/1.csv"] += "again\n";
  server_.current = "log/1.csv";
  EXPECT_THAT(Lines(), ElementsAre("again")) << "and from where it was left";
}

TEST_F(SqlLogSourceTest, LogOfLastWeekTruncatedAtRotationIsReadWhole) {
  server_.files["log/mon.csv"] = "last week, a long day\n";
  Lines();
  server_.files["log/mon.csv"] = "this week\n";
  server_.current = "log/mon.csv";
  EXPECT_THAT(Lines(), ElementsAre("this week"));
}

TEST_F(SqlLogSourceTest, TruncationIsNoticedAndDropsTheHalfLine) {
  Lines();
  server_.files["log/1.csv"] += "half a li";
  EXPECT_THAT(Lines(), IsEmpty());
  server_.files["log/1.csv"] = "short\n";
  EXPECT_THAT(Lines(), ElementsAre("short"));
  server_.files["log/1.csv"] = "longer than it was before\n";
  EXPECT_THAT(Lines(), ElementsAre("longer than it was before"));
  EXPECT_EQ(source_->Counters().truncations, 2U);
}

TEST_F(SqlLogSourceTest, LogThatAppearsLaterIsReadWhole) {
  server_.current = std::nullopt;
  const LogSource::StepResult result = Step();
  EXPECT_EQ(result.outcome, Outcome::kMissing);
  ASSERT_TRUE(result.problem);
  EXPECT_EQ(result.problem->kind, LogErrorKind::kMissing);
  EXPECT_FALSE(Step().problem);
  EXPECT_TRUE(source_->Counters().missing);
  server_.current = "log/1.csv";
  EXPECT_THAT(Lines(), ElementsAre("old"));
  EXPECT_FALSE(source_->Counters().missing);
}

TEST_F(SqlLogSourceTest, DeletedFileIsLeftForTheNext) {
  Lines();
  server_.files.erase("log/1.csv");
  server_.files["log/2.csv"] = "first\n";
  server_.current = "log/2.csv";
  const LogSource::StepResult result = Step();
  EXPECT_EQ(result.outcome, Outcome::kFailed);
  ASSERT_TRUE(result.problem);
  EXPECT_EQ(result.problem->kind, LogErrorKind::kQuery);
  EXPECT_TRUE(Step().recovered);
  EXPECT_THAT(sink_.Drain(), ElementsAre("first"));
}

TEST_F(SqlLogSourceTest, MissingGrantsAreToldOnceWithoutATry) {
  struct Case {
    const char* may_read;
    const char* may_current;
    const char* may_list;
    std::vector<std::string> grants;
  };
  const std::string read =
      "GRANT EXECUTE ON FUNCTION pg_catalog.pg_read_binary_file(text, bigint, bigint) TO "
      "\"my-role\";";
  const std::string name = "pg_catalog.pg_current_logfile(text) TO \"my-role\";";
  const std::vector<Case> cases = {
      {"f", "t", "t", {read}},
      {"t", "f", "f", {name}},
      {"f", "f", "f", {read, name}},
  };
  for (const Case& test : cases) {
    SCOPED_TRACE(std::string(test.may_read) + test.may_current + test.may_list);
    server_.access.rows[0] = {
        test.may_read, test.may_current, test.may_list,     "\"my-role\"", "app",
        "log",         "pg.log",         std::string("on"), "stderr"};
    Make({});
    const LogSource::StepResult result = Step();
    EXPECT_EQ(result.outcome, Outcome::kFailed);
    EXPECT_THAT(server_.statements, ElementsAre(AccessQuery()));
    ASSERT_TRUE(result.problem);
    EXPECT_EQ(result.problem->kind, LogErrorKind::kPermission);
    EXPECT_THAT(result.problem->message, HasSubstr("in the database app:"));
    for (const std::string& grant : test.grants) {
      EXPECT_THAT(result.problem->message, HasSubstr(grant));
    }
    EXPECT_FALSE(Step().problem);
    EXPECT_THAT(server_.statements, IsEmpty()) << "asked again at once";
  }
}

TEST_F(SqlLogSourceTest, GrantGivenLaterIsNoticed) {
  server_.access.rows[0][0] = "f";
  Step();
  server_.access.rows[0][0] = "t";
  clock_.Advance(60);
  EXPECT_TRUE(Step().recovered);
  server_.files["log/1.csv"] += "new\n";
  EXPECT_THAT(Lines(), ElementsAre("new"));
}

TEST_F(SqlLogSourceTest, MayListButNotSeeTheNamesUnlessTheCallerKnows) {
  server_.access.rows[0] = {"t",          "f",          "t",  "exporter", "app",
                            std::nullopt, std::nullopt, "on", "stderr"};
  server_.listed = "log/1.csv";
  Make({});
  EXPECT_TRUE(Step().problem);
  Make({.log_directory = "log", .log_filename = "postgresql-%d.log"});
  EXPECT_FALSE(Step().problem);
}

TEST_F(SqlLogSourceTest, ServerThatKeepsNoLogFiles) {
  server_.access.rows[0][7] = "off";
  LogSource::StepResult result = Step();
  ASSERT_TRUE(result.problem);
  EXPECT_EQ(result.problem->kind, LogErrorKind::kConfig);
  EXPECT_THAT(result.problem->message, HasSubstr("logging_collector = on"));

  server_.access.rows[0][7] = "on";
  server_.access.rows[0][8] = "syslog";
  Make({});
  result = Step();
  ASSERT_TRUE(result.problem);
  EXPECT_THAT(result.problem->message, HasSubstr("log_destination = 'syslog'"));
}

TEST_F(SqlLogSourceTest, BrokenConnectionIsToldOnceAndNothingIsLost) {
  Lines();
  server_.error = Error{ErrorCode::kConnection, "server closed the connection"};
  LogSource::StepResult result = Step();
  EXPECT_EQ(result.outcome, Outcome::kFailed);
  ASSERT_TRUE(result.problem);
  EXPECT_EQ(server_.statements.size(), 1U) << "no second try on a broken connection";
  EXPECT_FALSE(Step().problem);
  server_.files["log/1.csv"] += "meanwhile\n";
  server_.error.reset();
  EXPECT_TRUE(Step().recovered);
  EXPECT_THAT(sink_.Drain(), ElementsAre("meanwhile"));
  EXPECT_EQ(source_->Counters().ErrorsOf(LogErrorKind::kQuery), 2U);
}

TEST_F(SqlLogSourceTest, AnswersThatPostgresqlWouldNotGiveAreRefused) {
  Lines();
  const std::vector<std::string> answers = {"\\x6162", "YQ",
                                            EncodeBase64(std::string(1 << 20, 'x'))};
  for (const std::string& answer : answers) {
    SCOPED_TRACE(answer.substr(0, 20));
    server_.garbage = answer;
    const LogSource::StepResult result = Step();
    EXPECT_EQ(result.outcome, Outcome::kFailed);
    EXPECT_EQ(result.bytes, 0U);
  }
  EXPECT_EQ(source_->Counters().ErrorsOf(LogErrorKind::kQuery), answers.size());
  server_.garbage.reset();
  server_.files["log/1.csv"] += "new\n";
  EXPECT_THAT(Lines(), ElementsAre("new"));

  server_.current = std::string(5000, 'x');
  EXPECT_EQ(Step().outcome, Outcome::kFailed);
  server_.access.rows.clear();
  Make({});
  EXPECT_EQ(Step().outcome, Outcome::kFailed);
}

}  // namespace
}  // namespace ckpt::tail
