// SPDX-License-Identifier: Apache-2.0
#include "sys/listen_fds.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <map>
#include <string>

namespace ckpt::sys {
namespace {

using Variables = std::map<std::string, std::string>;

Result<std::vector<ListenSocket>> Take(const Variables& variables) {
  return TakeListenSockets([&](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  });
}

std::string Self() { return std::to_string(getpid()); }

// Puts sockets at descriptors 3 and 4, as systemd does, and whatever was there back afterwards.
class ListenFds : public ::testing::Test {
 protected:
  void SetUp() override {
    for (int i = 0; i < 2; ++i) saved_[i] = fcntl(3 + i, F_DUPFD_CLOEXEC, 100);
  }
  void TearDown() override {
    for (int i = 0; i < 2; ++i) {
      close(3 + i);
      if (saved_[i] < 0) continue;
      dup2(saved_[i], 3 + i);
      close(saved_[i]);
    }
  }
  static void Place(int fd, int type, bool listening) {
    const int made = socket(AF_INET, type, 0);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ASSERT_EQ(bind(made, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    if (listening) {
      ASSERT_EQ(listen(made, 1), 0);
    }
    if (made == fd) return;
    ASSERT_EQ(dup2(made, fd), fd);
    close(made);
  }

 private:
  int saved_[2] = {-1, -1};
};

TEST_F(ListenFds, TakesWhatIsPassed) {
  Place(3, SOCK_STREAM, true);
  Place(4, SOCK_STREAM, true);
  const auto sockets =
      Take({{"LISTEN_FDS", "2"}, {"LISTEN_PID", Self()}, {"LISTEN_FDNAMES", "web:"}});
  ASSERT_TRUE(sockets.ok());
  ASSERT_EQ(sockets.value().size(), 2U);
  EXPECT_EQ(sockets.value()[0].fd, 3);
  EXPECT_EQ(sockets.value()[0].name, "web");
  EXPECT_EQ(sockets.value()[1].fd, 4);
  EXPECT_EQ(sockets.value()[1].name, "unknown");
  EXPECT_NE(fcntl(3, F_GETFD) & FD_CLOEXEC, 0);
  EXPECT_NE(fcntl(4, F_GETFD) & FD_CLOEXEC, 0);
}

TEST_F(ListenFds, LeavesWhatIsForOthers) {
  const Variables cases[] = {
      {},
      {{"LISTEN_FDS", "1"}},
      {{"LISTEN_PID", Self()}},
      {{"LISTEN_FDS", "1"}, {"LISTEN_PID", "1"}},
      {{"LISTEN_FDS", "0"}, {"LISTEN_PID", Self()}},
  };
  for (const Variables& variables : cases) {
    const auto sockets = Take(variables);
    ASSERT_TRUE(sockets.ok());
    EXPECT_TRUE(sockets.value().empty());
  }
}

TEST_F(ListenFds, RefusesWhatCannotBe) {
  const auto error = [](const std::string& count, const std::string& pid) {
    const auto sockets = Take({{"LISTEN_FDS", count}, {"LISTEN_PID", pid}});
    return sockets.ok() ? "(no error)" : sockets.error().message;
  };
  EXPECT_EQ(error("1", "x"), "LISTEN_PID is not a process id");
  for (const char* bad : {"", "-1", "65", "1x", "99999999999"}) {
    EXPECT_EQ(error(bad, Self()), "LISTEN_FDS is not a number from 0 to 64") << bad;
  }
  const std::string not_listening =
      "the file descriptor 3 of LISTEN_FDS is not a listening stream socket; use ListenStream= "
      "and Accept=no";
  Place(3, SOCK_STREAM, false);
  EXPECT_EQ(error("1", Self()), not_listening);
  Place(3, SOCK_DGRAM, false);
  EXPECT_EQ(error("1", Self()), not_listening);
  close(3);
  EXPECT_EQ(error("1", Self()), "the file descriptor 3 of LISTEN_FDS is not open");
}

}  // namespace
}  // namespace ckpt::sys
