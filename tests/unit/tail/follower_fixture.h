// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tail/file_follower.h"
#include "tail/log_locator.h"
#include "testing/manual_clock.h"

namespace ckpt::tail {

// What a consumer makes of the chunks: whole lines, half lines dropped where it is told to.
struct LineSink {
  std::vector<std::string> lines;
  std::vector<std::string> names;  // of the file of each chunk
  int fresh = 0;                   // chunks that said so
  std::string half;

  void Take(const LogSource::Chunk& chunk) {
    EXPECT_FALSE(chunk.bytes.empty());
    names.push_back(std::filesystem::path(chunk.name).filename().string());
    if (chunk.starts_fresh) {
      half.clear();
      ++fresh;
    }
    half += chunk.bytes;
    for (std::size_t end = half.find('\n'); end != std::string::npos; end = half.find('\n')) {
      lines.push_back(half.substr(0, end));
      half.erase(0, end + 1);
    }
  }
  // The lines so far, which are then forgotten.
  std::vector<std::string> Drain() { return std::exchange(lines, {}); }
};

// A private directory, removed with all it holds; other users may enter and list it.
class TempDirectory {
 public:
  TempDirectory() {
    std::string path = (std::filesystem::temp_directory_path() / "ckpt-tail-XXXXXX").string();
    if (::mkdtemp(path.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    path_ = path;
    ::chmod(path_.c_str(), 0755);
  }
  TempDirectory(const TempDirectory&) = delete;
  TempDirectory& operator=(const TempDirectory&) = delete;
  ~TempDirectory() { std::filesystem::remove_all(path_); }

  std::string Path(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }  // NOLINT(readability-identifier-naming)

 private:
  std::string path_;
};

// For its lifetime file modes apply to us: root, whom they do not bind, becomes `nobody`.
// Without root the modes apply anyhow, so that no test need be skipped.
class WithoutPrivilege {
 public:
  WithoutPrivilege() : was_root_(::geteuid() == 0) {
    if (was_root_ && ::seteuid(65534) != 0) ADD_FAILURE() << "seteuid: " << errno;
  }
  WithoutPrivilege(const WithoutPrivilege&) = delete;
  WithoutPrivilege& operator=(const WithoutPrivilege&) = delete;
  ~WithoutPrivilege() {
    if (was_root_ && ::seteuid(0) != 0) ADD_FAILURE() << "seteuid: " << errno;
  }

 private:
  bool was_root_;
};

class FollowerTest : public ::testing::Test {
 protected:
  static void Append(const std::string& path, std::string_view text) {
    std::ofstream out(path, std::ios::binary | std::ios::app);
    out << text;
    out.close();
    ASSERT_TRUE(out) << path;
  }
  // Distinct times without waiting for them.
  static void SetAge(const std::string& path, int seconds_ago) {
    std::filesystem::last_write_time(
        path, std::filesystem::file_time_type::clock::now() - std::chrono::seconds(seconds_ago));
  }
  void Follow(const std::string& path, FileFollowerOptions options = {}) {
    FollowWith(MakeLocator(path), options);
  }
  void FollowWith(std::unique_ptr<LogLocator> locator, FileFollowerOptions options = {}) {
    follower_ = std::make_unique<FileFollower>(std::move(locator), clock_, options);
  }
  // One step, a second after the last.
  LogSource::StepResult Step() {
    clock_.Advance(1);
    return follower_->Step([this](const LogSource::Chunk& chunk) { sink_.Take(chunk); });
  }
  // A step, and the lines it brought.
  std::vector<std::string> Lines() {
    Step();
    return sink_.Drain();
  }

  TempDirectory directory_;
  const std::string log_ = directory_.Path("postgresql.log");
  testing::ManualClock clock_;
  LineSink sink_;
  std::unique_ptr<FileFollower> follower_;
};

}  // namespace ckpt::tail
