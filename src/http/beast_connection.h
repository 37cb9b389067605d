// SPDX-License-Identifier: Apache-2.0
#pragma once

// Included by beast_server.cc alone, which is the one translation unit with Boost in it.

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio.hpp>
#include <boost/asio/ssl.hpp>

#include "http/gzip.h"
#include "http/request_processor.h"
#include "http/server.h"
#include "http/web_config_watcher.h"

namespace ckpt::http {

namespace asio = boost::asio;
// TCP and, from a service manager, Unix sockets alike.
using Protocol = asio::generic::stream_protocol;
using Socket = Protocol::socket;
using TlsStream = asio::ssl::stream<Socket>;
using Milliseconds = std::chrono::milliseconds;

// A connection as the server sees it. Lives on the server's thread.
class Connection {
 public:
  // In the order in which a full server gives them up; from kHandling on it keeps them.
  enum class Phase { kIdle, kClosing, kReading, kHandling, kWriting };

  virtual ~Connection() = default;
  // Closes at once.
  virtual void Close() = 0;
  // Closes when the request in flight, if any, is answered.
  virtual void StopSoon() = 0;

  Phase phase() const { return phase_; }
  MonotonicTime since() const { return since_; }

 protected:
  Phase phase_ = Phase::kReading;
  MonotonicTime since_;  // when the phase began
};

// What the connections of a server share. Lives on the server's thread, but for the counters.
struct ServerState {
  struct Counters {
    std::atomic<std::uint64_t> open_connections{0}, accepted{0}, evicted{0}, refused{0},
        timed_out{0}, malformed{0}, requests{0}, tls_failures{0}, web_config_reloads{0},
        web_config_failed_reloads{0};
  };
  using Position = std::list<Connection*>::iterator;

  ServerState(ServerOptions given, std::vector<Route> routes)
      : options(std::move(given)),
        processor(
            std::move(routes), *options.clock,
            [loop = io](std::function<void()> run) { asio::dispatch(*loop, std::move(run)); },
            options.log),
        web_config(options.web_config, options.log) {}

  Position Register(Connection* connection) {
    ++counters.open_connections;
    return connections.insert(connections.end(), connection);
  }
  void Deregister(Position position) {
    connections.erase(position);
    --counters.open_connections;
    if (stopping && connections.empty()) stop_timer.cancel();
  }
  void Log(LogLevel level, const std::string& message) const {
    if (options.log) options.log(level, message);
  }

  // Shared with the Responders that are still out: they may post to it after the server's end.
  std::shared_ptr<asio::io_context> io = std::make_shared<asio::io_context>(1);
  ServerOptions options;
  RequestProcessor processor;
  WebConfigWatcher web_config;
  GzipCompressor compressor;
  Counters counters;
  std::list<Connection*> connections;
  asio::steady_timer stop_timer{*io};
  bool stopping = false;
};

}  // namespace ckpt::http
