// SPDX-License-Identifier: Apache-2.0
#include "http/listen.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

namespace ckpt::http {
namespace {

TEST(ParseListenAddress, ReadsTheToolkitsSpellings) {
  struct Case {
    std::string_view text;
    std::string host;
    int port;
  };
  const std::vector<Case> cases{
      {":10432", "", 10432},
      {"127.0.0.1:0", "127.0.0.1", 0},
      {"[::1]:9100", "::1", 9100},
      {"[::]:65535", "::", 65535},
      {"localhost:9100", "localhost", 9100},
      {"0.0.0.0:1", "0.0.0.0", 1},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    const Result<ListenAddress> parsed = ParseListenAddress(c.text);
    ASSERT_TRUE(parsed.ok());
    EXPECT_EQ(parsed.value().host, c.host);
    EXPECT_EQ(parsed.value().port, c.port);
  }
}

TEST(ParseListenAddress, RefusesTheRestAndNamesTheCure) {
  for (const std::string_view text :
       {"", "10432", "localhost", ":", ":http", ":65536", ":-1", ": 1", ":1x", "::1:9100",
        "[::1:9100", "[]:1", "::1]:1", "a b:1", "http://localhost:1", "vsock://:9100",
        "localhost:"}) {
    SCOPED_TRACE(text);
    const Result<ListenAddress> parsed = ParseListenAddress(text);
    ASSERT_FALSE(parsed.ok());
    EXPECT_EQ(parsed.error().code, ErrorCode::kConfig);
    EXPECT_NE(parsed.error().message.find("'" + std::string(text) + "'"), std::string::npos);
    EXPECT_NE(parsed.error().message.find("such as :10432"), std::string::npos);
  }
}

TEST(Listen, NamesTheAddressAndTheCureWhenThePortIsTaken) {
  const Result<ListenSocket> first = Listen("127.0.0.1:0");
  ASSERT_TRUE(first.ok());
  const Result<ListenSocket> second = Listen(first.value().name);
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code, ErrorCode::kConfig);
  EXPECT_NE(second.error().message.find(first.value().name), std::string::npos);
  EXPECT_NE(second.error().message.find("choose another port with --web.listen-address"),
            std::string::npos)
      << second.error().message;
}

TEST(Listen, NamesTheCureForForeignAddressesAndUnknownHosts) {
  const Result<ListenSocket> foreign = Listen("192.0.2.1:0");
  ASSERT_FALSE(foreign.ok());
  EXPECT_NE(foreign.error().message.find("no interface of this machine"), std::string::npos)
      << foreign.error().message;
  const Result<ListenSocket> unknown = Listen("no-such-host.invalid:0");
  ASSERT_FALSE(unknown.ok());
  EXPECT_NE(unknown.error().message.find("no-such-host.invalid"), std::string::npos);
}

TEST(Listen, ResolvesNamesToIpv4First) {
  const Result<ListenSocket> socket = Listen("localhost:0");
  ASSERT_TRUE(socket.ok());
  EXPECT_EQ(socket.value().name.substr(0, 10), "127.0.0.1:");
}

TEST(AdoptListenSocket, TakesListeningSocketsOnly) {
  Result<ListenSocket> opened = Listen("127.0.0.1:0");
  ASSERT_TRUE(opened.ok());
  const std::string name = opened.value().name;
  const Result<ListenSocket> adopted = AdoptListenSocket(opened.value().fd.Release());
  ASSERT_TRUE(adopted.ok());
  EXPECT_EQ(adopted.value().name, name);

  const OwnedFd file(open("/dev/null", O_RDONLY | O_CLOEXEC));
  const OwnedFd connected(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const OwnedFd datagram(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  for (const int fd : {file.Get(), connected.Get(), datagram.Get(), 9999}) {
    const Result<ListenSocket> refused = AdoptListenSocket(fd);
    ASSERT_FALSE(refused.ok());
    EXPECT_NE(refused.error().message.find("ListenStream="), std::string::npos);
  }
}

}  // namespace
}  // namespace ckpt::http
