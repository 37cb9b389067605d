// SPDX-License-Identifier: Apache-2.0
#include "test_client.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <charconv>
#include <cstring>
#include <thread>

namespace ckpt::http {
namespace {

std::size_t BodyLength(const Answer& answer) {
  const std::string text = answer.HeaderValue("Content-Length");
  std::size_t length = 0;
  std::from_chars(text.data(), text.data() + text.size(), length);
  return length;
}

}  // namespace

bool WaitUntil(const std::function<bool()>& condition, std::chrono::milliseconds deadline) {
  const auto end = std::chrono::steady_clock::now() + deadline;
  while (!condition()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::yield();
    poll(nullptr, 0, 1);
  }
  return true;
}

std::string Answer::HeaderValue(std::string_view name) const {
  const std::string wanted = "\r\n" + std::string(name) + ": ";
  const std::size_t start = head.find(wanted);
  if (start == std::string::npos) return {};
  const std::size_t from = start + wanted.size();
  return head.substr(from, head.find("\r\n", from) - from);
}

bool Answer::HasHeader(std::string_view name) const {
  return head.find("\r\n" + std::string(name) + ": ") != std::string::npos;
}

Client::Client(const std::string& address, int receive_buffer, int fd) : fd_(fd) {
  const std::size_t colon = address.rfind(':');
  std::string host = address.substr(0, colon);
  std::uint16_t port = 0;
  std::from_chars(address.data() + colon + 1, address.data() + address.size(), port);
  sockaddr_storage storage{};
  socklen_t length = 0;
  if (host.front() == '[') {
    sockaddr_in6 six{};
    six.sin6_family = AF_INET6;
    six.sin6_port = htons(port);
    six.sin6_addr = in6addr_loopback;
    std::memcpy(&storage, &six, sizeof six);
    length = sizeof six;
  } else {
    sockaddr_in four{};
    four.sin_family = AF_INET;
    four.sin_port = htons(port);
    inet_pton(AF_INET, host.c_str(), &four.sin_addr);
    std::memcpy(&storage, &four, sizeof four);
    length = sizeof four;
  }
  if (fd_ < 0) fd_ = socket(storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd_ < 0) return;
  if (receive_buffer > 0) {
    setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
  }
  const timeval timeout{10, 0};
  setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
  setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
  if (connect(fd_, reinterpret_cast<const sockaddr*>(&storage), length) != 0) {
    close(fd_);
    fd_ = -1;
  }
}

Client::~Client() {
  if (fd_ >= 0) close(fd_);
}

bool Client::Send(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t sent = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

void Client::HalfClose() const { shutdown(fd_, SHUT_WR); }

bool Client::ReadSome() {
  std::array<char, 65536> chunk{};
  const ssize_t size = recv(fd_, chunk.data(), chunk.size(), 0);
  if (size <= 0) return false;
  pending_.append(chunk.data(), static_cast<std::size_t>(size));
  return true;
}

Answer Client::Read(bool head_only) {
  Answer answer;
  std::size_t end = 0;
  while ((end = pending_.find("\r\n\r\n")) == std::string::npos) {
    if (!ReadSome()) return answer;
  }
  answer.head = pending_.substr(0, end + 4);
  pending_.erase(0, end + 4);
  const std::size_t length = head_only ? 0 : BodyLength(answer);
  while (pending_.size() < length) {
    if (!ReadSome()) return answer;
  }
  answer.body = pending_.substr(0, length);
  pending_.erase(0, length);
  std::from_chars(answer.head.data() + 9, answer.head.data() + 12, answer.status);
  return answer;
}

Answer Client::Exchange(std::string_view bytes, bool head_only) {
  if (!Send(bytes)) return {};
  return Read(head_only);
}

bool Client::WaitForClose(std::chrono::milliseconds deadline) {
  const auto end = std::chrono::steady_clock::now() + deadline;
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    pollfd entry{fd_, POLLIN, 0};
    if (left.count() <= 0 || poll(&entry, 1, static_cast<int>(left.count())) <= 0) return false;
    if (!ReadSome()) return true;
    pending_.clear();
  }
}

std::string GetRequest(std::string_view path, std::string_view headers) {
  return "GET " + std::string(path) + " HTTP/1.1\r\nHost: test\r\n" + std::string(headers) + "\r\n";
}

LogFunction LogSink::Function() {
  return [this](LogLevel, const std::string& message) {
    const std::lock_guard<std::mutex> lock(mutex_);
    messages_.push_back(message);
  };
}

bool LogSink::Contains(std::string_view text) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const std::string& message : messages_) {
    if (message.find(text) != std::string::npos) return true;
  }
  return false;
}

TestServer::TestServer(std::vector<Route> routes, ServerLimits limits,
                       std::vector<std::string> addresses) {
  ServerOptions options;
  options.listen_addresses = std::move(addresses);
  options.limits = limits;
  options.clock = &clock;
  options.log = log.Function();
  server = MakeHttpServer(std::move(options), std::move(routes));
  const Status status = server->Start();
  EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().message);
}

Answer TestServer::Get(std::string_view path, std::string_view headers) const {
  Client client(Address());
  return client.Exchange(GetRequest(path, headers));
}

std::optional<std::string> Gunzip(std::string_view data) {
  z_stream stream{};
  if (inflateInit2(&stream, 15 + 16) != Z_OK) return std::nullopt;
  stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(data.data()));
  stream.avail_in = static_cast<uInt>(data.size());
  std::string out;
  std::array<Bytef, 16384> chunk{};
  int result = Z_OK;
  while (result == Z_OK) {
    stream.next_out = chunk.data();
    stream.avail_out = chunk.size();
    result = inflate(&stream, Z_NO_FLUSH);
    out.append(reinterpret_cast<const char*>(chunk.data()), chunk.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  if (result != Z_STREAM_END) return std::nullopt;
  return out;
}

}  // namespace ckpt::http
