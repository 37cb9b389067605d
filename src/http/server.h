// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "core/clock.h"
#include "core/result.h"
#include "core/web_config.h"
#include "http/message.h"

namespace ckpt::http {

// Where a handler that answers later hands in its answer. Copies share one answer: the first call
// counts, later ones do nothing. It may be called from any thread, at any time, also when the
// client or the whole server is gone. If the last copy dies without a call, the client gets 500.
class Responder {
 public:
  explicit Responder(std::function<void(Response)> deliver);

  void operator()(Response response) const;

 private:
  class Answer;
  std::shared_ptr<Answer> answer_;
};

// Runs on the server's only thread: it must not block. What it throws becomes a 500 and a log line.
using Handler = std::function<Response(const Request&)>;
// As above, but the answer may come later; the server waits `handler_timeout` for it.
using AsyncHandler = std::function<void(const Request&, Responder)>;

// One row of the table of routes, which the caller declares and from which everything derives:
// dispatch, Allow headers, the landing page's list. HEAD is served wherever GET is.
struct Route {
  std::vector<Method> methods = {Method::kGet};
  std::string path;  // matched exactly, after percent-decoding
  std::string description;
  std::variant<Handler, AsyncHandler> handler;
  bool on_landing_page = true;
  bool needs_auth = true;  // false: served without basic authentication, where that is on
};

enum class LogLevel : std::uint8_t {
  kDebug,    // a client's mistake or a broken connection
  kInfo,     // as it should be
  kWarning,  // the operator should know; service goes on
  kError,    // a fault of ours or of a handler
};
// Called from the server's thread. Messages hold no secret.
using LogFunction = std::function<void(LogLevel, const std::string&)>;

// Bounds on what any client can cost. The defaults are for production; tests make them short.
struct ServerLimits {
  std::size_t max_connections = 512;    // beyond: the longest idle one makes room, else 503
  std::size_t max_header_bytes = 8192;  // request line included; beyond: 431, or 414
  std::size_t max_body_bytes = 16384;   // beyond: 413
  std::chrono::milliseconds request_timeout{5'000};    // TLS handshake; whole request; then 408
  std::chrono::milliseconds write_timeout{10'000};     // whole response; then the connection is cut
  std::chrono::milliseconds idle_timeout{90'000};      // between requests of one connection
  std::chrono::milliseconds handler_timeout{120'000};  // an AsyncHandler's answer; then 504
  std::chrono::milliseconds linger_timeout{1'000};     // reading on after an error answer
  std::chrono::milliseconds web_config_interval{1'000};
  std::chrono::milliseconds stop_timeout{3'000};  // requests in flight, when stopping
};

// Where TLS, authentication, headers and the rate limit come from (--web.config.file).
struct WebConfigSource {
  std::string path;                         // watched for changes
  std::function<Result<WebConfig>()> load;  // reads it; empty: there is none
};

// Whether a server would start with this configuration. Error (kConfig): names the certificate or
// key that it cannot use and what is wrong with it.
Status CheckWebConfig(const WebConfig& config);

struct ServerOptions {
  // As the Prometheus toolkit spells them: ":10432", "127.0.0.1:0", "[::1]:9100", "localhost:9100".
  std::vector<std::string> listen_addresses;
  // Listening sockets that a service manager opened (--web.systemd-socket). The server closes them.
  std::vector<int> inherited_sockets;
  // The file and the certificates that it names are looked at every `web_config_interval`, also by
  // kept connections. A bad new file is logged and the old configuration stays.
  WebConfigSource web_config;
  ServerLimits limits;
  const Clock* clock = nullptr;  // REQUIRED; outlives the server
  LogFunction log;               // may be empty
};

// Totals since Start(), but for `open_connections`.
struct ServerStatistics {
  std::uint64_t open_connections = 0;
  std::uint64_t accepted = 0;
  std::uint64_t evicted = 0;       // idle or slow ones that made room for a new one
  std::uint64_t refused = 0;       // for want of room or descriptors
  std::uint64_t timed_out = 0;     // while sending a request or reading an answer
  std::uint64_t malformed = 0;     // answered 400, 413, 414, 431 or 505
  std::uint64_t requests = 0;      // that came in whole
  std::uint64_t tls_failures = 0;  // handshakes that did not succeed
  std::uint64_t web_config_reloads = 0;
  std::uint64_t web_config_failed_reloads = 0;  // the old configuration stayed
};

// An HTTP/1.1 server on one thread of its own. Memory and time per client are bounded by
// ServerLimits whatever the client sends. Its methods may be called from any thread, but Start and
// Stop not at once. Destroying it stops it.
class HttpServer {
 public:
  virtual ~HttpServer() = default;

  // Listens on every address and starts the thread. All or nothing: an error (kConfig) names the
  // address and the cure. At most once.
  virtual Status Start() = 0;
  // Where it listens, as "127.0.0.1:10432" or "[::]:10432", in the order of the options: addresses
  // first, inherited sockets after them. Port 0 has become the real one.
  virtual std::vector<std::string> BoundAddresses() const = 0;
  virtual ServerStatistics Statistics() const = 0;
  // Stops accepting, lets requests in flight end for at most `stop_timeout`, then cuts them and
  // joins the thread. Idempotent. Not from a handler.
  virtual void Stop() = 0;
};

// REQUIRES: options.clock; every route has a handler; paths are unique and begin with '/'.
std::unique_ptr<HttpServer> MakeHttpServer(ServerOptions options, std::vector<Route> routes);

}  // namespace ckpt::http
