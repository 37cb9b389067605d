// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ckpt::http {

// The methods that routes can name. Everything else is kOther, which no route takes.
enum class Method : std::uint8_t { kGet, kHead, kPost, kOther };

struct Header {
  std::string name;
  std::string value;
};

// One request, decoded. Plain data; handlers may keep a copy.
struct Request {
  Method method = Method::kGet;
  std::string path;  // percent-decoded, begins with '/'
  // Decoded name and value of each query parameter, in the order of the request.
  std::vector<std::pair<std::string, std::string>> query;
  std::vector<Header> headers;  // a header that came several times is one, joined by ", "
  std::string body;
  std::string remote_address;  // "127.0.0.1:40012", "[::1]:40012"; empty for a Unix socket
  bool tls = false;
  // Subject alternative names of the client's certificate, where TLS verified one.
  std::vector<std::string> tls_client_names;

  // The value of a header, by its name in any case; empty when absent.
  std::string_view HeaderValue(std::string_view name) const;
  // The first value of a query parameter; empty optional when it is absent.
  std::optional<std::string_view> QueryValue(std::string_view name) const;
  // X-Prometheus-Scrape-Timeout-Seconds: how long Prometheus waits for this answer. Empty when the
  // header is absent or is no positive finite number.
  std::optional<double> ScrapeTimeoutSeconds() const;
};

// One answer. Content-Length, Date, Connection, Vary for compression and Content-Encoding are the
// server's to add; a handler gives what only it knows.
struct Response {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
  // Takes the place of `body` when set, so that one text serves many requests without a copy.
  std::shared_ptr<const std::string> shared_body;
  // Quoted, as MakeEtag() gives it. With one, a matching If-None-Match is answered 304.
  std::string etag;
  std::vector<Header> headers;  // Cache-Control, Vary, Allow, ...

  std::string_view Content() const { return shared_body ? *shared_body : body; }
};

// A short plain-text answer: "404 Not Found: " and the message, with a line end.
Response TextResponse(int status, std::string_view message);

// The reason phrase of a status code, such as "Not Found"; "Unknown" for one we never send.
std::string_view ReasonPhrase(int status);

// A strong entity tag, quotes included, that changes when the content does.
std::string MakeEtag(std::string_view content);

// Whether If-None-Match names this tag, by weak comparison (RFC 9110, 13.1.2); "*" names all.
bool EtagMatches(std::string_view if_none_match, std::string_view etag);

// ASCII case-insensitive equality, as header names need it.
bool EqualsIgnoreCase(std::string_view a, std::string_view b);

}  // namespace ckpt::http
