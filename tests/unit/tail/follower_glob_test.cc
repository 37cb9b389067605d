// SPDX-License-Identifier: Apache-2.0
#include "unit/tail/follower_fixture.h"

namespace ckpt::tail {
namespace {

using ::testing::ElementsAre;
using Outcome = LogSource::Outcome;

using FollowerGlob = FollowerTest;

TEST_F(FollowerGlob, BeginsWithTheNewestAndFollowsANewName) {
  const std::string monday = directory_.Path("pg-2026-11-30.log");
  const std::string tuesday = directory_.Path("pg-2026-12-01.log");
  Append(directory_.Path("pg-2026-11-29.log"), "sunday\n");
  Append(monday, "monday\n");
  SetAge(directory_.Path("pg-2026-11-29.log"), 90'000);
  SetAge(monday, 100);
  Follow(directory_.Path("pg-*.log"), {.read_last = 100});
  EXPECT_THAT(Lines(), ElementsAre("monday"));
  Append(monday, "last\n");
  SetAge(monday, 50);
  Append(tuesday, "first\n");
  EXPECT_THAT(Lines(), ElementsAre("last", "first"));
  EXPECT_EQ(follower_->Counters().name, tuesday);
  EXPECT_EQ(follower_->Counters().rotations, 1U);
}

TEST_F(FollowerGlob, SameTimeIsOrderedByName) {
  Append(directory_.Path("a.log"), "a\n");
  Append(directory_.Path("b.log"), "b\n");
  std::filesystem::last_write_time(directory_.Path("a.log"),
                                   std::filesystem::last_write_time(directory_.Path("b.log")));
  Follow(directory_.Path("*.log"), {.read_last = 100});
  EXPECT_THAT(Lines(), ElementsAre("b"));
}

TEST_F(FollowerGlob, ReadsEveryFileThatAppearedBetweenTwoSteps) {
  Append(directory_.Path("pg-1.log"), "one\n");
  SetAge(directory_.Path("pg-1.log"), 100);
  Follow(directory_.Path("pg-*.log"));
  Step();
  // Out of the order of their names, as with log_filename = 'postgresql-%a.log'.
  const std::vector<std::string> names = {"pg-9.log", "pg-3.log", "pg-5.log"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    Append(directory_.Path(names[i]), names[i] + "\n");
    SetAge(directory_.Path(names[i]), 50 - static_cast<int>(i));
  }
  EXPECT_THAT(Lines(), ElementsAre("pg-9.log", "pg-3.log", "pg-5.log"));
  EXPECT_EQ(follower_->Counters().rotations, 3U);
}

TEST_F(FollowerGlob, AnEmptyNewFileDoesNotTakeOverNorBlock) {
  Append(directory_.Path("pg-1.log"), "one\n");
  SetAge(directory_.Path("pg-1.log"), 100);
  Follow(directory_.Path("pg-*.log"));
  Step();
  Append(directory_.Path("pg-2.log"), "");
  SetAge(directory_.Path("pg-2.log"), 50);
  Append(directory_.Path("pg-1.log"), "more\n");
  SetAge(directory_.Path("pg-1.log"), 60);
  EXPECT_THAT(Lines(), ElementsAre("more"));
  EXPECT_EQ(follower_->Counters().rotations, 0U);
  Append(directory_.Path("pg-3.log"), "three\n");
  EXPECT_THAT(Lines(), ElementsAre("three"));
}

TEST_F(FollowerGlob, AppendedToALogOfLastWeekOnlyTheNewPartIsRead) {
  const std::string monday = directory_.Path("postgresql-Mon.log");
  const std::string sunday = directory_.Path("postgresql-Sun.log");
  Append(monday, "last week\n");
  Append(sunday, "sunday\n");
  SetAge(monday, 600'000);
  SetAge(sunday, 10);
  Follow(directory_.Path("postgresql-*.log"));
  Step();
  Append(monday, "this week\n");
  EXPECT_THAT(Lines(), ElementsAre("this week"));
  // And when sunday's turn comes again, from where it was left.
  Append(sunday, "next sunday\n");
  SetAge(monday, 5);
  EXPECT_THAT(Lines(), ElementsAre("next sunday"));
}

TEST_F(FollowerGlob, LogOfLastWeekTruncatedAtRotationIsReadWhole) {
  const std::string monday = directory_.Path("postgresql-Mon.log");
  const std::string sunday = directory_.Path("postgresql-Sun.log");
  Append(monday, "last week, a long day\n");
  Append(sunday, "sunday\n");
  SetAge(monday, 600'000);
  SetAge(sunday, 10);
  Follow(directory_.Path("postgresql-*.log"));
  Step();
  std::filesystem::resize_file(monday, 0);
  Append(monday, "this week\n");
  EXPECT_THAT(Lines(), ElementsAre("this week"));
}

TEST_F(FollowerGlob, NothingMatchesYet) {
  Follow(directory_.Path("pg-*.log"));
  EXPECT_EQ(Step().outcome, Outcome::kMissing);
  Append(directory_.Path("pg-1.log"), "one\n");
  EXPECT_THAT(Lines(), ElementsAre("one"));
}

TEST_F(FollowerGlob, DirectoriesAmongTheMatchesDoNotMatter) {
  std::filesystem::create_directory(directory_.Path("pg-0.log"));
  Append(directory_.Path("pg-1.log"), "one\n");
  Follow(directory_.Path("pg-*.log"), {.read_last = 100});
  EXPECT_THAT(Lines(), ElementsAre("one"));
  EXPECT_EQ(follower_->Counters().ErrorsOf(LogErrorKind::kNotRegular), 0U);
}

}  // namespace
}  // namespace ckpt::tail
