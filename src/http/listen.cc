// SPDX-License-Identifier: Apache-2.0
#include "http/listen.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <memory>
#include <system_error>

namespace ckpt::http {
namespace {

Error BadAddress(std::string_view text, std::string_view what) {
  return Error{ErrorCode::kConfig, "listen address '" + std::string(text) +
                                       "': " + std::string(what) +
                                       "; write HOST:PORT, :PORT or [IPV6]:PORT, such as :10432"};
}

// What to do about an errno of bind(); empty when there is no better advice than the reason.
std::string_view BindCure(int error) {
  switch (error) {
    case EADDRINUSE:
      return "; another process listens there: stop it, or choose another port with "
             "--web.listen-address";
    case EACCES:
      return "; ports below 1024 need the capability CAP_NET_BIND_SERVICE: choose a higher one "
             "with "
             "--web.listen-address";
    case EADDRNOTAVAIL:
      return "; no interface of this machine has that address: choose another with "
             "--web.listen-address";
    default: return "";
  }
}

Error SystemError(std::string_view address, std::string_view call, int error) {
  return Error{ErrorCode::kConfig,
               "cannot listen on " + std::string(address) + ": " + std::string(call) + ": " +
                   std::generic_category().message(error) + std::string(BindCure(error))};
}

std::string Describe(const sockaddr_storage& address, socklen_t length) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address.ss_family == AF_INET) {
    sockaddr_in in{};
    std::memcpy(&in, &address, sizeof in);
    inet_ntop(AF_INET, &in.sin_addr, text.data(), text.size());
    return std::string(text.data()) + ":" + std::to_string(ntohs(in.sin_port));
  }
  if (address.ss_family == AF_INET6) {
    sockaddr_in6 in{};
    std::memcpy(&in, &address, sizeof in);
    const std::string port = std::to_string(ntohs(in.sin6_port));
    if (IN6_IS_ADDR_V4MAPPED(&in.sin6_addr)) {
      inet_ntop(AF_INET, &in.sin6_addr.s6_addr[12], text.data(), text.size());
      return std::string(text.data()) + ":" + port;
    }
    inet_ntop(AF_INET6, &in.sin6_addr, text.data(), text.size());
    return "[" + std::string(text.data()) + "]:" + port;
  }
  if (address.ss_family == AF_UNIX && length > offsetof(sockaddr_un, sun_path)) {
    sockaddr_un un{};
    std::memcpy(&un, &address, sizeof un);
    const std::size_t size = length - offsetof(sockaddr_un, sun_path);
    std::string path(un.sun_path, strnlen(un.sun_path, size));
    return path.empty() ? "@" : path;
  }
  return {};
}

std::string LocalName(int fd) {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length) != 0) return {};
  return Describe(address, length);
}

// One attempt. On failure `error` is the errno and `call` its system call.
struct Attempt {
  OwnedFd fd;
  int error = 0;
  std::string_view call;
};

Attempt TryListen(int family, const sockaddr* address, socklen_t length, bool dual_stack) {
  Attempt attempt{OwnedFd(socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)), 0, ""};
  const int fd = attempt.fd.Get();
  const auto fail = [&attempt](std::string_view call) {
    attempt.error = errno;
    attempt.call = call;
    return std::move(attempt);
  };
  if (fd < 0) return fail("socket");
  const int on = 1;
  if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0) return fail("setsockopt");
  if (family == AF_INET6) {
    const int only = dual_stack ? 0 : 1;
    if (setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &only, sizeof only) != 0) {
      return fail("setsockopt");
    }
  }
  if (bind(fd, address, length) != 0) return fail("bind");
  if (listen(fd, SOMAXCONN) != 0) return fail("listen");
  return attempt;
}

Result<ListenSocket> ListenEverywhere(std::string_view text, std::uint16_t port) {
  sockaddr_in6 six{};
  six.sin6_family = AF_INET6;
  six.sin6_addr = in6addr_any;
  six.sin6_port = htons(port);
  Attempt attempt = TryListen(AF_INET6, reinterpret_cast<const sockaddr*>(&six), sizeof six, true);
  int family = AF_INET6;
  if (attempt.error == EAFNOSUPPORT || attempt.error == EADDRNOTAVAIL) {
    // A kernel without IPv6, or one that has it switched off.
    sockaddr_in four{};
    four.sin_family = AF_INET;
    four.sin_port = htons(port);
    attempt = TryListen(AF_INET, reinterpret_cast<const sockaddr*>(&four), sizeof four, false);
    family = AF_INET;
  }
  if (attempt.error != 0) return SystemError(text, attempt.call, attempt.error);
  std::string name = LocalName(attempt.fd.Get());
  return ListenSocket{std::move(attempt.fd), family, std::move(name)};
}

}  // namespace

