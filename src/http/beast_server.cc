// SPDX-License-Identifier: Apache-2.0
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <exception>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include "http/gzip.h"
#include "http/listen.h"
#include "http/message.h"
#include "http/request_processor.h"
#include "http/server.h"
#include "http/target.h"
#include "http/wire_response.h"

namespace ckpt::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using boost::system::error_code;
using Parser = beast::http::request_parser<beast::http::string_body>;
// TCP and, from a service manager, Unix sockets alike.
using Protocol = asio::generic::stream_protocol;
using Socket = Protocol::socket;
using Milliseconds = std::chrono::milliseconds;

constexpr std::size_t kFirstRead = 1024;      // what an idle connection holds
constexpr std::size_t kMostDrained = 262144;  // read and thrown away after an error answer

std::string ToString(beast::string_view text) { return {text.data(), text.size()}; }

Method ToMethod(beast::http::verb verb) {
  switch (verb) {
    case beast::http::verb::get: return Method::kGet;
    case beast::http::verb::head: return Method::kHead;
    case beast::http::verb::post: return Method::kPost;
    default: return Method::kOther;
  }
}

// What a parse error is answered with; status 0: the connection is over, there is nobody to answer.
struct Rejection {
  int status = 0;
  std::string_view message;
};

Rejection RejectionOf(error_code ec, const Parser& parser) {
  using beast::http::error;
  if (ec == error::header_limit || ec == error::buffer_overflow) {
    if (parser.get().target().empty()) return {414, "the request line is too long"};
    return {431, "the headers are too long"};
  }
  if (ec == error::body_limit) return {413, "the body is too long"};
  if (ec == error::bad_version) return {505, "this server speaks HTTP/1.0 and HTTP/1.1"};
  const bool is_parse_error = ec.category() == make_error_code(error::bad_method).category();
  if (!is_parse_error || ec == error::end_of_stream || ec == error::partial_message) return {};
  return {400, "the request is not well-formed HTTP"};
}

Result<Request> ToRequest(const Parser::value_type& message) {
  Request request;
  request.method = ToMethod(message.method());
  const auto target = message.target();
  Result<Target> parsed = ParseTarget({target.data(), target.size()});
  if (!parsed) return Error{ErrorCode::kParse, "the request target has " + parsed.error().message};
  request.path = std::move(parsed.value().path);
  request.query = std::move(parsed.value().query);
  const std::size_t hosts = message.count(beast::http::field::host);
  if (hosts > 1 || (hosts == 0 && message.version() >= 11)) {
    return Error{ErrorCode::kParse, "HTTP/1.1 requests have one Host header"};
  }
  for (const auto& field : message) {
    const std::string name = ToString(field.name_string());
    const auto value = field.value();
    bool joined = false;
    for (Header& header : request.headers) {
      if (!EqualsIgnoreCase(header.name, name)) continue;
      header.value.append(", ").append(value.data(), value.size());
      joined = true;
      break;
    }
    if (!joined) request.headers.push_back({name, ToString(value)});
  }
  request.body = message.body();
  return request;
}

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

class BeastServer final : public HttpServer {
 public:
  BeastServer(ServerOptions options, std::vector<Route> routes)
      : options_(std::move(options)), processor_(std::move(routes), options_.log) {}
  ~BeastServer() override { Stop(); }

  Status Start() override;
  std::vector<std::string> BoundAddresses() const override { return names_; }
  ServerStatistics Statistics() const override;
  void Stop() override;

 private:
  template <class Stream>
  friend class Session;

  struct Listener {
    explicit Listener(asio::io_context& io) : acceptor(io), retry(io) {}
    asio::basic_socket_acceptor<Protocol> acceptor;
    asio::steady_timer retry;
  };
  struct Counters {
    std::atomic<std::uint64_t> open_connections{0}, accepted{0}, evicted{0}, refused{0},
        timed_out{0}, malformed{0}, requests{0};
  };

  Status Open();
  void Run();
  void Accept(Listener& listener);
  void OpenConnection(Socket socket);
  bool MakeRoom();
  void Refuse(Socket socket);
  void BeginStop();
  void Log(LogLevel level, const std::string& message) const {
    if (options_.log) options_.log(level, message);
  }

  std::list<Connection*>::iterator Register(Connection* connection) {
    ++counters_.open_connections;
    return connections_.insert(connections_.end(), connection);
  }
  void Deregister(std::list<Connection*>::iterator position) {
    connections_.erase(position);
    --counters_.open_connections;
    if (stopping_ && connections_.empty()) stop_timer_.cancel();
  }

