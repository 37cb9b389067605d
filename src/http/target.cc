// SPDX-License-Identifier: Apache-2.0
#include "http/target.h"

#include <cstddef>

#include "http/message.h"

namespace ckpt::http {
namespace {

constexpr int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Proxies send "http://host/path"; what is before the path says nothing to us.
std::string_view WithoutAuthority(std::string_view target) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!EqualsIgnoreCase(target.substr(0, scheme.size()), scheme)) continue;
    const std::size_t end = target.find_first_of("/?#", scheme.size());
    return end == std::string_view::npos ? std::string_view() : target.substr(end);
  }
  return target;
}

}  // namespace

Result<std::string> PercentDecode(std::string_view text, bool plus_is_space) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '%') {
      const int high = i + 2 < text.size() ? HexDigit(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? HexDigit(text[i + 2]) : -1;
      if (high < 0 || low < 0) {
        return Error{ErrorCode::kParse, "a % that two hexadecimal digits do not follow"};
      }
      c = static_cast<char>(high * 16 + low);
      i += 2;
    } else if (c == '+' && plus_is_space) {
      c = ' ';
    }
    if (c == '\0') return Error{ErrorCode::kParse, "a NUL byte"};
    decoded += c;
  }
  return decoded;
}

Result<Target> ParseTarget(std::string_view text) {
  std::string_view target = WithoutAuthority(text);
  const bool absolute = target.size() != text.size();
  target = target.substr(0, target.find('#'));
  const std::size_t question = target.find('?');
  const std::string_view raw_path = target.substr(0, question);
  Target parsed;
  if (raw_path.empty() && absolute) {
    parsed.path = "/";  // "http://host", "http://host?x=1"
  } else if (raw_path.empty() || raw_path.front() != '/') {
    return Error{ErrorCode::kParse, "a path that does not begin with /"};
  } else {
    Result<std::string> path = PercentDecode(raw_path, false);
    if (!path) return path.error();
    parsed.path = std::move(path).value();
  }
  if (question == std::string_view::npos) return parsed;

  std::string_view rest = target.substr(question + 1);
  while (!rest.empty()) {
    const std::size_t ampersand = rest.find('&');
    const std::string_view pair = rest.substr(0, ampersand);
    rest = ampersand == std::string_view::npos ? std::string_view() : rest.substr(ampersand + 1);
    if (pair.empty()) continue;
    const std::size_t equals = pair.find('=');
    Result<std::string> name = PercentDecode(pair.substr(0, equals), true);
    if (!name) return name.error();
    Result<std::string> value = PercentDecode(
        equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1), true);
    if (!value) return value.error();
    parsed.query.emplace_back(std::move(name).value(), std::move(value).value());
  }
  return parsed;
}

}  // namespace ckpt::http
