// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "core/result.h"

namespace ckpt::http {

// A listen address as the Prometheus toolkit spells it, taken apart.
struct ListenAddress {
  std::string host;  // empty: every address of this machine, IPv4 and IPv6
  std::uint16_t port = 0;
};

// Parses ":10432", "127.0.0.1:0", "[::1]:9100", "localhost:9100". Error: kConfig.
Result<ListenAddress> ParseListenAddress(std::string_view text);

// A file descriptor that closes itself.
class OwnedFd {
 public:
  OwnedFd() = default;
  explicit OwnedFd(int fd) : fd_(fd) {}
  ~OwnedFd();
  OwnedFd(OwnedFd&& other) noexcept : fd_(other.Release()) {}
  OwnedFd& operator=(OwnedFd&& other) noexcept;

  int Get() const { return fd_; }
  int Release() { return std::exchange(fd_, -1); }

 private:
  int fd_ = -1;
};

// A listening stream socket.
struct ListenSocket {
  OwnedFd fd;
  int family = 0;    // AF_INET, AF_INET6 or AF_UNIX
  std::string name;  // "127.0.0.1:10432", "[::]:10432", or a Unix socket's path
};

// Opens, binds and listens. An empty host and "[::]" serve IPv4 too, as Go's listeners do;
// "0.0.0.0" serves IPv4 only. A host name is looked up (this blocks) and its first address taken,
// IPv4 before IPv6. Error (kConfig): names the address, what is wrong, and the cure.
Result<ListenSocket> Listen(std::string_view address);

// Takes over a listening stream socket that a service manager opened. Error (kConfig): the
// descriptor is something else; it then stays open and the caller's.
Result<ListenSocket> AdoptListenSocket(int fd);

// "127.0.0.1:40012" or "[::1]:40012": who is at the other end of a connected socket. Empty for a
// Unix socket or a broken connection.
std::string PeerAddress(int fd);

}  // namespace ckpt::http
