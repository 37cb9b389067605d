// SPDX-License-Identifier: Apache-2.0
#include "http/accept.h"

#include <algorithm>
#include <charconv>

#include "http/message.h"

namespace ckpt::http {
namespace {

constexpr bool IsTokenChar(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

// Reads a header left to right. Methods return false, or an empty string, where the grammar breaks.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool AtEnd() const { return position_ >= text_.size(); }
  void SkipSpace() {
    while (!AtEnd() && (text_[position_] == ' ' || text_[position_] == '\t')) ++position_;
  }
  bool Take(char c) {
    SkipSpace();
    if (AtEnd() || text_[position_] != c) return false;
    ++position_;
    return true;
  }
  // Letters, digits and token marks, in lower case; '/' only if `with_slash`.
  std::string Token(bool with_slash) {
    SkipSpace();
    std::string token;
    while (!AtEnd() && (IsTokenChar(text_[position_]) || (with_slash && text_[position_] == '/'))) {
      const char c = text_[position_++];
      token += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return token;
  }
  // A parameter's value: a token, its case kept, or a quoted string.
  bool Value(std::string& value) {
    value.clear();
    SkipSpace();
    if (AtEnd()) return false;
    if (text_[position_] != '"') {
      while (!AtEnd() && IsTokenChar(text_[position_])) value += text_[position_++];
      return !value.empty();
    }
    for (++position_; !AtEnd(); ++position_) {
      if (text_[position_] == '"') {
        ++position_;
        return true;
      }
      if (text_[position_] == '\\' && position_ + 1 < text_.size()) ++position_;
      value += text_[position_];
    }
    return false;
  }
  // To just after the next comma that is not in quotes.
  void SkipMember() {
    bool quoted = false;
    while (!AtEnd()) {
      const char c = text_[position_++];
      if (c == '"') quoted = !quoted;
      if (c == '\\' && quoted && !AtEnd()) ++position_;
      if (c == ',' && !quoted) return;
    }
  }

 private:
  std::string_view text_;
  std::size_t position_ = 0;
};

bool ParseQuality(const std::string& text, double& quality) {
  // RFC 9110 has at most three decimals; nothing else that from_chars knows ("inf", "1e-3").
  if (text.empty() || text.size() > 5) return false;
  if (!std::all_of(text.begin(), text.end(),
                   [](char c) { return (c >= '0' && c <= '9') || c == '.'; })) {
    return false;
  }
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), quality);
  return error == std::errc() && end == text.data() + text.size() && quality >= 0 && quality <= 1;
}

// Parameters after q are extensions of Accept itself and say nothing about the media type.
bool ParseParameters(Reader& reader, AcceptItem& item) {
  bool after_quality = false;
  std::string value;
  while (reader.Take(';')) {
    std::string name = reader.Token(false);
    if (name.empty()) continue;  // "text/plain;" is common and harmless
    if (!reader.Take('=')) {
      if (after_quality) continue;
      return false;
    }
    if (!reader.Value(value)) return false;
    if (after_quality) continue;
    if (name == "q") {
      if (!ParseQuality(value, item.quality)) return false;
      after_quality = true;
    } else {
      item.parameters.emplace_back(std::move(name), value);
    }
  }
  return true;
}

// How closely a range names an offer: 0 not at all, 1 "*/*", 2 "text/*", 3 and more the type
// itself, one more for each parameter that both have.
int MatchDegree(const AcceptItem& range, const AcceptItem& offer) {
  if (range.value == "*/*" || range.value == "*") return 1;
  if (range.value.size() > 2 && range.value.substr(range.value.size() - 2) == "/*") {
    const std::size_t prefix = range.value.size() - 1;
    return offer.value.compare(0, prefix, range.value, 0, prefix) == 0 ? 2 : 0;
  }
  if (range.value != offer.value) return 0;
  int degree = 3;
  for (const auto& [name, value] : range.parameters) {
    if (name == "charset") continue;
    for (const auto& [offered_name, offered_value] : offer.parameters) {
      if (offered_name != name) continue;
      if (!EqualsIgnoreCase(offered_value, value)) return 0;
      ++degree;
    }
  }
  return degree;
}

}  // namespace

std::vector<AcceptItem> ParseAccept(std::string_view header) {
  std::vector<AcceptItem> items;
  Reader reader(header);
  while (!reader.AtEnd()) {
    AcceptItem item;
    item.value = reader.Token(true);
    const bool well_formed = !item.value.empty() && ParseParameters(reader, item);
    reader.SkipSpace();
    if (reader.AtEnd() || reader.Take(',')) {
      if (well_formed) items.push_back(std::move(item));
    } else {
      reader.SkipMember();
    }
  }
  return items;
}

std::optional<std::size_t> ChooseMediaType(std::string_view accept,
                                           std::span<const std::string_view> offers) {
  if (offers.empty()) return std::nullopt;
  if (accept.find_first_not_of(" \t") == std::string_view::npos) return 0;
  const std::vector<AcceptItem> ranges = ParseAccept(accept);
  std::optional<std::size_t> chosen;
  double chosen_quality = 0;
  int chosen_degree = 0;
  for (std::size_t i = 0; i < offers.size(); ++i) {
    const std::vector<AcceptItem> parsed = ParseAccept(offers[i]);
    if (parsed.size() != 1) continue;
    int degree = 0;
    double quality = 0;
    for (const AcceptItem& range : ranges) {
      const int this_degree = MatchDegree(range, parsed.front());
      if (this_degree > degree) {
        degree = this_degree;
        quality = range.quality;
      }
    }
    if (degree == 0 || quality <= 0) continue;
    if (quality > chosen_quality || (quality == chosen_quality && degree > chosen_degree)) {
      chosen = i;
      chosen_quality = quality;
      chosen_degree = degree;
    }
  }
  return chosen;
}

bool PrefersGzip(std::string_view accept_encoding) {
  std::optional<double> gzip;
  std::optional<double> identity;
  std::optional<double> any;
  for (const AcceptItem& item : ParseAccept(accept_encoding)) {
    if (item.value == "gzip" || item.value == "x-gzip") gzip = item.quality;
    if (item.value == "identity") identity = item.quality;
    if (item.value == "*") any = item.quality;
  }
  if (!gzip) gzip = any;
  return gzip && *gzip > 0 && *gzip >= identity.value_or(0);
}

}  // namespace ckpt::http
