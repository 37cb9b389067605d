// SPDX-License-Identifier: Apache-2.0
#include "tail/current_logfiles.h"

#include "unit/tail/follower_fixture.h"

namespace ckpt::tail {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Outcome = LogSource::Outcome;

TEST(ParseCurrentLogfiles, ReadsEveryLine) {
  const auto entries = ParseCurrentLogfiles(
      "stderr log/postgresql-2026-11-30_210000.log\n"
      "csvlog log/postgresql-2026-11-30_210000.csv\n"
      "jsonlog /var/log/a directory/postgresql.json\n");
  ASSERT_TRUE(entries);
  ASSERT_EQ(entries.value().size(), 3U);
  EXPECT_EQ(entries.value()[0].format, "stderr");
  EXPECT_EQ(entries.value()[0].path, "log/postgresql-2026-11-30_210000.log");
  EXPECT_EQ(entries.value()[2].format, "jsonlog");
  EXPECT_EQ(entries.value()[2].path, "/var/log/a directory/postgresql.json");
}

TEST(ParseCurrentLogfiles, AcceptsNoLineAndNoFinalNewline) {
  ASSERT_TRUE(ParseCurrentLogfiles(""));
  EXPECT_THAT(ParseCurrentLogfiles("").value(), IsEmpty());
  ASSERT_TRUE(ParseCurrentLogfiles("stderr x"));
  EXPECT_EQ(ParseCurrentLogfiles("stderr x").value().at(0).path, "x");
}

TEST(ParseCurrentLogfiles, RefusesOtherText) {
  using std::string_literals::operator""s;
  for (const std::string& text :
       {"stderr\n"s, "stderr \n"s, " log/x.log\n"s, "stderr a\nb\n"s, "stderr a\0b\n"s,
        "\x7f"
        "ELF\n"s}) {
    SCOPED_TRACE(text);
    const auto entries = ParseCurrentLogfiles(text);
    ASSERT_FALSE(entries);
    EXPECT_EQ(entries.error().code, ErrorCode::kParse);
    EXPECT_THAT(entries.error().message, HasSubstr("line "));
  }
}

class CurrentLogfilesTest : public FollowerTest {
 protected:
  CurrentLogfilesTest() { std::filesystem::create_directory(directory_.Path("log")); }

