// SPDX-License-Identifier: Apache-2.0
#include "web/html.h"

#include "web/words.h"

namespace ckpt::web {

std::string Escape(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      case '\0': out += "\xEF\xBF\xBD"; break;
      default: out += c;
    }
  }
  return out;
}

std::string PercentEncode(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  constexpr std::string_view kPlain = "-._~:/@";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (letter || kPlain.find(c) != std::string_view::npos) {
      out += c;
    } else {
      out += '%';
      out += kDigits[byte >> 4U];
      out += kDigits[byte & 15U];
    }
  }
  return out;
}

std::string TimeElement(UnixSeconds time) {
  const std::string stamp = TimestampText(time);
  if (stamp.size() < 20) return stamp;
  return "<time datetime=\"" + stamp + "\">" + stamp.substr(0, 10) + " " + stamp.substr(11, 8) +
         " UTC</time>";
}

std::string TargetHref(std::string_view name) { return "?target=" + PercentEncode(name); }

}  // namespace ckpt::web
