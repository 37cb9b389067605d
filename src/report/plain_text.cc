// SPDX-License-Identifier: Apache-2.0
#include "report/plain_text.h"

#include <algorithm>

namespace ckpt::report {

std::string Printable(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) c = '?';
  }
  return out;
}

std::string Wrap(std::string_view text, std::size_t indent, std::size_t width) {
  const std::string clean = Printable(text);
  std::string out;
  std::size_t column = indent;
  std::size_t at = 0;
  while (at < clean.size()) {
    const std::size_t end = std::min(clean.find(' ', at), clean.size());
    const std::size_t length = end - at;
    if (length == 0) {
      ++at;
      continue;
    }
    if (column > indent && column + 1 + length > width) {
      out.append("\n").append(indent, ' ');
      column = indent;
    } else if (column > indent) {
      out += ' ';
      ++column;
    }
    out.append(clean, at, length);
    column += length;
    at = end + 1;
  }
  return out;
}

std::string Markdown(std::string_view text) {
  std::string out;
  for (const char c : Printable(text)) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '|':
      case '`':
      case '*':
      case '_':
      case '[': out += '\\'; [[fallthrough]];
      default: out += c;
    }
  }
  return out;
}

}  // namespace ckpt::report
