// SPDX-License-Identifier: Apache-2.0
#include "app/healthcheck.h"

#include <netdb.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <iostream>
#include <memory>
#include <string_view>

namespace ckpt::app {
namespace {

constexpr int kUnhealthy = 1;
constexpr int kUsage = 2;
constexpr timeval kPatience{3, 0};

int Unhealthy(const std::string& address, std::string_view why) {
  std::cerr << "pgcheckpoint_exporter: " << address << ": " << why << "\n";
  return kUnhealthy;
}

// Connected to one of the addresses, or -1.
int ConnectTo(const addrinfo* addresses) {
  for (const addrinfo* one = addresses; one != nullptr; one = one->ai_next) {
    const int fd = ::socket(one->ai_family, one->ai_socktype | SOCK_CLOEXEC, one->ai_protocol);
    if (fd < 0) continue;
    ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof kPatience);
    ::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &kPatience, sizeof kPatience);
    if (::connect(fd, one->ai_addr, one->ai_addrlen) == 0) return fd;
    ::close(fd);
  }
  return -1;
}

}  // namespace

CLI::App* AddHealthcheck(CLI::App* app, HealthcheckOptions* options) {
  CLI::App* command = app->add_subcommand(
      "healthcheck", "Ask a running exporter whether it works; for containers.");
  command->add_option("address", options->address, "Where it listens, without TLS.")
      ->capture_default_str();
  return command;
}

int Healthcheck(const HealthcheckOptions& options) {
  const std::size_t colon = options.address.rfind(':');
  if (colon == std::string::npos || colon + 1 == options.address.size()) {
    std::cerr << "pgcheckpoint_exporter: healthcheck: '" << options.address
              << "' is not host:port, such as 127.0.0.1:10432\n";
    return kUsage;
  }
  std::string host = options.address.substr(0, colon);
  if (host.size() > 2 && host.front() == '[') host = host.substr(1, host.size() - 2);
  if (host.empty()) host = "127.0.0.1";

  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), options.address.c_str() + colon + 1, &hints, &found) != 0) {
    return Unhealthy(options.address, "cannot be resolved");
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> addresses(found, &::freeaddrinfo);
  const int fd = ConnectTo(addresses.get());
  if (fd < 0) return Unhealthy(options.address, "nobody listens there");
  const std::unique_ptr<const int, void (*)(const int*)> closing(
      &fd, [](const int* open) { ::close(*open); });

  const std::string request =
      "GET /-/healthy HTTP/1.1\r\nHost: " + options.address + "\r\nConnection: close\r\n\r\n";
  if (::send(fd, request.data(), request.size(), MSG_NOSIGNAL) !=
      static_cast<ssize_t>(request.size())) {
    return Unhealthy(options.address, "does not take a request");
  }
  std::array<char, 64> answer{};
  const ssize_t size = ::recv(fd, answer.data(), answer.size(), MSG_WAITALL);
  if (size <= 0) return Unhealthy(options.address, "does not answer");
  const std::string_view status(answer.data(), static_cast<std::size_t>(size));
  if (!status.starts_with("HTTP/1.1 200 ")) {
    return Unhealthy(options.address, "answers, but not that it is healthy");
  }
  return 0;
}

}  // namespace ckpt::app