  void FollowFormats(std::vector<std::string> formats, FileFollowerOptions options = {}) {
    FollowWith(std::make_unique<CurrentLogfilesLocator>(directory_.path(), std::move(formats)),
               options);
  }
  // As the logging collector does: a temporary file, then a rename.
  void List(const std::string& text) {
    const std::string temporary = directory_.Path("current_logfiles.tmp");
    std::filesystem::remove(temporary);
    Append(temporary, text);
    std::filesystem::rename(temporary, directory_.Path("current_logfiles"));
  }
  std::string Log(const std::string& name) const { return directory_.Path("log/" + name); }
};

TEST_F(CurrentLogfilesTest, ChoosesTheFirstWantedFormat) {
  Append(Log("1.log"), "text\n");
  Append(Log("1.csv"), "csv\n");
  List("stderr log/1.log\ncsvlog log/1.csv\n");
  FollowFormats({"jsonlog", "csvlog", "stderr"}, {.read_last = 100});
  EXPECT_THAT(Lines(), ElementsAre("csv"));
  FollowFormats({"stderr"}, {.read_last = 100});
  EXPECT_THAT(Lines(), ElementsAre("text"));
}

TEST_F(CurrentLogfilesTest, AbsolutePathStandsForItself) {
  const TempDirectory elsewhere;
  Append(elsewhere.Path("pg.log"), "there\n");
  List("stderr " + elsewhere.Path("pg.log") + "\n");
  FollowFormats({"stderr"}, {.read_last = 100});
  EXPECT_THAT(Lines(), ElementsAre("there"));
}

TEST_F(CurrentLogfilesTest, FollowsARotationToANewName) {
  Append(Log("1.log"), "one\n");
  SetAge(Log("1.log"), 10);
  List("stderr log/1.log\n");
  FollowFormats({"stderr"});
  Step();
  Append(Log("1.log"), "last\n");
  SetAge(Log("1.log"), 5);
  Append(Log("2.log"), "first\n");
  Append(Log("2.csv"), "not text\n");
  List("stderr log/2.log\n");
  EXPECT_THAT(Lines(), ElementsAre("last", "first"));
  EXPECT_EQ(follower_->Counters().rotations, 1U);
}

TEST_F(CurrentLogfilesTest, ReadsTheFilesOfEveryRotationBetweenTwoSteps) {
  Append(Log("1.log"), "one\n");
  SetAge(Log("1.log"), 40);
  List("stderr log/1.log\n");
  FollowFormats({"stderr"});
  Step();
  for (int i = 2; i <= 4; ++i) {
    const std::string name = std::to_string(i) + ".log";
    Append(Log(name), name + "\n");
    SetAge(Log(name), 40 - i);
  }
  List("stderr log/4.log\n");
  EXPECT_THAT(Lines(), ElementsAre("2.log", "3.log", "4.log"));
}

TEST_F(CurrentLogfilesTest, LogOfLastWeekThatIsAppendedToIsNotReplayed) {
  Append(Log("Mon.log"), "last week\n");
  Append(Log("Sun.log"), "sunday\n");
  SetAge(Log("Mon.log"), 600'000);
  SetAge(Log("Sun.log"), 10);
  List("stderr log/Sun.log\n");
  FollowFormats({"stderr"});
  Step();
  Append(Log("Mon.log"), "this week\n");
  List("stderr log/Mon.log\n");
  EXPECT_THAT(Lines(), ElementsAre("this week"));
}

TEST_F(CurrentLogfilesTest, ServerThatHasNotStartedYet) {
  FollowFormats({"stderr"});
  LogSource::StepResult result = Step();
  EXPECT_EQ(result.outcome, Outcome::kMissing);
  ASSERT_TRUE(result.problem);
  EXPECT_THAT(result.problem->message, HasSubstr("logging_collector"));
  List("stderr log/1.log\n");
  EXPECT_EQ(Step().outcome, Outcome::kMissing) << "listed, but not there";
  Append(Log("1.log"), "first\n");
  EXPECT_THAT(Lines(), ElementsAre("first"));
}

TEST_F(CurrentLogfilesTest, FormatThatIsNotWrittenIsToldWithTheCure) {
  Append(Log("1.log"), "text\n");
  List("stderr log/1.log\n");
  FollowFormats({"jsonlog", "csvlog"});
  const LogSource::StepResult result = Step();
  EXPECT_EQ(result.outcome, Outcome::kFailed);
  ASSERT_TRUE(result.problem);
  EXPECT_EQ(result.problem->kind, LogErrorKind::kConfig);
  EXPECT_THAT(result.problem->message, HasSubstr("lists stderr but jsonlog, csvlog is wanted"));
  EXPECT_THAT(result.problem->message, HasSubstr("log_destination"));
}

TEST_F(CurrentLogfilesTest, ListThatIsNotPostgresqlsIsRefused) {
  List(std::string(1 << 20, 'x'));
  FollowFormats({"stderr"});
  LogSource::StepResult result = Step();
  ASSERT_TRUE(result.problem);
  EXPECT_EQ(result.problem->kind, LogErrorKind::kConfig);
  EXPECT_THAT(result.problem->message, HasSubstr("too long"));
  List("nonsense\n");
  result = Step();
  ASSERT_TRUE(result.problem) << "another problem is told anew";
  EXPECT_THAT(result.problem->message, HasSubstr("current_logfiles line 1"));
}

TEST_F(CurrentLogfilesTest, BarredDataDirectoryIsNamed) {
  const std::string data = directory_.Path("data");
  std::filesystem::create_directory(data);
  std::filesystem::permissions(data, std::filesystem::perms::none);
  FollowWith(std::make_unique<CurrentLogfilesLocator>(data, std::vector<std::string>{"stderr"}));
  {
    const WithoutPrivilege nobody;
    const LogSource::StepResult result = Step();
    ASSERT_TRUE(result.problem);
    EXPECT_EQ(result.problem->kind, LogErrorKind::kPermission);
    EXPECT_THAT(result.problem->message, HasSubstr("may not enter the directory " + data));
  }
  std::filesystem::permissions(data, std::filesystem::perms(0755));
}

}  // namespace
}  // namespace ckpt::tail