OwnedFd::~OwnedFd() {
  if (fd_ >= 0) close(fd_);
}

OwnedFd& OwnedFd::operator=(OwnedFd&& other) noexcept {
  if (this != &other) {
    if (fd_ >= 0) close(fd_);
    fd_ = other.Release();
  }
  return *this;
}

Result<ListenAddress> ParseListenAddress(std::string_view text) {
  if (text.substr(0, 8) == "vsock://") return BadAddress(text, "vsock is not supported");
  if (text.find("://") != std::string_view::npos) return BadAddress(text, "it is not a URL");
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return BadAddress(text, "it has no port");
  std::string_view host = text.substr(0, colon);
  const std::string_view port_text = text.substr(colon + 1);
  if (!host.empty() && host.front() == '[') {
    if (host.back() != ']' || host.size() < 3) return BadAddress(text, "its bracket is not closed");
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return BadAddress(text, "an IPv6 address needs brackets");
  }
  if (host.find_first_of("[] \t") != std::string_view::npos || host.find('\0') != host.npos) {
    return BadAddress(text, "its host is malformed");
  }
  ListenAddress address;
  address.host = std::string(host);
  const auto [end, error] =
      std::from_chars(port_text.data(), port_text.data() + port_text.size(), address.port);
  if (error != std::errc() || end != port_text.data() + port_text.size()) {
    return BadAddress(text, "its port is not a number from 0 to 65535");
  }
  return address;
}

Result<ListenSocket> Listen(std::string_view address) {
  const Result<ListenAddress> parsed = ParseListenAddress(address);
  if (!parsed) return parsed.error();
  const auto& [host, port] = parsed.value();
  if (host.empty() || host == "::") return ListenEverywhere(address, port);

  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* list = nullptr;
  const int failure = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list);
  if (failure != 0) {
    return Error{ErrorCode::kConfig, "cannot listen on " + std::string(address) + ": host '" +
                                         host + "': " + gai_strerror(failure) +
                                         "; give an address of this machine"};
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(list, &freeaddrinfo);
  const addrinfo* chosen = list;
  for (const addrinfo* entry = list; entry != nullptr; entry = entry->ai_next) {
    if (entry->ai_family == AF_INET) {
      chosen = entry;
      break;
    }
  }
  Attempt attempt = TryListen(chosen->ai_family, chosen->ai_addr, chosen->ai_addrlen, false);
  if (attempt.error != 0) return SystemError(address, attempt.call, attempt.error);
  std::string name = LocalName(attempt.fd.Get());
  return ListenSocket{std::move(attempt.fd), chosen->ai_family, std::move(name)};
}

Result<ListenSocket> AdoptListenSocket(int fd) {
  const auto option = [fd](int name, int& value) {
    socklen_t length = sizeof value;
    return getsockopt(fd, SOL_SOCKET, name, &value, &length) == 0;
  };
  int listening = 0;
  int type = 0;
  int family = 0;
  const bool known =
      option(SO_ACCEPTCONN, listening) && option(SO_TYPE, type) && option(SO_DOMAIN, family);
  if (!known || listening == 0 || type != SOCK_STREAM ||
      (family != AF_INET && family != AF_INET6 && family != AF_UNIX)) {
    return Error{ErrorCode::kConfig,
                 "inherited descriptor " + std::to_string(fd) +
                     " is not a listening stream socket; use ListenStream= in the socket unit, "
                     "with Accept=no"};
  }
  return ListenSocket{OwnedFd(fd), family, LocalName(fd)};
}

std::string PeerAddress(int fd) {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  if (getpeername(fd, reinterpret_cast<sockaddr*>(&address), &length) != 0) return {};
  return address.ss_family == AF_UNIX ? std::string() : Describe(address, length);
}

}  // namespace ckpt::http
