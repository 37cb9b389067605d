// SPDX-License-Identifier: Apache-2.0
#pragma once

// From Beast's messages and errors to ours. Included by beast_session.h alone.

#include <string>
#include <string_view>
#include <utility>

#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include "core/result.h"
#include "http/message.h"
#include "http/target.h"

namespace ckpt::http {

namespace beast = boost::beast;
using boost::system::error_code;
using Parser = beast::http::request_parser<beast::http::string_body>;

inline std::string ToString(beast::string_view text) { return {text.data(), text.size()}; }

inline Method ToMethod(beast::http::verb verb) {
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

inline Rejection RejectionOf(error_code ec, const Parser& parser) {
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

inline Result<Request> ToRequest(const Parser::value_type& message) {
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

}  // namespace ckpt::http
