// SPDX-License-Identifier: Apache-2.0
#include "http/message.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace ckpt::http {
namespace {

struct StatusInfo {
  int status;
  std::string_view reason;
};
// TABLE: every status that this server or its handlers send.
constexpr std::array<StatusInfo, 22> kStatuses{{
    {200, "OK"},
    {202, "Accepted"},
    {204, "No Content"},
    {301, "Moved Permanently"},
    {302, "Found"},
    {304, "Not Modified"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {408, "Request Timeout"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {505, "HTTP Version Not Supported"},
}};

constexpr char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string_view WithoutWeakMark(std::string_view tag) {
  if (tag.substr(0, 2) == "W/") tag.remove_prefix(2);
  return tag;
}

}  // namespace

bool EqualsIgnoreCase(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return Lower(x) == Lower(y); });
}

std::string_view Request::HeaderValue(std::string_view name) const {
  for (const Header& header : headers) {
    if (EqualsIgnoreCase(header.name, name)) return header.value;
  }
  return {};
}

std::optional<std::string_view> Request::QueryValue(std::string_view name) const {
  for (const auto& [key, value] : query) {
    if (key == name) return value;
  }
  return std::nullopt;
}

std::optional<double> Request::ScrapeTimeoutSeconds() const {
  const std::string_view text = HeaderValue("X-Prometheus-Scrape-Timeout-Seconds");
  double seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (!std::isfinite(seconds) || seconds <= 0) return std::nullopt;
  return seconds;
}

std::string_view ReasonPhrase(int status) {
  for (const StatusInfo& info : kStatuses) {
    if (info.status == status) return info.reason;
  }
  return "Unknown";
}

Response TextResponse(int status, std::string_view message) {
  Response response;
  response.status = status;
  response.body = std::to_string(status);
  response.body += ' ';
  response.body += ReasonPhrase(status);
  if (!message.empty()) {
    response.body += ": ";
    response.body += message;
  }
  response.body += '\n';
  return response;
}

std::string MakeEtag(std::string_view content) {
  // FNV-1a: a tag must notice a new release of an asset, not resist an attacker.
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : content) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 1099511628211U;
  }
  std::array<char, 16> digits{};
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), hash, 16);
  std::string etag = "\"";
  etag.append(digits.data(), end);
  etag += '-';
  etag += std::to_string(content.size());
  etag += '"';
  return etag;
}

bool EtagMatches(std::string_view if_none_match, std::string_view etag) {
  if (etag.empty()) return false;
  const std::string_view wanted = WithoutWeakMark(etag);
  std::size_t position = 0;
  while (position < if_none_match.size()) {
    const char c = if_none_match[position];
    if (c == ' ' || c == '\t' || c == ',') {
      ++position;
      continue;
    }
    if (c == '*') return true;
    // A comma may stand inside the quotes, so the tag ends at its closing quote.
    const std::size_t open = if_none_match.find('"', position);
    if (open == std::string_view::npos) return false;
    const std::size_t close = if_none_match.find('"', open + 1);
    if (close == std::string_view::npos) return false;
    if (if_none_match.substr(open, close - open + 1) == wanted) return true;
    position = close + 1;
  }
  return false;
}

}  // namespace ckpt::http
