// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/clock.h"
#include "http/gzip.h"
#include "http/message.h"

namespace ckpt::http {

// An answer as it goes over the wire.
struct WireResponse {
  std::string head;                         // status line and headers, with the empty line
  std::shared_ptr<const std::string> body;  // null when there is none, as for HEAD
};

// What the connection knows about the exchange.
struct Exchange {
  const Request* request = nullptr;  // null: the request could not be read
  int http_minor = 1;                // 0 for HTTP/1.0
  bool keep_alive = false;
  UnixSeconds now = 0;
};

// Turns a handler's answer into bytes: 304 for a matching entity tag, gzip where the client prefers
// it and the content gains by it, Vary, Date, Content-Length, Connection; no body for HEAD. Line
// breaks inside header values become spaces, so that no value can start a header of its own.
WireResponse MakeWireResponse(Response response, const Exchange& exchange,
                              GzipCompressor& compressor);

// "Tue, 30 Nov 2026 22:28:17 GMT", for the Date header, in any locale.
std::string HttpDate(UnixSeconds time);

}  // namespace ckpt::http
