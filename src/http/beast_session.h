// SPDX-License-Identifier: Apache-2.0
#pragma once

// Included by beast_server.cc alone, which is the one translation unit with Boost in it.

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/asio.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>

#include "http/beast_connection.h"
#include "http/beast_message.h"
#include "http/gzip.h"
#include "http/listen.h"
#include "http/message.h"
#include "http/request_processor.h"
#include "http/server.h"
#include "http/web_config_watcher.h"
#include "http/wire_response.h"

namespace ckpt::http {

inline constexpr std::size_t kFirstRead = 1024;      // what an idle connection holds
inline constexpr std::size_t kMostDrained = 262144;  // read and thrown away after an error answer

// Reads requests from one connection and answers them in turn: the next is read only when the last
// is answered, so pipelining costs no memory. Pending operations own it.
template <class Stream>
class Session final : public Connection, public std::enable_shared_from_this<Session<Stream>> {
 public:
  // `web_config` is the one that `stream` was made by, and owns its TLS context.
  Session(ServerState& server, Stream stream, std::shared_ptr<const ActiveWebConfig> web_config)
      : server_(server),
        web_config_(std::move(web_config)),
        stream_(std::move(stream)),
        timer_(*server.io),
        buffer_(server.options.limits.max_header_bytes + kFirstRead),
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
    if constexpr (kIsTls) {
      stream_.async_handshake(asio::ssl::stream_base::server,
                              [self = this->shared_from_this()](error_code ec) {
                                if (ec) return self->OnHandshakeError(ec);
                                self->Enter(Phase::kReading, self->limits().request_timeout);
                                self->AwaitRequest();
                              });
    } else {
      AwaitRequest();
    }
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
  static constexpr bool kIsTls = std::is_same_v<Stream, TlsStream>;

  const ServerLimits& limits() const { return server_.options.limits; }
  Socket& socket() { return beast::get_lowest_layer(stream_); }

  void OnHandshakeError(error_code ec) {
    if (closed_) return;
    ++server_.counters.tls_failures;
    server_.Log(LogLevel::kDebug, "TLS handshake with " + peer_ + ": " + ec.message());
    const bool spoke_http =
        ec.category() == asio::error::get_ssl_category() &&
        ERR_GET_REASON(static_cast<unsigned long>(ec.value())) == SSL_R_HTTP_REQUEST;
    if (!spoke_http) return Close();
    static constexpr std::string_view kHint =
        "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\n"
        "Content-Length: 44\r\nConnection: close\r\n\r\n"
        "400 Bad Request: this port speaks HTTPS only";
    asio::async_write(
        socket(), asio::buffer(kHint.data(), kHint.size()),
        [self = this->shared_from_this()](error_code, std::size_t) { self->Close(); });
  }

  void Enter(Phase phase, Milliseconds deadline) {
    phase_ = phase;
    since_ = server_.options.clock->Monotonic();
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
        ++server_.counters.timed_out;
        Close();
        break;
      case Phase::kIdle:
      case Phase::kClosing: Close(); break;
    }
  }

  // Makes the read fail, upon which 408 is sent. A read that has just got something goes on with a
  // new one that is not cancelled, hence again and again.
  void OnReadTimeout() {
    if (!timed_out_) ++server_.counters.timed_out;
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
    ++server_.counters.malformed;
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
    keep_alive_ = message.keep_alive() && !server_.stopping;
    http_minor_ = message.version() >= 11 ? 1 : 0;
    Result<Request> request = ToRequest(message);
    parser_.reset();
    if (!request) {
      ++server_.counters.malformed;
      return Reject(400, request.error().message);
    }
    ++server_.counters.requests;
    request.value().remote_address = peer_;
    request.value().tls = kIsTls;
    if constexpr (kIsTls) {
      request.value().tls_client_names =
          web_config_->tls->VerifiedClientNames(stream_.native_handle());
    }
    request_ = std::make_shared<const Request>(std::move(request).value());
    Enter(Phase::kHandling, limits().handler_timeout);
    const std::uint64_t exchange = ++exchange_;
    server_.processor.Process(
        request_, server_.web_config.Current(),
        [weak = this->weak_from_this(), io = server_.io, exchange](Response response) {
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
    exchange.request = request_.get();
    exchange.http_minor = http_minor_;
    exchange.keep_alive = keep_alive_;
    exchange.now = server_.options.clock->Wall();
    wire_ = MakeWireResponse(std::move(response), exchange, server_.compressor);
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
    if (!keep_alive_ || server_.stopping) return Finish();
    // Bytes already here are the next request's, whose time begins now.
    if (buffer_.size() == 0) Enter(Phase::kIdle, limits().idle_timeout);
    AwaitRequest();
  }

  // Closing with unread bytes would reset the connection and could take the answer from the client.
  void Finish() {
    if constexpr (kIsTls) {
      // Tells the client that the answer was whole, and waits for its consent.
      Enter(Phase::kClosing, limits().linger_timeout);
      return stream_.async_shutdown(
          [self = this->shared_from_this()](error_code) { self->Close(); });
    }
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

  ServerState& server_;
  std::shared_ptr<const ActiveWebConfig> web_config_;
  Stream stream_;
  asio::steady_timer timer_;
  std::uint64_t timer_generation_ = 0;
  beast::flat_buffer buffer_;
  std::string peer_;
  std::optional<Parser> parser_;
  std::shared_ptr<const Request> request_;
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

}  // namespace ckpt::http
