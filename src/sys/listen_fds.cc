// SPDX-License-Identifier: Apache-2.0
#include "sys/listen_fds.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>
#include <optional>
#include <string_view>

namespace ckpt::sys {
namespace {

constexpr int kFirstFd = 3;  // SD_LISTEN_FDS_START
constexpr int kMostFds = 64;

std::optional<int> ParseNumber(const std::string& text) {
  int number = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  if (error != std::errc() || end != last || number < 0) return std::nullopt;
  return number;
}

std::optional<int> SocketOption(int fd, int option) {
  int value = 0;
  socklen_t length = sizeof value;
  if (getsockopt(fd, SOL_SOCKET, option, &value, &length) != 0) return std::nullopt;
  return value;
}

}  // namespace

Result<std::vector<ListenSocket>> TakeListenSockets(const Environment& environment) {
  std::vector<ListenSocket> sockets;
  const std::optional<std::string> count_text = environment("LISTEN_FDS");
  const std::optional<std::string> pid_text = environment("LISTEN_PID");
  if (!count_text || !pid_text) return sockets;
  const std::optional<int> pid = ParseNumber(*pid_text);
  if (!pid) return Error{ErrorCode::kConfig, "LISTEN_PID is not a process id"};
  if (*pid != getpid()) return sockets;
  const std::optional<int> count = ParseNumber(*count_text);
  if (!count || *count > kMostFds) {
    return Error{ErrorCode::kConfig, "LISTEN_FDS is not a number from 0 to 64"};
  }

  const std::string names_text = environment("LISTEN_FDNAMES").value_or("");
  std::string_view names = names_text;
  for (int fd = kFirstFd; fd < kFirstFd + *count; ++fd) {
    const std::string what = "the file descriptor " + std::to_string(fd) + " of LISTEN_FDS";
    const int flags = fcntl(fd, F_GETFD);
    if (flags < 0 || fcntl(fd, F_SETFD, flags | FD_CLOEXEC) < 0) {
      return Error{ErrorCode::kConfig, what + " is not open"};
    }
    if (SocketOption(fd, SO_TYPE) != SOCK_STREAM || SocketOption(fd, SO_ACCEPTCONN) != 1) {
      return Error{ErrorCode::kConfig,
                   what + " is not a listening stream socket; use ListenStream= and Accept=no"};
    }
    const std::size_t colon = names.find(':');
    const std::string_view name = names.substr(0, colon);
    sockets.push_back({fd, name.empty() ? "unknown" : std::string(name)});
    names = colon == std::string_view::npos ? std::string_view() : names.substr(colon + 1);
  }
  return sockets;
}

}  // namespace ckpt::sys
