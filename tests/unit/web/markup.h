// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace ckpt::web {

// A start tag as it stands in a text of ours, which quotes every attribute.
struct Tag {
  std::string name;
  std::string text;  // "<a href=...>"

  std::string Attribute(std::string_view attribute) const {
    const std::string start = " " + std::string(attribute) + "=\"";
    const std::size_t at = text.find(start);
    if (at == std::string::npos) return "";
    const std::size_t from = at + start.size();
    return text.substr(from, text.find('"', from) - from);
  }
};

struct Markup {
  std::vector<Tag> tags;
  std::string fault;  // empty: every element is closed in order, every attribute is quoted
};

// Reads HTML that is written as strictly as XHTML but for void elements.
inline Markup ReadMarkup(std::string_view html) {
  constexpr std::array<std::string_view, 6> kVoid{"meta", "link", "input", "img", "option", "br"};
  Markup markup;
  std::vector<std::string> open;
  const auto fail = [&](const std::string& why, std::size_t at) {
    if (markup.fault.empty()) markup.fault = why + " at: " + std::string(html.substr(at, 80));
  };
  for (std::size_t at = html.find('<'); at != std::string_view::npos; at = html.find('<', at)) {
    std::size_t end = at + 1;
    for (bool quoted = false; end < html.size() && (quoted || html[end] != '>'); ++end) {
      if (html[end] == '"') quoted = !quoted;
      if (html[end] == '<') fail("'<' inside a tag", at);
    }
    const std::string text(html.substr(at, end + 1 - at));
    if (text.starts_with("<!DOCTYPE")) {
      at = end;
      continue;
    }
    const bool closes = text[1] == '/';
    const std::size_t begin = closes ? 2 : 1;
    const std::string name = text.substr(begin, text.find_first_of(" \n/>", begin) - begin);
    if (name.empty()) fail("an empty tag", at);
    if (closes) {
      if (open.empty() || open.back() != name) fail("closes what is not open", at);
      if (!open.empty()) open.pop_back();
    } else {
      markup.tags.push_back({name, text});
      const bool is_void = std::find(kVoid.begin(), kVoid.end(), name) != kVoid.end();
      if (!is_void && !text.ends_with("/>")) open.push_back(name);
    }
    at = end;
  }
  if (!open.empty()) markup.fault += " not closed: " + open.back();
  return markup;
}

}  // namespace ckpt::web
