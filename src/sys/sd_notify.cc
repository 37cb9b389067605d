// SPDX-License-Identifier: Apache-2.0
#include "sys/sd_notify.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstring>

namespace ckpt::sys {
namespace {

std::optional<std::int64_t> ParsePositive(const std::string& text) {
  std::int64_t number = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  if (error != std::errc() || end != last || number <= 0) return std::nullopt;
  return number;
}

std::string OneLine(std::string_view text) {
  std::string line(text.substr(0, 1024));
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line;
}

}  // namespace

ServiceNotifier::ServiceNotifier(const Environment& environment)
    : socket_(environment("NOTIFY_SOCKET").value_or("")) {
  const auto interval = ParsePositive(environment("WATCHDOG_USEC").value_or(""));
  const std::optional<std::string> pid = environment("WATCHDOG_PID");
  if (interval && (!pid || ParsePositive(*pid) == getpid())) {
    watchdog_interval_ = std::chrono::microseconds(*interval);
  }
}

bool ServiceNotifier::Ready(std::string_view status) const {
  return Send("READY=1\nSTATUS=" + OneLine(status));
}

bool ServiceNotifier::Reloading(const Clock& clock) const {
  // The time tells systemd 253 and later which READY=1 belongs to it.
  const auto now =
      std::chrono::duration_cast<std::chrono::microseconds>(clock.Monotonic().time_since_epoch());
  return Send("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(now.count()));
}

bool ServiceNotifier::Stopping() const { return Send("STOPPING=1"); }

bool ServiceNotifier::Watchdog() const { return Send("WATCHDOG=1"); }

bool ServiceNotifier::Status(std::string_view status) const {
  return Send("STATUS=" + OneLine(status));
}

bool ServiceNotifier::Send(const std::string& message) const {
  if (socket_.empty()) return true;
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if ((socket_.front() != '/' && socket_.front() != '@') ||
      socket_.size() >= sizeof address.sun_path) {
    return false;
  }
  std::memcpy(address.sun_path, socket_.data(), socket_.size());
  if (socket_.front() == '@') address.sun_path[0] = '\0';
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket_.size());

  const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  const ssize_t sent = sendto(fd, message.data(), message.size(), MSG_NOSIGNAL | MSG_DONTWAIT,
                              reinterpret_cast<const sockaddr*>(&address), length);
  close(fd);
  return sent == static_cast<ssize_t>(message.size());
}

}  // namespace ckpt::sys
