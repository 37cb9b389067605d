// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/server.h"
#include "testing/manual_clock.h"

namespace ckpt::http {

// A condition that nothing signals is looked at until it holds or the deadline passes.
bool WaitUntil(const std::function<bool()>& condition,
               std::chrono::milliseconds deadline = std::chrono::seconds(10));

// One answer as a client read it.
struct Answer {
  int status = 0;  // 0: the connection ended first
  std::string head;
  std::string body;

  // The value of a header, by its exact name; empty when absent.
  std::string HeaderValue(std::string_view name) const;
  bool HasHeader(std::string_view name) const;
};

// A raw TCP client. Every read has a deadline of 10 s.
class Client {
 public:
  // `address` as HttpServer::BoundAddresses() gives it; "[::]" is reached as ::1. Connects, and
  // owns, the socket `fd` if there is one, else a new one.
  explicit Client(const std::string& address, int receive_buffer = 0, int fd = -1);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  bool connected() const { return fd_ >= 0; }
  int fd() const { return fd_; }
  // False when the peer closed the connection or does not read.
  bool Send(std::string_view bytes) const;
  void HalfClose() const;
  // The next answer; reads its body by Content-Length unless `head_only`.
  Answer Read(bool head_only = false);
  Answer Exchange(std::string_view bytes, bool head_only = false);
  // Whether the server closes (or resets) this connection before the deadline; drops what it sends.
  bool WaitForClose(std::chrono::milliseconds deadline = std::chrono::seconds(10));

 private:
  bool ReadSome();

  int fd_ = -1;
  std::string pending_;
};

// "GET PATH HTTP/1.1" with a Host header and what else is given (whole lines).
std::string GetRequest(std::string_view path, std::string_view headers = "");

// What the server logged. Thread-safe.
class LogSink {
 public:
  LogFunction Function();
  // Whether some message contains the text.
  bool Contains(std::string_view text) const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> messages_;
};

// A server on port 0 of 127.0.0.1 and what it stands on.
struct TestServer {
  explicit TestServer(std::vector<Route> routes, ServerLimits limits = {},
                      std::vector<std::string> addresses = {"127.0.0.1:0"});

  std::string Address(std::size_t index = 0) const { return server->BoundAddresses().at(index); }
  Answer Get(std::string_view path, std::string_view headers = "") const;

  testing::ManualClock clock;
  LogSink log;
  std::unique_ptr<HttpServer> server;
};

// Undoes gzip; empty optional when it is no whole gzip text.
std::optional<std::string> Gunzip(std::string_view data);

}  // namespace ckpt::http
