// SPDX-License-Identifier: Apache-2.0
#include "sys/sd_notify.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>

#include "testing/manual_clock.h"

namespace ckpt::sys {
namespace {

Environment Variables(std::map<std::string, std::string> variables) {
  return [variables](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
}

// systemd's end: a datagram socket bound to a path or, with '@', an abstract name.
class Supervisor {
 public:
  explicit Supervisor(std::string name) : name_(std::move(name)) {
    fd_ = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, name_.data(), name_.size());
    if (name_.front() == '@') address.sun_path[0] = '\0';
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name_.size());
    EXPECT_EQ(bind(fd_, reinterpret_cast<const sockaddr*>(&address), length), 0);
  }
  ~Supervisor() {
    close(fd_);
    if (name_.front() == '/') unlink(name_.c_str());
  }
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  // What was sent; sending is synchronous, so it is there when the call has returned.
  std::string Receive() const {
    char buffer[4096];
    const ssize_t count = recv(fd_, buffer, sizeof buffer, 0);
    return count < 0 ? "(nothing)" : std::string(buffer, static_cast<std::size_t>(count));
  }

 private:
  std::string name_;
  int fd_ = -1;
};

TEST(ServiceNotifier, TellsTheSupervisor) {
  const testing::ManualClock clock;
  const std::string unique = "ckpt-notify-" + std::to_string(getpid());
  for (const std::string& name : {"/tmp/" + unique, "@" + unique}) {
    SCOPED_TRACE(name);
    const Supervisor supervisor(name);
    const ServiceNotifier notifier(Variables({{"NOTIFY_SOCKET", name}}));
    EXPECT_TRUE(notifier.enabled());
    EXPECT_TRUE(notifier.Ready("watching 2 targets\nREADY=0"));
    EXPECT_EQ(supervisor.Receive(), "READY=1\nSTATUS=watching 2 targets READY=0");
    EXPECT_TRUE(notifier.Reloading(clock));
    EXPECT_EQ(supervisor.Receive(), "RELOADING=1\nMONOTONIC_USEC=3600000000");
    EXPECT_TRUE(notifier.Watchdog());
    EXPECT_EQ(supervisor.Receive(), "WATCHDOG=1");
    EXPECT_TRUE(notifier.Status("x"));
    EXPECT_EQ(supervisor.Receive(), "STATUS=x");
    EXPECT_TRUE(notifier.Stopping());
    EXPECT_EQ(supervisor.Receive(), "STOPPING=1");
    EXPECT_EQ(supervisor.Receive(), "(nothing)");
  }
}

TEST(ServiceNotifier, IsSilentWithoutASupervisor) {
  const ServiceNotifier notifier(Variables({}));
  EXPECT_FALSE(notifier.enabled());
  EXPECT_TRUE(notifier.Ready("x"));
  EXPECT_TRUE(notifier.Watchdog());
}

TEST(ServiceNotifier, SaysWhenItCannotBeHeard) {
  for (const std::string& name : {std::string("relative"), "/tmp/" + std::string(200, 'x'),
                                  std::string("/nonexistent/socket"), std::string("vsock:2:1")}) {
    EXPECT_FALSE(ServiceNotifier(Variables({{"NOTIFY_SOCKET", name}})).Watchdog()) << name;
  }
}

TEST(ServiceNotifier, ReadsTheWatchdogInterval) {
  const std::string self = std::to_string(getpid());
  const auto interval = [](std::map<std::string, std::string> variables) {
    return ServiceNotifier(Variables(std::move(variables))).watchdog_interval();
  };
  EXPECT_EQ(interval({{"WATCHDOG_USEC", "30000000"}}), std::chrono::seconds(30));
  EXPECT_EQ(interval({{"WATCHDOG_USEC", "1"}, {"WATCHDOG_PID", self}}),
            std::chrono::microseconds(1));
  EXPECT_EQ(interval({{"WATCHDOG_USEC", "1"}, {"WATCHDOG_PID", self + "0"}}), std::nullopt);
  for (const char* bad : {"", "0", "-1", "1s", "99999999999999999999"}) {
    EXPECT_EQ(interval({{"WATCHDOG_USEC", bad}}), std::nullopt) << bad;
  }
  EXPECT_EQ(interval({}), std::nullopt);
}

}  // namespace
}  // namespace ckpt::sys
