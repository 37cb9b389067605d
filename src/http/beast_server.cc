// SPDX-License-Identifier: Apache-2.0
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "http/beast_session.h"
#include "http/listen.h"
#include "http/server.h"

namespace ckpt::http {
namespace {

class BeastServer final : public HttpServer {
 public:
  BeastServer(ServerOptions options, std::vector<Route> routes)
      : state_(std::move(options), std::move(routes)) {}
  ~BeastServer() override { Stop(); }

  Status Start() override;
  std::vector<std::string> BoundAddresses() const override { return names_; }
  ServerStatistics Statistics() const override;
  void Stop() override;

 private:
  struct Listener {
    explicit Listener(asio::io_context& io) : acceptor(io), retry(io) {}
    asio::basic_socket_acceptor<Protocol> acceptor;
    asio::steady_timer retry;
  };

  Status Open();
  void Run();
  void Accept(Listener& listener);
  void OpenConnection(Socket socket);
  bool MakeRoom();
  void Refuse(Socket socket);
  void WatchWebConfig();
  void BeginStop();

  ServerState state_;
  std::vector<std::string> names_;
  std::vector<std::unique_ptr<Listener>> listeners_;
  asio::steady_timer watch_timer_{*state_.io};
  bool accept_failed_ = false;  // and said so
  std::thread thread_;
};

Status BeastServer::Start() {
  try {
    return Open();
  } catch (const std::exception& e) {
    return Error{ErrorCode::kInternal, std::string("cannot start the web server: ") + e.what()};
  }
}

Status BeastServer::Open() {
  if (Status loaded = state_.web_config.Load(); !loaded) return loaded;
  std::vector<ListenSocket> sockets;
  for (const std::string& address : state_.options.listen_addresses) {
    Result<ListenSocket> socket = Listen(address);
    if (!socket) return socket.error();
    sockets.push_back(std::move(socket).value());
  }
  for (const int fd : state_.options.inherited_sockets) {
    Result<ListenSocket> socket = AdoptListenSocket(fd);
    if (!socket) return socket.error();
    sockets.push_back(std::move(socket).value());
  }
  if (sockets.empty()) {
    return Error{ErrorCode::kConfig,
                 "no address to listen on; give --web.listen-address or --web.systemd-socket"};
  }
  for (ListenSocket& socket : sockets) {
    auto listener = std::make_unique<Listener>(*state_.io);
    listener->acceptor.assign(Protocol(socket.family, socket.family == AF_UNIX ? 0 : IPPROTO_TCP),
                              socket.fd.Get());
    socket.fd.Release();
    names_.push_back(std::move(socket.name));
    listeners_.push_back(std::move(listener));
  }
  for (const auto& listener : listeners_) Accept(*listener);
  if (state_.options.web_config.load) WatchWebConfig();
  thread_ = std::thread([this] { Run(); });
  return Success{};
}

void BeastServer::Run() {
  for (;;) {
    try {
      state_.io->run();
      return;  // nothing is left to do: stopped
    } catch (const std::exception& e) {
      state_.Log(LogLevel::kError, std::string("web server: ") + e.what());
    } catch (...) {
      state_.Log(LogLevel::kError, "web server: an unknown exception");
    }
  }
}

void BeastServer::Accept(Listener& listener) {
  listener.acceptor.async_accept([this, &listener](error_code ec, Socket socket) {
    if (state_.stopping) return;
    if (!ec) {
      accept_failed_ = false;
      Accept(listener);
      OpenConnection(std::move(socket));
      return;
    }
    // Out of descriptors or memory: trying again at once would spin.
    if (!std::exchange(accept_failed_, true)) {
      state_.Log(LogLevel::kWarning, "cannot accept a connection: " + ec.message());
    }
    MakeRoom();
    listener.retry.expires_after(Milliseconds(50));
    listener.retry.async_wait([this, &listener](error_code) {
      if (!state_.stopping) Accept(listener);
    });
  });
}

void BeastServer::OpenConnection(Socket socket) {
  ++state_.counters.accepted;
  if (state_.connections.size() >= state_.options.limits.max_connections && !MakeRoom()) {
    return Refuse(std::move(socket));
  }
  const std::shared_ptr<const ActiveWebConfig>& config = state_.web_config.Current();
  if (!config->tls) {
    std::make_shared<Session<Socket>>(state_, std::move(socket), config)->Begin();
    return;
  }
  SSL_CTX* native = config->tls->native();
  SSL_CTX_up_ref(native);
  asio::ssl::context context(native);  // gives the reference back
  std::make_shared<Session<TlsStream>>(state_, TlsStream(std::move(socket), context), config)
      ->Begin();
}

// Gives up the connection that matters least: the longest idle one, else the one that has been
// sending its request for longest. An honest request takes a millisecond, so it is never that one.
bool BeastServer::MakeRoom() {
  Connection* least = nullptr;
  for (Connection* connection : state_.connections) {
    if (connection->phase() >= Connection::Phase::kHandling) continue;
    if (least == nullptr || connection->phase() < least->phase() ||
        (connection->phase() == least->phase() && connection->since() < least->since())) {
      least = connection;
    }
  }
  if (least == nullptr) return false;
  ++state_.counters.evicted;
  least->Close();
  return true;
}

void BeastServer::Refuse(Socket socket) {
  ++state_.counters.refused;
  static constexpr std::string_view kBusy =
      "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nRetry-After: 1\r\n"
      "Connection: close\r\n\r\n";
  error_code ignored;
  socket.non_blocking(true, ignored);
  socket.send(asio::buffer(kBusy.data(), kBusy.size()), 0, ignored);
  socket.close(ignored);
}

void BeastServer::WatchWebConfig() {
  watch_timer_.expires_after(state_.options.limits.web_config_interval);
  watch_timer_.async_wait([this](error_code) {
    if (state_.stopping) return;
    WatchWebConfig();
    state_.web_config.Step();
    state_.counters.web_config_reloads = state_.web_config.reloads();
    state_.counters.web_config_failed_reloads = state_.web_config.failed_reloads();
  });
}

void BeastServer::BeginStop() {
  state_.stopping = true;
  watch_timer_.cancel();
  for (const auto& listener : listeners_) {
    error_code ignored;
    listener->acceptor.close(ignored);
    listener->retry.cancel();
  }
  state_.stop_timer.expires_after(state_.options.limits.stop_timeout);
  state_.stop_timer.async_wait([this](error_code ec) {
    if (ec) return;
    for (Connection* connection :
         std::vector(state_.connections.begin(), state_.connections.end())) {
      connection->Close();
    }
  });
  for (Connection* connection : std::vector(state_.connections.begin(), state_.connections.end())) {
    connection->StopSoon();
  }
  if (state_.connections.empty()) state_.stop_timer.cancel();
}

void BeastServer::Stop() {
  if (!thread_.joinable()) return;
  asio::post(*state_.io, [this] { BeginStop(); });
  thread_.join();  // Run() ends when no operation is pending, so every Session is gone by then
}

ServerStatistics BeastServer::Statistics() const {
  return {.open_connections = state_.counters.open_connections,
          .accepted = state_.counters.accepted,
          .evicted = state_.counters.evicted,
          .refused = state_.counters.refused,
          .timed_out = state_.counters.timed_out,
          .malformed = state_.counters.malformed,
          .requests = state_.counters.requests,
          .tls_failures = state_.counters.tls_failures,
          .web_config_reloads = state_.counters.web_config_reloads,
          .web_config_failed_reloads = state_.counters.web_config_failed_reloads};
}

}  // namespace

std::unique_ptr<HttpServer> MakeHttpServer(ServerOptions options, std::vector<Route> routes) {
  return std::make_unique<BeastServer>(std::move(options), std::move(routes));
}

}  // namespace ckpt::http
