// SPDX-License-Identifier: Apache-2.0
#include "unit/tail/follower_fixture.h"

namespace ckpt::tail {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Outcome = LogSource::Outcome;

using FollowerStart = FollowerTest;
using FollowerRotation = FollowerTest;

TEST_F(FollowerStart, BeginsAtTheEnd) {
  Append(log_, "old\n");
  Follow(log_);
  EXPECT_EQ(Step().outcome, Outcome::kIdle);
  Append(log_, "new\n");
  const LogSource::StepResult result = Step();
  EXPECT_EQ(result.outcome, Outcome::kRead);
  EXPECT_EQ(result.bytes, 4U);
  EXPECT_THAT(sink_.Drain(), ElementsAre("new"));
  EXPECT_EQ(follower_->Counters().bytes, 4U);
  EXPECT_EQ(follower_->Counters().opens, 1U);
  EXPECT_EQ(follower_->Counters().name, log_);
  EXPECT_EQ(follower_->Counters().offset, 8U);
}

TEST_F(FollowerStart, BeginsAtAWholeLine) {
  Append(log_, "half a li");
  Follow(log_);
  Step();
  Append(log_, "ne\nwhole\n");
  EXPECT_THAT(Lines(), ElementsAre("whole"));
}

TEST_F(FollowerStart, ReadsTheLastBytesFromAWholeLineOn) {
  struct Case {
    std::uint64_t read_last;
    std::vector<std::string> lines;
  };
  // The file ends in "three\n", 6 bytes, before it "two\n", 4 bytes.
  const std::vector<Case> cases = {
      {0, {}},
      {1, {}},
      {5, {}},
      {6, {"three"}},
      {7, {"three"}},
      {9, {"three"}},
      {10, {"two", "three"}},
      {14, {"one", "two", "three"}},
      {1 << 20, {"one", "two", "three"}},
  };
  Append(log_, "one\ntwo\nthree\n");
  for (const Case& test : cases) {
    SCOPED_TRACE(test.read_last);
    Follow(log_, {.read_last = test.read_last});
    EXPECT_EQ(Lines(), test.lines);
  }
}

TEST_F(FollowerStart, WaitsForALateDirectoryAndReadsTheFileWhole) {
  const std::string path = directory_.Path("late/pg/postgresql.log");
  Follow(path);
  LogSource::StepResult result = Step();
  EXPECT_EQ(result.outcome, Outcome::kMissing);
  ASSERT_TRUE(result.problem);
  EXPECT_EQ(result.problem->kind, LogErrorKind::kMissing);
  EXPECT_THAT(result.problem->message, HasSubstr(path));
  EXPECT_TRUE(follower_->Counters().missing);
  EXPECT_FALSE(Step().problem) << "told twice";
  EXPECT_EQ(follower_->Counters().ErrorsOf(LogErrorKind::kMissing), 2U);

  std::filesystem::create_directories(directory_.Path("late/pg"));
  EXPECT_EQ(Step().outcome, Outcome::kMissing);
  Append(path, "first\n");
  result = Step();
  EXPECT_TRUE(result.recovered);
  EXPECT_THAT(sink_.Drain(), ElementsAre("first"));
  EXPECT_FALSE(follower_->Counters().missing);
  EXPECT_EQ(follower_->Counters().rotations, 0U);
}

TEST_F(FollowerStart, LeavesHalfLinesToTheConsumer) {
  Append(log_, "");
  Follow(log_);
  Step();
  Append(log_, "be");
  EXPECT_THAT(Lines(), IsEmpty());
  Append(log_, "gin");
  EXPECT_THAT(Lines(), IsEmpty());
  Append(log_, "ning\nne");
  EXPECT_THAT(Lines(), ElementsAre("beginning"));
  Append(log_, "xt\n");
  EXPECT_THAT(Lines(), ElementsAre("next"));
  EXPECT_EQ(sink_.fresh, 1) << "only the first chunk continues nothing";
}

TEST_F(FollowerStart, OneStepReadsABoundedAmount) {
  Append(log_, "");
  Follow(log_, {.bytes_per_step = 100'000});
  Step();
  Append(log_, std::string(249'999, 'x') + "\n");
  LogSource::StepResult result = Step();
  EXPECT_EQ(result.outcome, Outcome::kMore);
  EXPECT_EQ(result.bytes, 100'000U);
  EXPECT_EQ(Step().outcome, Outcome::kMore);
  result = Step();
  EXPECT_EQ(result.outcome, Outcome::kRead);
  EXPECT_EQ(result.bytes, 50'000U);
  EXPECT_EQ(Step().outcome, Outcome::kIdle);
  ASSERT_EQ(sink_.lines.size(), 1U);
  EXPECT_EQ(sink_.lines[0].size(), 249'999U);
}

TEST_F(FollowerRotation, RenameAndCreate) {
  Append(log_, "zero\n");
  Follow(log_);
  Step();
  Append(log_, "one\n");
  std::filesystem::rename(log_, log_ + ".1");
  Append(log_ + ".1", "two\n");  // its writer has not been told yet
  EXPECT_THAT(Lines(), ElementsAre("one", "two"));
  Append(log_, "");  // logrotate's `create`
  Append(log_ + ".1", "three\n");
  EXPECT_THAT(Lines(), ElementsAre("three"));
  Append(log_ + ".1", "four\n");
  Append(log_, "five\n");
  EXPECT_THAT(Lines(), ElementsAre("four", "five"));
  EXPECT_EQ(follower_->Counters().rotations, 1U);
  EXPECT_EQ(follower_->Counters().opens, 2U);
  EXPECT_EQ(follower_->Counters().truncations, 0U);
}

TEST_F(FollowerRotation, HalfLineOfTheOldFileDoesNotJoinTheNew) {
  Append(log_, "");
  Follow(log_);
  Step();
  Append(log_, "cut sho");
  EXPECT_THAT(Lines(), IsEmpty());
  std::filesystem::rename(log_, log_ + ".1");
  Append(log_, "rt\nwhole\n");
  EXPECT_THAT(Lines(), ElementsAre("rt", "whole"));
  EXPECT_EQ(sink_.fresh, 2);
}

// Tells of the next file only after it was given more bytes of the current one.
class LateWriter final : public LogLocator {
 public:
  explicit LateWriter(std::string path) : path_(std::move(path)) {}
  Located Newest() override { return StatFile(path_); }
  Located After(const LogFile& current) override {
    if (current.path != path_) return {};
    std::ofstream(path_, std::ios::app) << "late\n";
    std::ofstream(path_ + ".next") << "next\n";
    return StatFile(path_ + ".next");
  }

 private:
  std::string path_;
};

TEST_F(FollowerRotation, BytesWrittenWhileTheNewFileWasFoundAreRead) {
  Append(log_, "");
  FollowWith(std::make_unique<LateWriter>(log_));
  EXPECT_THAT(Lines(), ElementsAre("late", "next"));
}

TEST_F(FollowerRotation, ReadsTheOldFileToItsEndAcrossSteps) {
  Append(log_, "");
  Follow(log_, {.bytes_per_step = 4});
  Step();
  Append(log_, "aaa\nbbb\nccc\n");
  std::filesystem::rename(log_, log_ + ".1");
  Append(log_, "ddd\n");
  std::vector<std::string> lines;
  for (int i = 0; i < 8; ++i) {
    for (std::string& line : Lines()) lines.push_back(line);
  }
  EXPECT_THAT(lines, ElementsAre("aaa", "bbb", "ccc", "ddd"));
}

TEST_F(FollowerRotation, RotatedSeveralTimesBetweenTwoStepsKeepsFirstAndLast) {
  Append(log_, "");
  Follow(log_);
  Step();
  Append(log_, "one\n");
  std::filesystem::rename(log_, log_ + ".2");
  Append(log_, "unseen\n");
  std::filesystem::rename(log_, log_ + ".1");
  Append(log_, "three\n");
  EXPECT_THAT(Lines(), ElementsAre("one", "three"));
}

TEST_F(FollowerRotation, DeletedAndCreatedAgain) {
  Append(log_, "old\n");
  Follow(log_);
  Step();
  std::filesystem::remove(log_);
  EXPECT_FALSE(Step().problem) << "a name may be missing for a moment";
  EXPECT_TRUE(follower_->Counters().missing);
  Append(log_, "new\n");
  EXPECT_THAT(Lines(), ElementsAre("new"));
  EXPECT_FALSE(follower_->Counters().missing);
}

TEST_F(FollowerRotation, DeletedFileIsHeldForAGraceTimeOnly) {
  Append(log_, "old\n");
  Follow(log_, {.grace = std::chrono::seconds(10)});
  Step();
  const int writer = ::open(log_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  ASSERT_GE(writer, 0);
  std::filesystem::remove(log_);
  Step();
  ASSERT_EQ(::write(writer, "late\n", 5), 5);
  ::close(writer);
  EXPECT_THAT(Lines(), ElementsAre("late"));
  EXPECT_EQ(follower_->Counters().name, log_);
  for (int i = 0; i < 9; ++i) Step();
  const LogSource::StepResult result = Step();
  EXPECT_EQ(result.outcome, Outcome::kMissing);
  EXPECT_EQ(follower_->Counters().name, "") << "the deleted file is still held";
  EXPECT_GT(follower_->Counters().ErrorsOf(LogErrorKind::kMissing), 0U);
  // Longer than the old one was, and perhaps under the same inode.
  Append(log_, "whole new file\n");
  EXPECT_THAT(Lines(), ElementsAre("whole new file"));
}

TEST_F(FollowerRotation, MissingNameIsToldOnceAfterTheGraceTime) {
  Append(log_, "old\n");
  Follow(log_, {.grace = std::chrono::seconds(5)});
  Step();
  std::filesystem::rename(log_, log_ + ".1");
  int told = 0;
  for (int i = 0; i < 20; ++i) told += Step().problem.has_value() ? 1 : 0;
  EXPECT_EQ(told, 1);
  Append(log_ + ".1", "still here\n");
  EXPECT_THAT(Lines(), ElementsAre("still here")) << "a renamed file is held";
  std::filesystem::rename(log_ + ".1", log_);
  EXPECT_TRUE(Step().recovered);
}

TEST_F(FollowerRotation, FileThatComesBackIsNotReadTwice) {
  Append(log_, "old\n");
  Follow(log_, {.read_last = 100, .grace = std::chrono::seconds(1)});
  EXPECT_THAT(Lines(), ElementsAre("old"));
  // Replaced and brought back, as by a restored backup or a switched mount.
  std::filesystem::rename(log_, log_ + ".kept");
  Append(log_, "other\n");
  EXPECT_THAT(Lines(), ElementsAre("other"));
  std::filesystem::rename(log_ + ".kept", log_);
  EXPECT_THAT(Lines(), IsEmpty());
  Append(log_, "more\n");
  EXPECT_THAT(Lines(), ElementsAre("more"));
}

TEST_F(FollowerRotation, SwitchedSymbolicLink) {
  Append(directory_.Path("a.log"), "a0\n");
  std::filesystem::create_symlink("a.log", log_);
  Follow(log_);
  Step();
  Append(directory_.Path("a.log"), "a1\n");
  Append(directory_.Path("b.log"), "b1\n");
  std::filesystem::create_symlink("b.log", directory_.Path("new-link"));
  std::filesystem::rename(directory_.Path("new-link"), log_);
  EXPECT_THAT(Lines(), ElementsAre("a1", "b1"));
  EXPECT_EQ(follower_->Counters().rotations, 1U);
}

TEST_F(FollowerRotation, DanglingSymbolicLinkIsMissing) {
  std::filesystem::create_symlink("nowhere.log", log_);
  Follow(log_);
  EXPECT_EQ(Step().outcome, Outcome::kMissing);
  Append(directory_.Path("nowhere.log"), "here\n");
  EXPECT_THAT(Lines(), ElementsAre("here"));
}

TEST_F(FollowerRotation, LooksTheNameUpOnlyOncePerInterval) {
  Append(log_, "");
  Follow(log_, {.locate_interval = std::chrono::seconds(10)});
  for (int i = 0; i < 11; ++i) Step();
  std::filesystem::rename(log_, log_ + ".1");
  Append(log_, "new\n");
  std::size_t steps = 0;
  while (Lines().empty() && steps < 20) ++steps;
  EXPECT_GE(steps, 5U);
  EXPECT_LE(steps, 10U);
}

TEST_F(FollowerRotation, HoldsOneDescriptorHoweverOftenItRotates) {
  Append(log_, "");
  Follow(log_);
  Step();
  const auto count = [] {
    std::size_t descriptors = 0;
    for ([[maybe_unused]] const auto& entry :
         std::filesystem::directory_iterator("/proc/self/fd")) {
      ++descriptors;
    }
    return descriptors;
  };
  const std::size_t before = count();
  for (int i = 0; i < 200; ++i) {
    std::filesystem::rename(log_, log_ + ".1");
    Append(log_, std::to_string(i) + "\n");
    ASSERT_THAT(Lines(), ElementsAre(std::to_string(i)));
  }
  EXPECT_EQ(count(), before);
  EXPECT_EQ(follower_->Counters().rotations, 200U);
}

}  // namespace
}  // namespace ckpt::tail
