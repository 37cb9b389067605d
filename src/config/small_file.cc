// SPDX-License-Identifier: Apache-2.0
#include "config/small_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace ckpt::config {
namespace {

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }  // NOLINT(readability-identifier-naming)

 private:
  int fd_;
};

Error ReadError(const std::string& what, int code) {
  return {ErrorCode::kConfig, what + ": " + std::generic_category().message(code)};
}

}  // namespace

Result<std::string> ReadSmallFile(const std::string& path, std::size_t limit) {
  // Not blocking, so that a FIFO without a writer cannot hold a thread for ever.
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (file.get() < 0) return ReadError("cannot open", errno);
  struct stat status = {};
  if (::fstat(file.get(), &status) != 0) return ReadError("cannot read", errno);
  if (!S_ISREG(status.st_mode)) return Error{ErrorCode::kConfig, "not a regular file"};

  std::string content;
  char buffer[16384];
  for (;;) {
    const ssize_t count = ::read(file.get(), buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return ReadError("cannot read", errno);
    if (count == 0) return content;
    content.append(buffer, static_cast<std::size_t>(count));
    if (content.size() > limit) {
      return Error{ErrorCode::kConfig, "larger than " + std::to_string(limit) + " bytes"};
    }
  }
}

}  // namespace ckpt::config
