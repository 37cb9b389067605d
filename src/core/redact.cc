// SPDX-License-Identifier: Apache-2.0
#include "core/redact.h"

#include <algorithm>
#include <array>
#include <vector>

namespace ckpt {
namespace {

using std::string_view;

// TABLE: libpq keywords (and their like in other programs) whose values are secrets.
constexpr std::array<string_view, 8> kSecretKeywords{
    "password",   "sslpassword", "scram_client_key", "scram_server_key", "oauth_client_secret",
    "pgpassword", "passwd",      "data_source_pass"};

constexpr std::size_t kShortSecret = 4;

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool IsWordCharacter(char c) {
  const char lower = Lower(c);
  return (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool StartsWithNoCase(string_view text, string_view lower_prefix) {
  return text.size() >= lower_prefix.size() &&
         std::equal(lower_prefix.begin(), lower_prefix.end(), text.begin(),
                    [](char expected, char actual) { return expected == Lower(actual); });
}

std::string PercentEncode(string_view text) {
  constexpr string_view kHex = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    if (IsWordCharacter(c) || c == '-' || c == '.' || c == '~') {
      encoded += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      encoded += '%';
      encoded += kHex[byte >> 4U];
      encoded += kHex[byte & 15U];
    }
  }
  return encoded;
}

void ReplaceKnown(std::string& text, string_view secret) {
  if (secret.empty()) return;
  for (std::size_t at = text.find(secret); at != std::string::npos; at = text.find(secret, at)) {
    const std::size_t end = at + secret.size();
    // A short secret is also a syllable of other words; there it tells nothing.
    const bool inside_word = (at > 0 && IsWordCharacter(text[at - 1])) ||
                             (end < text.size() && IsWordCharacter(text[end]));
    if (secret.size() < kShortSecret && inside_word) {
      at = end;
      continue;
    }
    text.replace(at, secret.size(), kRedacted);
    at += string_view(kRedacted).size();
  }
}

// The end of a libpq value that begins at `at`: quoted, or up to a blank or an ampersand.
std::size_t EndOfValue(string_view text, std::size_t at) {
  if (at >= text.size()) return at;
  const char quote = text[at];
  if (quote == '\'' || quote == '"') {
    for (std::size_t i = at + 1; i < text.size(); ++i) {
      if (text[i] == '\\') {
        ++i;
      } else if (text[i] == quote) {
        return i + 1;
      }
    }
    return text.size();  // an open quote: everything after it may be the secret
  }
  std::size_t i = at;
  while (i < text.size() && !IsBlank(text[i]) && text[i] != '&' && text[i] != '"') {
    i += text[i] == '\\' && i + 1 < text.size() ? 2U : 1U;
  }
  return i;
}

// If a secret keyword and its separator begin at `at`, the position of the value; else npos.
std::size_t SecretValueAt(string_view text, std::size_t at) {
  if (at > 0 && IsWordCharacter(text[at - 1])) return string_view::npos;
  for (const string_view keyword : kSecretKeywords) {
    if (!StartsWithNoCase(text.substr(at), keyword)) continue;
    std::size_t i = at + keyword.size();
    while (i < text.size() && (text[i] == ' ' || text[i] == '\t')) ++i;
    if (i >= text.size() || text[i] != '=') continue;
    ++i;
    while (i < text.size() && (text[i] == ' ' || text[i] == '\t')) ++i;
    return i;
  }
  return string_view::npos;
}

// Appends the URI that begins at text[at] (its scheme) without its password; returns its end.
std::size_t AppendUri(string_view text, std::size_t at, std::string& out) {
  const std::size_t authority = text.find("://", at) + 3;
  std::size_t line_end = authority;
  while (line_end < text.size() && text[line_end] != '\n') ++line_end;
  std::size_t token_end = authority;
  while (token_end < line_end && !IsBlank(text[token_end]) && text[token_end] != '"') ++token_end;

  // A password that was not encoded may hold any character, so the last @ of the line counts.
  const string_view line = text.substr(authority, line_end - authority);
  const std::size_t last_at = line.rfind('@');
  const std::size_t colon = line.find(':');
  if (last_at != string_view::npos) {
    const std::size_t end = authority + last_at;
    const bool has_password = colon != string_view::npos && colon < last_at;
    out.append(text.substr(at, (has_password ? authority + colon + 1 : end) - at));
    if (has_password) out.append(kRedacted);
    return end;
  }
  if (colon == string_view::npos || authority + colon >= token_end) {
    out.append(text.substr(at, authority - at));
    return authority;
  }
  const string_view token = text.substr(authority, token_end - authority);
  const std::size_t first_other = token.find_first_not_of("0123456789", colon + 1);
  const bool is_port =
      token.front() == '[' || first_other == string_view::npos ||
      (first_other > colon + 1 && string_view("/?,").find(token[first_other]) != string_view::npos);
  if (is_port) {
    out.append(text.substr(at, authority - at));
    return authority;
  }
  out.append(text.substr(at, authority + colon + 1 - at)).append(kRedacted);
  return token_end;
}

std::string RedactPatterns(string_view text) {
  std::string out;
  out.reserve(text.size());
  std::size_t at = 0;
  while (at < text.size()) {
    if (StartsWithNoCase(text.substr(at), "postgres://") ||
        StartsWithNoCase(text.substr(at), "postgresql://")) {
      at = AppendUri(text, at, out);
      continue;
    }
    const std::size_t value = SecretValueAt(text, at);
    if (value == string_view::npos) {
      out += text[at++];
      continue;
    }
    out.append(text.substr(at, value - at)).append(kRedacted);
    at = EndOfValue(text, value);
  }
  return out;
}

}  // namespace

std::string Redact(string_view text, std::span<const Secret> secrets) {
  std::vector<string_view> known;
  for (const Secret& secret : secrets) known.emplace_back(secret.Reveal());
  // The longest first: one secret may be a part of another.
  std::sort(known.begin(), known.end(),
            [](string_view a, string_view b) { return a.size() > b.size(); });
  std::string out(text);
  for (const string_view secret : known) {
    ReplaceKnown(out, secret);
    const std::string encoded = PercentEncode(secret);
    if (encoded != secret) ReplaceKnown(out, encoded);
  }
  return RedactPatterns(out);
}

bool IsSecretKeyword(string_view keyword) {
  return std::any_of(kSecretKeywords.begin(), kSecretKeywords.end(), [&](string_view secret) {
    return secret.size() == keyword.size() && StartsWithNoCase(keyword, secret);
  });
}

}  // namespace ckpt
