// SPDX-License-Identifier: Apache-2.0
#include "http/wire_response.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "http/accept.h"

namespace ckpt::http {
namespace {

// Below this a packet is a packet, compressed or not.
constexpr std::size_t kSmallestCompressed = 1024;

// TABLE: the content types that compress well, as prefixes.
constexpr std::array<std::string_view, 6> kCompressible{"text/",
                                                        "application/openmetrics-text",
                                                        "application/json",
                                                        "application/javascript",
                                                        "image/svg+xml",
                                                        "application/xml"};

bool IsCompressible(const Response& response) {
  if (response.status != 200 || response.Content().size() < kSmallestCompressed) return false;
  return std::any_of(kCompressible.begin(), kCompressible.end(), [&](std::string_view prefix) {
    return response.content_type.compare(0, prefix.size(), prefix) == 0;
  });
}

void AppendHeader(std::string& head, std::string_view name, std::string_view value) {
  head += name;
  head += ": ";
  for (const char c : value) head += (c == '\r' || c == '\n' || c == '\0') ? ' ' : c;
  head += "\r\n";
}

std::string TwoDigits(unsigned value) {
  std::string text = std::to_string(value);
  return text.size() < 2 ? "0" + text : text;
}

// The handler's own Vary and ours, as one header.
std::string TakeVary(Response& response, bool by_encoding) {
  std::string vary;
  const auto append = [&vary](std::string_view value) {
    if (!vary.empty()) vary += ", ";
    vary += value;
  };
  for (const Header& header : response.headers) {
    if (EqualsIgnoreCase(header.name, "Vary")) append(header.value);
  }
  std::erase_if(response.headers, [](const Header& h) { return EqualsIgnoreCase(h.name, "Vary"); });
  if (by_encoding) append("Accept-Encoding");
  return vary;
}

}  // namespace

std::string HttpDate(UnixSeconds time) {
  constexpr std::string_view kDays = "SunMonTueWedThuFriSat";
  constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
  const std::chrono::sys_seconds seconds{
      std::chrono::seconds(static_cast<std::int64_t>(std::floor(time)))};
  const auto day = std::chrono::floor<std::chrono::days>(seconds);
  const std::chrono::year_month_day date(day);
  const std::size_t weekday = std::chrono::weekday(day).c_encoding();
  const auto of_day = static_cast<unsigned>((seconds - day).count());
  const std::size_t month = static_cast<unsigned>(date.month());
  std::string text(kDays.substr(weekday * 3, 3));
  text += ", " + TwoDigits(static_cast<unsigned>(date.day())) + " ";
  text += kMonths.substr((month - 1) * 3, 3);
  text += " " + std::to_string(static_cast<int>(date.year())) + " ";
  text +=
      TwoDigits(of_day / 3600) + ":" + TwoDigits(of_day / 60 % 60) + ":" + TwoDigits(of_day % 60);
  return text + " GMT";
}

WireResponse MakeWireResponse(Response response, const Exchange& exchange,
                              GzipCompressor& compressor) {
  const Request* request = exchange.request;
  const bool compressible = IsCompressible(response);
  const std::string vary = TakeVary(response, compressible);
  if (request != nullptr && response.status == 200 &&
      EtagMatches(request->HeaderValue("If-None-Match"), response.etag)) {
    response.status = 304;
  }
  const bool has_body = response.status != 204 && response.status != 304;

  WireResponse wire;
  bool compressed = false;
  if (has_body) {
    if (compressible && request != nullptr &&
        PrefersGzip(request->HeaderValue("Accept-Encoding"))) {
      std::optional<std::string> small = compressor.Compress(response.Content());
      if (small) {
        compressed = true;
        wire.body = std::make_shared<const std::string>(std::move(*small));
        // Two encodings are two representations: a strong tag would call them the same bytes.
        if (!response.etag.empty() && response.etag.front() == '"') {
          response.etag.insert(0, "W/");
        }
      }
    }
    if (!compressed) {
      wire.body = response.shared_body
                      ? std::move(response.shared_body)
                      : std::make_shared<const std::string>(std::move(response.body));
    }
  }

  std::string& head = wire.head;
  head.reserve(256);
  head = "HTTP/1.1 " + std::to_string(response.status) + " ";
  head += ReasonPhrase(response.status);
  head += "\r\n";
  AppendHeader(head, "Date", HttpDate(exchange.now));
  if (has_body) {
    AppendHeader(head, "Content-Type", response.content_type);
    AppendHeader(head, "Content-Length", std::to_string(wire.body->size()));
  }
  if (compressed) AppendHeader(head, "Content-Encoding", "gzip");
  if (!vary.empty()) AppendHeader(head, "Vary", vary);
  if (!response.etag.empty()) AppendHeader(head, "ETag", response.etag);
  for (const Header& header : response.headers) AppendHeader(head, header.name, header.value);
  if (!exchange.keep_alive) {
    AppendHeader(head, "Connection", "close");
  } else if (exchange.http_minor == 0) {
    AppendHeader(head, "Connection", "keep-alive");
  }
  head += "\r\n";
  if (request != nullptr && request->method == Method::kHead) wire.body.reset();
  return wire;
}

}  // namespace ckpt::http
