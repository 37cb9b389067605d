// SPDX-License-Identifier: Apache-2.0
#include "unit/tail/follower_fixture.h"

namespace ckpt::tail {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Outcome = LogSource::Outcome;

using FollowerTruncation = FollowerTest;
using FollowerFailure = FollowerTest;

TEST_F(FollowerTruncation, InPlaceRestartsAtTheFirstByte) {
  Append(log_, "a long first line\n");
  Follow(log_);
  Step();
  std::filesystem::resize_file(log_, 0);
  Append(log_, "short\n");
  EXPECT_THAT(Lines(), ElementsAre("short"));
  EXPECT_EQ(follower_->Counters().truncations, 1U);
  EXPECT_EQ(follower_->Counters().rotations, 0U);
}

TEST_F(FollowerTruncation, DropsTheHalfLine) {
  Append(log_, "");
  Follow(log_);
  Step();
  Append(log_, "a half line of some length");
  EXPECT_THAT(Lines(), IsEmpty());
  std::filesystem::resize_file(log_, 0);
  Append(log_, "whole\n");
  EXPECT_THAT(Lines(), ElementsAre("whole"));
}

TEST_F(FollowerTruncation, CopytruncateIsNoticedThoughTheFileGrewLongerThanBefore) {
  Append(log_, "2026-11-30 21:00:00 UTC LOG:  one\n");
  Follow(log_);
  Step();
  std::filesystem::copy_file(log_, log_ + ".1");
  std::filesystem::resize_file(log_, 0);
  Append(log_, "2026-11-30 21:00:01 UTC LOG:  two\n2026-11-30 21:00:02 UTC LOG:  three\n");
  EXPECT_THAT(Lines(), ElementsAre("2026-11-30 21:00:01 UTC LOG:  two",
                                   "2026-11-30 21:00:02 UTC LOG:  three"));
  EXPECT_EQ(follower_->Counters().truncations, 1U);
}

TEST_F(FollowerTruncation, SameLengthIsNoticedWithTheNextBytes) {
  Append(log_, "one\n");
  Follow(log_);
  Step();
  std::filesystem::resize_file(log_, 0);
  Append(log_, "two\n");
  Step();
  Append(log_, "three\n");
  std::vector<std::string> lines = Lines();
  EXPECT_THAT(lines, ElementsAre("two", "three"));
}

TEST_F(FollowerTruncation, GrowthAloneIsNoTruncation) {
  Append(log_, "");
  Follow(log_);
  Step();
  // Around the length of the marker, in one write and in many.
  for (int i = 0; i < 100; ++i) {
    Append(log_, std::string(static_cast<std::size_t>(i * 7), 'x') + "\n");
    ASSERT_EQ(Lines().size(), 1U);
  }
  EXPECT_EQ(follower_->Counters().truncations, 0U);
}

TEST_F(FollowerTruncation, HoleLeftByAWriterThatKeptItsOffsetIsSkipped) {
  // As `postgres >log` does, without O_APPEND.
  const int writer = ::open(log_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  ASSERT_GE(writer, 0);
  ASSERT_EQ(::ftruncate(writer, off_t{1} << 30), 0);
  ASSERT_EQ(::lseek(writer, 0, SEEK_END), off_t{1} << 30);
  ASSERT_EQ(::write(writer, "one\n", 4), 4);
  Follow(log_);
  Step();
  ASSERT_EQ(::ftruncate(writer, 0), 0);
  ASSERT_EQ(::write(writer, "two\n", 4), 4);  // at one gibibyte still
  ::close(writer);
  std::vector<std::string> lines = Lines();
  EXPECT_THAT(lines, ElementsAre("two"));
  EXPECT_EQ(follower_->Counters().truncations, 1U);
  Append(log_, "three\n");
  EXPECT_THAT(Lines(), ElementsAre("three"));
}

TEST_F(FollowerTruncation, InodeReuseIsNotTakenForTheOldFile) {
  Append(log_, "the old file\n");
  Follow(log_, {.grace = std::chrono::seconds(0)});
  Step();
  std::filesystem::remove(log_);
  Step();
  ASSERT_EQ(follower_->Counters().name, "") << "the old file must be closed to free its inode";
  // Whether or not the file system gives the same inode again, and though it is longer.
  Append(log_, "something else of greater length\n");
  EXPECT_THAT(Lines(), ElementsAre("something else of greater length"));
}

TEST_F(FollowerFailure, RefusesWhatIsNoRegularFile) {
  ASSERT_EQ(::mkfifo(directory_.Path("pipe").c_str(), 0644), 0);
  struct Case {
    std::string path;
    const char* what;
  };
  const std::vector<Case> cases = {
      {directory_.path(), "a directory"},
      {directory_.Path("pipe"), "a pipe"},
      {"/dev/null", "a device"},
  };
  for (const Case& test : cases) {
    SCOPED_TRACE(test.path);
    Follow(test.path);
    const LogSource::StepResult result = Step();
    EXPECT_EQ(result.outcome, Outcome::kFailed);
    ASSERT_TRUE(result.problem);
    EXPECT_EQ(result.problem->kind, LogErrorKind::kNotRegular);
    EXPECT_THAT(result.problem->message, HasSubstr(test.path));
    EXPECT_THAT(result.problem->message, HasSubstr(test.what));
    EXPECT_THAT(result.problem->message, HasSubstr("regular file"));
    EXPECT_FALSE(Step().problem);
    EXPECT_EQ(follower_->Counters().opens, 0U);
  }
}

TEST_F(FollowerFailure, FileBarredAtTheStartIsToldOnceAndRetried) {
  Append(log_, "history\n");
  std::filesystem::permissions(log_, std::filesystem::perms::none);
  Follow(log_);
  {
    const WithoutPrivilege nobody;
    const LogSource::StepResult result = Step();
    EXPECT_EQ(result.outcome, Outcome::kFailed);
    ASSERT_TRUE(result.problem);
    EXPECT_EQ(result.problem->kind, LogErrorKind::kPermission);
    EXPECT_THAT(result.problem->message, HasSubstr(log_));
    EXPECT_THAT(result.problem->message, HasSubstr("log_file_mode"));
    EXPECT_FALSE(Step().problem);
  }
  EXPECT_EQ(follower_->Counters().ErrorsOf(LogErrorKind::kPermission), 2U);
  std::filesystem::permissions(log_, std::filesystem::perms(0644));
  const WithoutPrivilege nobody;
  EXPECT_TRUE(Step().recovered);
  EXPECT_THAT(sink_.Drain(), IsEmpty()) << "it was there before: no history";
}

TEST_F(FollowerFailure, NewFileBarredOldFileReadOnNothingLost) {
  Append(log_, "");
  Follow(log_);
  Step();
  std::filesystem::rename(log_, log_ + ".1");
  Append(log_, "new\n");
  std::filesystem::permissions(log_, std::filesystem::perms::none);
  Append(log_ + ".1", "old\n");
  {
    const WithoutPrivilege nobody;
    const LogSource::StepResult result = Step();
    EXPECT_THAT(sink_.Drain(), ElementsAre("old"));
    ASSERT_TRUE(result.problem);
    EXPECT_EQ(result.problem->kind, LogErrorKind::kPermission);
    EXPECT_EQ(Step().outcome, Outcome::kFailed);
  }
  Append(log_ + ".1", "older\n");
  std::filesystem::permissions(log_, std::filesystem::perms(0644));
  const WithoutPrivilege nobody;
  EXPECT_TRUE(Step().recovered);
  EXPECT_THAT(sink_.Drain(), ElementsAre("older", "new"));
}

TEST_F(FollowerFailure, BarredDirectoryIsNamedAndTheOpenFileReadOn) {
  const std::string data = directory_.Path("data");
  std::filesystem::create_directories(data + "/log");
  const std::string path = data + "/log/postgresql.log";
  Append(path, "");
  Follow(path);
  Step();
  Append(path, "one\n");
  std::filesystem::permissions(data, std::filesystem::perms(0700));
  if (::geteuid() != 0) std::filesystem::permissions(data, std::filesystem::perms::none);
  {
    const WithoutPrivilege nobody;
    const LogSource::StepResult result = Step();
    EXPECT_THAT(sink_.Drain(), ElementsAre("one"));
    ASSERT_TRUE(result.problem);
    EXPECT_EQ(result.problem->kind, LogErrorKind::kPermission);
    EXPECT_THAT(result.problem->message, HasSubstr("may not enter the directory " + data + ";"));
  }
  std::filesystem::permissions(data, std::filesystem::perms(0755));
  const WithoutPrivilege nobody;
  EXPECT_TRUE(Step().recovered);
}

TEST_F(FollowerFailure, BarredDirectoryOfAGlobIsNotTakenForEmpty) {
  const std::string logs = directory_.Path("logs");
  std::filesystem::create_directory(logs);
  Append(logs + "/a.log", "history\n");
  Append(logs + "/older.log", "more history\n");
  SetAge(logs + "/older.log", 1000);
  std::filesystem::permissions(logs, std::filesystem::perms::none);
  Follow(logs + "/*.log");
  {
    const WithoutPrivilege nobody;
    const LogSource::StepResult result = Step();
    EXPECT_EQ(result.outcome, Outcome::kFailed);
    ASSERT_TRUE(result.problem);
    EXPECT_EQ(result.problem->kind, LogErrorKind::kPermission);
    EXPECT_THAT(result.problem->message, HasSubstr("may not list the directory " + logs));
  }
  std::filesystem::permissions(logs, std::filesystem::perms(0755));
  EXPECT_THAT(Lines(), IsEmpty());
  Append(logs + "/a.log", "news\n");
  EXPECT_THAT(Lines(), ElementsAre("news"));
  SetAge(logs + "/a.log", 10);
  Append(logs + "/older.log", "more news\n");
  EXPECT_THAT(Lines(), ElementsAre("more news"));
}

int g_fail_with = 0;
int g_interruptions = 0;

ssize_t FailingRead(int fd, void* buffer, std::size_t size, off_t offset) {
  if (g_interruptions > 0) {
    --g_interruptions;
    errno = EINTR;
    return -1;
  }
  if (g_fail_with != 0) {
    errno = g_fail_with;
    return -1;
  }
  return ::pread(fd, buffer, size, offset);
}

TEST_F(FollowerFailure, ReadErrorIsToldOnceAndRetried) {
  Append(log_, "old\n");
  Follow(log_, {.read_at = FailingRead});
  Step();
  Append(log_, "new\n");
  g_fail_with = EIO;
  LogSource::StepResult result = Step();
  EXPECT_EQ(result.outcome, Outcome::kFailed);
  ASSERT_TRUE(result.problem);
  EXPECT_EQ(result.problem->kind, LogErrorKind::kIo);
  EXPECT_FALSE(Step().problem);
  g_fail_with = 0;
  result = Step();
  EXPECT_TRUE(result.recovered);
  EXPECT_THAT(sink_.Drain(), ElementsAre("new"));
  EXPECT_EQ(follower_->Counters().ErrorsOf(LogErrorKind::kIo), 2U);
  EXPECT_EQ(follower_->Counters().truncations, 0U);
}

TEST_F(FollowerFailure, InterruptedReadGoesOn) {
  Append(log_, "");
  Follow(log_, {.read_at = FailingRead});
  Step();
  Append(log_, "new\n");
  g_interruptions = 3;
  EXPECT_THAT(Lines(), ElementsAre("new"));
  EXPECT_EQ(g_interruptions, 0);
}

TEST_F(FollowerFailure, StaleFileIsOpenedAgainWhereItWas) {
  Append(log_, "old\n");
  Follow(log_, {.read_at = FailingRead});
  Step();
  Append(log_, "new\n");
  g_fail_with = ESTALE;
  const LogSource::StepResult result = Step();
  EXPECT_EQ(result.outcome, Outcome::kFailed);
  ASSERT_TRUE(result.problem);
  EXPECT_EQ(result.problem->kind, LogErrorKind::kStale);
  EXPECT_EQ(follower_->Counters().name, "") << "a stale descriptor is of no use";
  g_fail_with = 0;
  EXPECT_THAT(Lines(), ElementsAre("new"));
  EXPECT_EQ(follower_->Counters().rotations, 0U);
}

}  // namespace
}  // namespace ckpt::tail
