// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace ckpt::testing {

// One accepted connection, with enough of PostgreSQL's protocol 3.0 to play a server. Every read
// ends when the client or the FakePeer closes the connection; a write to a closed one is ignored.
class PeerWire {
 public:
  explicit PeerWire(int fd) : fd_(fd) {}

  // Exactly `size` bytes, or empty when the connection ended first.
  std::optional<std::string> Read(std::size_t size) {
    std::string bytes(size, '\0');
    for (std::size_t got = 0; got < size;) {
      const ssize_t n = ::recv(fd_, bytes.data() + got, size - got, 0);
      if (n <= 0) return std::nullopt;
      got += static_cast<std::size_t>(n);
    }
    return bytes;
  }
  bool Write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t n = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (n <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
  }
  // Until the other side goes away, saying nothing.
  void Freeze() {
    while (Read(1)) {
    }
  }

  static std::string Int32(std::size_t value) {
    std::string bytes(4, '\0');
    for (unsigned i = 0; i < 4; ++i) bytes[i] = static_cast<char>((value >> (24 - 8 * i)) & 0xff);
    return bytes;
  }
  static std::string Message(char type, std::string_view body) {
    return std::string(1, type) + Int32(body.size() + 4) + std::string(body);
  }
  static std::string Fields(std::string_view severity, std::string_view sqlstate,
                            std::string_view text) {
    std::string body;
    body.append("S").append(severity).push_back('\0');
    body.append("C").append(sqlstate).push_back('\0');
    body.append("M").append(text).push_back('\0');
    body.push_back('\0');
    return body;
  }
  static std::string ErrorMessage(std::string_view severity, std::string_view sqlstate,
                                  std::string_view text) {
    return Message('E', Fields(severity, sqlstate, text));
  }
  static std::string NoticeMessage(std::string_view severity, std::string_view sqlstate,
                                   std::string_view text) {
    return Message('N', Fields(severity, sqlstate, text));
  }
  static std::string Ready() { return Message('Z', "I"); }

  // The startup parameters as "name\0value\0..."; answers SSL requests with "no".
  std::optional<std::string> ReadStartup() {
    for (;;) {
      const std::optional<std::string> head = Read(8);
      if (!head) return std::nullopt;
      std::size_t length = 0;
      for (unsigned i = 0; i < 4; ++i) {
        length = (length << 8U) | static_cast<unsigned char>((*head)[i]);
      }
      if (length < 8 || length > 10'000) return std::nullopt;
      if (head->substr(4) == std::string_view("\x04\xd2\x16\x2f", 4)) {  // SSLRequest
        Write("N");
        continue;
      }
      return Read(length - 8);
    }
  }
  // Accepts whoever came, as a server of this version.
  void Welcome(std::string_view server_version = "15.18") {
    std::string status("server_version");
    status.push_back('\0');
    status.append(server_version).push_back('\0');
    std::string encoding("client_encoding");
    encoding.push_back('\0');
    encoding.append("SQL_ASCII").push_back('\0');
    Write(Message('R', Int32(0)) + Message('S', status) + Message('S', encoding) +
          Message('K', Int32(4711) + Int32(42)) + Ready());
  }
  // The text of the next simple query; empty when the client left or sent something else.
  std::optional<std::string> ReadQuery() {
    const std::optional<std::string> head = Read(5);
    if (!head || (*head)[0] != 'Q') return std::nullopt;
    std::size_t length = 0;
    for (unsigned i = 1; i < 5; ++i) {
      length = (length << 8U) | static_cast<unsigned char>((*head)[i]);
    }
    std::optional<std::string> text = Read(length - 4);
    if (text) text->pop_back();
    return text;
  }
  using Row = std::vector<std::optional<std::string>>;
  static std::string RowDescription(std::size_t columns) {
    std::string body{static_cast<char>(columns >> 8U), static_cast<char>(columns & 0xff)};
    for (std::size_t i = 0; i < columns; ++i) {
      body.append("c" + std::to_string(i)).push_back('\0');
      body.append(Int32(0)).append(std::string(2, '\0')).append(Int32(25));
      body.append("\xff\xff").append(Int32(0xffffffff)).append(std::string(2, '\0'));
    }
    return Message('T', body);
  }
  static std::string DataRow(const Row& row) {
    std::string body{static_cast<char>(row.size() >> 8U), static_cast<char>(row.size() & 0xff)};
    for (const std::optional<std::string>& cell : row) {
      body.append(cell ? Int32(cell->size()) + *cell : Int32(0xffffffff));
    }
    return Message('D', body);
  }
  static std::string Complete(std::string_view tag) {
    return Message('C', std::string(tag) + std::string(1, '\0'));
  }
  static std::string Rows(const std::vector<Row>& rows) {
    std::string bytes = RowDescription(rows.empty() ? 1 : rows.front().size());
    for (const Row& row : rows) bytes += DataRow(row);
    return bytes + Complete("SELECT") + Ready();
  }

 private:
  int fd_;
};

// Listens on a free port of 127.0.0.1 and plays `script` to each connection, in a thread of its
// own. The destructor breaks every connection and waits for the scripts to end.
class FakePeer {
 public:
  using Script = std::function<void(PeerWire&)>;

  explicit FakePeer(Script script) : script_(std::move(script)) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the sockets interface
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    if (::bind(listener_, generic, length) != 0 || ::listen(listener_, 16) != 0 ||
        ::getsockname(listener_, generic, &length) != 0) {
      ::abort();
    }
    port_ = ntohs(address.sin_port);
    acceptor_ = std::thread([this] { Accept(); });
  }
  FakePeer(const FakePeer&) = delete;
  FakePeer& operator=(const FakePeer&) = delete;
  ~FakePeer() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      stopping_ = true;
      for (const int fd : open_) ::shutdown(fd, SHUT_RDWR);
    }
    ::shutdown(listener_, SHUT_RDWR);
    acceptor_.join();
    for (std::thread& player : players_) player.join();
    for (const int fd : open_) ::close(fd);
    ::close(listener_);
  }

  std::string port() const { return std::to_string(port_); }
  int connections() const { return connections_; }

 private:
  void Accept() {
    for (;;) {
      const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (fd < 0) return;
      const std::lock_guard<std::mutex> lock(mutex_);
      open_.push_back(fd);
      if (stopping_) return;
      ++connections_;
      players_.emplace_back([this, fd] {
        PeerWire wire(fd);
        script_(wire);
        ::shutdown(fd, SHUT_RDWR);
      });
    }
  }

  Script script_;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<int> connections_{0};
  std::mutex mutex_;
  bool stopping_ = false;
  std::vector<int> open_;
  std::vector<std::thread> players_;
  std::thread acceptor_;
};

}  // namespace ckpt::testing