  // Shared with the Responders that are still out: they may post to it after the server's end.
  std::shared_ptr<asio::io_context> io_ = std::make_shared<asio::io_context>(1);
  ServerOptions options_;
  RequestProcessor processor_;
  GzipCompressor compressor_;
  Counters counters_;
  std::vector<std::string> names_;
  std::list<Connection*> connections_;
  std::vector<std::unique_ptr<Listener>> listeners_;
  asio::steady_timer stop_timer_{*io_};
  bool stopping_ = false;
  bool accept_failed_ = false;  // and said so
  std::thread thread_;
};

// Reads requests from one connection and answers them in turn: the next is read only when the last
// is answered, so pipelining costs no memory. Pending operations own it.
template <class Stream>
class Session final : public Connection, public std::enable_shared_from_this<Session<Stream>> {
 public:
  Session(BeastServer& server, Stream stream)
      : server_(server),
        stream_(std::move(stream)),
        timer_(*server.io_),
        buffer_(server.options_.limits.max_header_bytes + kFirstRead),
        peer_(PeerAddress(socket().native_handle())),
        registration_(server.Register(this)) {}
  ~Session() override { Close(); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void Begin() {
    error_code ignored;
    socket().set_option(asio::detail::socket_option::boolean<IPPROTO_TCP, TCP_NODELAY>(true),
                        ignored);
    Enter(Phase::kReading, limits().request_timeout);
    AwaitRequest();
  }

  void Close() override {
    if (closed_) return;
    closed_ = true;
    error_code ignored;
    socket().close(ignored);
    timer_.cancel();
    server_.Deregister(registration_);
  }

  void StopSoon() override {
    const bool waiting = phase_ == Phase::kIdle || (phase_ == Phase::kReading && !received_);
    if (waiting) {
      Close();
    } else {
      keep_alive_ = false;
    }
  }

 private:
  const ServerLimits& limits() const { return server_.options_.limits; }
  Socket& socket() { return beast::get_lowest_layer(stream_); }

  void Enter(Phase phase, Milliseconds deadline) {
    phase_ = phase;
    since_ = server_.options_.clock->Monotonic();
    timed_out_ = false;
    Arm(deadline);
  }

  void Arm(Milliseconds deadline) {
    timer_.expires_after(deadline);
    const std::uint64_t armed = ++timer_generation_;
    timer_.async_wait([self = this->shared_from_this(), armed](error_code ec) {
      if (!ec && armed == self->timer_generation_) self->OnTimeout();
    });
  }

  void OnTimeout() {
    if (closed_) return;
    switch (phase_) {
      case Phase::kReading: OnReadTimeout(); break;
      case Phase::kHandling:
        ++exchange_;
        keep_alive_ = false;
        Send(TextResponse(504, "no answer in time"));
        break;
      case Phase::kWriting:
        ++server_.counters_.timed_out;
        Close();
        break;
      case Phase::kIdle:
      case Phase::kClosing: Close(); break;
    }
  }

  // Makes the read fail, upon which 408 is sent. A read that has just got something goes on with a
  // new one that is not cancelled, hence again and again.
  void OnReadTimeout() {
    if (!timed_out_) ++server_.counters_.timed_out;
    timed_out_ = true;
    if (!received_) return Close();
    error_code ignored;
    socket().cancel(ignored);
    Arm(Milliseconds(5));
  }

  void AwaitRequest() {
    received_ = buffer_.size() > 0;
    parser_.emplace();
    parser_->header_limit(static_cast<std::uint32_t>(limits().max_header_bytes));
    parser_->body_limit(limits().max_body_bytes);
    if (received_) return ReadHeader();
    buffer_.shrink_to_fit();
    stream_.async_read_some(buffer_.prepare(kFirstRead),
                            [self = this->shared_from_this()](error_code ec, std::size_t size) {
                              if (ec) return self->Close();
                              self->buffer_.commit(size);
                              self->received_ = true;
                              self->ReadHeader();
                            });
  }

  void ReadHeader() {
    // A new connection's time runs since it was accepted.
    if (phase_ != Phase::kReading) Enter(Phase::kReading, limits().request_timeout);
    beast::http::async_read_header(
        stream_, buffer_, *parser_, [self = this->shared_from_this()](error_code ec, std::size_t) {
          if (ec) return self->OnReadError(ec);
          const auto& message = self->parser_->get();
          if (!self->parser_->is_done() &&
              beast::iequals(message[beast::http::field::expect], "100-continue")) {
            return self->SendContinue();
          }
          self->ReadBody();
        });
  }

  void SendContinue() {
    static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
    asio::async_write(stream_, asio::buffer(kContinue.data(), kContinue.size()),
                      [self = this->shared_from_this()](error_code ec, std::size_t) {
                        if (ec) return self->OnReadError(ec);
                        self->ReadBody();
                      });
  }

  void ReadBody() {
    beast::http::async_read(stream_, buffer_, *parser_,
                            [self = this->shared_from_this()](error_code ec, std::size_t) {
                              if (ec) return self->OnReadError(ec);
                              self->OnRequest();
                            });
  }

  void OnReadError(error_code error) {
    if (closed_) return;
    if (timed_out_) return Reject(408, "the request did not come in whole in time");
    const Rejection rejection = RejectionOf(error, *parser_);
    if (rejection.status == 0) return Close();
    ++server_.counters_.malformed;
    Reject(rejection.status, rejection.message);
  }

  void Reject(int status, std::string_view message) {
    keep_alive_ = false;
    unread_ = true;
    request_.reset();
    server_.Log(LogLevel::kDebug, "request from " + peer_ + " refused with " +
                                      std::to_string(status) + ": " + std::string(message));
    Send(TextResponse(status, message));
  }

  void OnRequest() {
    const auto& message = parser_->get();
    keep_alive_ = message.keep_alive() && !server_.stopping_;
    http_minor_ = message.version() >= 11 ? 1 : 0;
    Result<Request> request = ToRequest(message);
    parser_.reset();
    if (!request) {
      ++server_.counters_.malformed;
      return Reject(400, request.error().message);
    }
    ++server_.counters_.requests;
    request_.emplace(std::move(request).value());
    request_->remote_address = peer_;
    Enter(Phase::kHandling, limits().handler_timeout);
    const std::uint64_t exchange = ++exchange_;
    server_.processor_.Process(
        *request_, [weak = this->weak_from_this(), io = server_.io_, exchange](Response response) {
          // Runs at once when called on the server's thread.
          asio::dispatch(*io, [weak, exchange, response = std::move(response)]() mutable {
            const auto self = weak.lock();
            if (!self || self->closed_ || self->exchange_ != exchange) return;
            ++self->exchange_;
            self->Send(std::move(response));
          });
        });
  }

  void Send(Response response) {
    Exchange exchange;
    exchange.request = request_ ? &*request_ : nullptr;
    exchange.http_minor = http_minor_;
    exchange.keep_alive = keep_alive_;
    exchange.now = server_.options_.clock->Wall();
    wire_ = MakeWireResponse(std::move(response), exchange, server_.compressor_);
    Enter(Phase::kWriting, limits().write_timeout);
    const std::array<asio::const_buffer, 2> buffers{
        asio::buffer(wire_.head), wire_.body ? asio::buffer(*wire_.body) : asio::const_buffer()};
    asio::async_write(stream_, buffers,
                      [self = this->shared_from_this()](error_code ec, std::size_t) {
                        if (ec) return self->Close();
                        self->OnWritten();
                      });
  }

  void OnWritten() {
    request_.reset();
    wire_ = {};
    if (closed_) return;
    if (!keep_alive_ || server_.stopping_) return Finish();
    // Bytes already here are the next request's, whose time begins now.
    if (buffer_.size() == 0) Enter(Phase::kIdle, limits().idle_timeout);
    AwaitRequest();
  }

  // Closing with unread bytes would reset the connection and could take the answer from the client.
  void Finish() {
    if (!unread_ && buffer_.size() == 0) return Close();
    Enter(Phase::kClosing, limits().linger_timeout);
    error_code ignored;
    socket().shutdown(Socket::shutdown_send, ignored);
    Drain();
  }

  void Drain() {
    buffer_.consume(buffer_.size());
    stream_.async_read_some(buffer_.prepare(kFirstRead),
                            [self = this->shared_from_this()](error_code ec, std::size_t size) {
                              self->drained_ += size;
                              if (ec || self->drained_ > kMostDrained) return self->Close();
                              self->Drain();
                            });
  }

  BeastServer& server_;
  Stream stream_;
  asio::steady_timer timer_;
  std::uint64_t timer_generation_ = 0;
  beast::flat_buffer buffer_;
  std::string peer_;
  std::optional<Parser> parser_;
  std::optional<Request> request_;
  WireResponse wire_;
  std::uint64_t exchange_ = 0;  // which answer is awaited; any other is late
  std::size_t drained_ = 0;
  int http_minor_ = 1;
  bool received_ = false;  // some of the request has come in
  bool unread_ = false;    // more of a refused request may come
  bool keep_alive_ = false;
  bool timed_out_ = false;
  bool closed_ = false;
  std::list<Connection*>::iterator registration_;
};

Status BeastServer::Start() {
  try {
    return Open();
  } catch (const std::exception& e) {
    return Error{ErrorCode::kInternal, std::string("cannot start the web server: ") + e.what()};
  }
}

Status BeastServer::Open() {
  std::vector<ListenSocket> sockets;
  for (const std::string& address : options_.listen_addresses) {
    Result<ListenSocket> socket = Listen(address);
    if (!socket) return socket.error();
    sockets.push_back(std::move(socket).value());
  }
  for (const int fd : options_.inherited_sockets) {
    Result<ListenSocket> socket = AdoptListenSocket(fd);
    if (!socket) return socket.error();
    sockets.push_back(std::move(socket).value());
  }
  if (sockets.empty()) {
    return Error{ErrorCode::kConfig,
                 "no address to listen on; give --web.listen-address or --web.systemd-socket"};
  }
  for (ListenSocket& socket : sockets) {
    auto listener = std::make_unique<Listener>(*io_);
    listener->acceptor.assign(Protocol(socket.family, socket.family == AF_UNIX ? 0 : IPPROTO_TCP),
                              socket.fd.Get());
    socket.fd.Release();
    names_.push_back(std::move(socket.name));
    listeners_.push_back(std::move(listener));
  }
  for (const auto& listener : listeners_) Accept(*listener);
  thread_ = std::thread([this] { Run(); });
  return Success{};
}

void BeastServer::Run() {
  for (;;) {
    try {
      io_->run();
      return;  // nothing is left to do: stopped
    } catch (const std::exception& e) {
      Log(LogLevel::kError, std::string("web server: ") + e.what());
    } catch (...) {
      Log(LogLevel::kError, "web server: an unknown exception");
    }
  }
}

void BeastServer::Accept(Listener& listener) {
  listener.acceptor.async_accept([this, &listener](error_code ec, Socket socket) {
    if (stopping_) return;
    if (!ec) {
      accept_failed_ = false;
      Accept(listener);
      OpenConnection(std::move(socket));
      return;
    }
    // Out of descriptors or memory: trying again at once would spin.
    if (!std::exchange(accept_failed_, true)) {
      Log(LogLevel::kWarning, "cannot accept a connection: " + ec.message());
    }
    MakeRoom();
    listener.retry.expires_after(Milliseconds(50));
    listener.retry.async_wait([this, &listener](error_code) {
      if (!stopping_) Accept(listener);
    });
  });
}

void BeastServer::OpenConnection(Socket socket) {
  ++counters_.accepted;
  if (connections_.size() >= options_.limits.max_connections && !MakeRoom()) {
    return Refuse(std::move(socket));
  }
  std::make_shared<Session<Socket>>(*this, std::move(socket))->Begin();
}

// Gives up the connection that matters least: the longest idle one, else the one that has been
// sending its request for longest. An honest request takes a millisecond, so it is never that one.
bool BeastServer::MakeRoom() {
  Connection* least = nullptr;
  for (Connection* connection : connections_) {
    if (connection->phase() >= Connection::Phase::kHandling) continue;
    if (least == nullptr || connection->phase() < least->phase() ||
        (connection->phase() == least->phase() && connection->since() < least->since())) {
      least = connection;
    }
  }
  if (least == nullptr) return false;
  ++counters_.evicted;
  least->Close();
  return true;
}

void BeastServer::Refuse(Socket socket) {
  ++counters_.refused;
  static constexpr std::string_view kBusy =
      "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nRetry-After: 1\r\n"
      "Connection: close\r\n\r\n";
  error_code ignored;
  socket.non_blocking(true, ignored);
  socket.send(asio::buffer(kBusy.data(), kBusy.size()), 0, ignored);
  socket.close(ignored);
}

void BeastServer::BeginStop() {
  stopping_ = true;
  for (const auto& listener : listeners_) {
    error_code ignored;
    listener->acceptor.close(ignored);
    listener->retry.cancel();
  }
  stop_timer_.expires_after(options_.limits.stop_timeout);
  stop_timer_.async_wait([this](error_code ec) {
    if (ec) return;
    for (Connection* connection : std::vector(connections_.begin(), connections_.end())) {
      connection->Close();
    }
  });
  for (Connection* connection : std::vector(connections_.begin(), connections_.end())) {
    connection->StopSoon();
  }
  if (connections_.empty()) stop_timer_.cancel();
}

void BeastServer::Stop() {
  if (!thread_.joinable()) return;
  asio::post(*io_, [this] { BeginStop(); });
  thread_.join();  // Run() ends when no operation is pending, so every Session is gone by then
}

ServerStatistics BeastServer::Statistics() const {
  return {.open_connections = counters_.open_connections,
          .accepted = counters_.accepted,
          .evicted = counters_.evicted,
          .refused = counters_.refused,
          .timed_out = counters_.timed_out,
          .malformed = counters_.malformed,
          .requests = counters_.requests};
}

}  // namespace

std::unique_ptr<HttpServer> MakeHttpServer(ServerOptions options, std::vector<Route> routes) {
  return std::make_unique<BeastServer>(std::move(options), std::move(routes));
}

}  // namespace ckpt::http
