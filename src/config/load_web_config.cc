// SPDX-License-Identifier: Apache-2.0
#include "config/load_web_config.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "config/diagnostics.h"
#include "config/units.h"
#include "config/yaml_reader.h"

namespace ckpt::config {
namespace {

using std::string_view;

// "a, b or c", from the names of a table.
template <class Table>
std::string NamesOf(const Table& table) {
  std::string names;
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (i > 0) names += i + 1 == table.size() ? " or " : ", ";
    names += table[i].name;
  }
  return names;
}

template <class Table>
const typename Table::value_type* FindName(const Table& table, string_view name) {
  const auto found =
      std::find_if(table.begin(), table.end(), [&](const auto& row) { return row.name == name; });
  return found == table.end() ? nullptr : &*found;
}

// Go's durations ("1s", "1.5h", "1m30s", "0"), as the toolkit reads them.
std::optional<std::chrono::nanoseconds> ParseGoDuration(string_view text) {
  struct Unit {
    string_view name;
    double nanoseconds;
  };
  constexpr std::array<Unit, 7> kUnits{{{"ns", 1},
                                        {"us", 1e3},
                                        {"\xC2\xB5s", 1e3},
                                        {"ms", 1e6},
                                        {"s", 1e9},
                                        {"m", 60e9},
                                        {"h", 3600e9}}};
  if (text == "0") return std::chrono::nanoseconds(0);
  if (text.empty()) return std::nullopt;
  double total = 0;
  while (!text.empty()) {
    const std::size_t digits = text.find_first_not_of("0123456789.");
    if (digits == 0 || digits == string_view::npos) return std::nullopt;
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + digits, value);
    if (error != std::errc() || end != text.data() + digits) return std::nullopt;
    text.remove_prefix(digits);
    const string_view name = text.substr(0, text.find_first_of("0123456789."));
    const Unit* unit = FindName(kUnits, name);
    if (unit == nullptr) return std::nullopt;
    total += value * unit->nanoseconds;
    text.remove_prefix(name.size());
  }
  constexpr double kMost = 86400e9 * 365;
  if (!(total <= kMost)) return std::nullopt;
  return std::chrono::nanoseconds(static_cast<std::int64_t>(total));
}

bool IsBcryptHash(string_view hash) {
  // "$2y$10$" and 53 characters of salt and hash.
  constexpr std::size_t kLength = 60;
  if (hash.size() != kLength || hash.substr(0, 2) != "$2" || hash[3] != '$' || hash[6] != '$') {
    return false;
  }
  if (string_view("abxy").find(hash[2]) == string_view::npos) return false;
  int cost = 0;
  const auto [end, error] = std::from_chars(hash.data() + 4, hash.data() + 6, cost);
  if (error != std::errc() || end != hash.data() + 6 || cost < 4 || cost > 31) return false;
  return std::all_of(hash.begin() + 7, hash.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' ||
           c == '/';
  });
}

class WebConfigReader {
 public:
  WebConfigReader(const std::string& path, Diagnostics& diagnostics)
      : path_(path), diagnostics_(diagnostics) {}

  WebConfig Read(const YamlNode& root) {
    ReadMapping(root, "",
                {"tls_server_config", "http_server_config", "basic_auth_users", "rate_limit"},
                [this](const YamlEntry& entry) {
                  if (entry.key == "tls_server_config") ReadTls(entry.value);
                  if (entry.key == "http_server_config") ReadHttp(entry.value);
                  if (entry.key == "basic_auth_users") ReadUsers(entry.value);
                  if (entry.key == "rate_limit") ReadRateLimit(entry.value);
                });
    return std::move(config_);
  }

 private:
  void Report(Position at, std::string message) { diagnostics_.Add(path_, at, std::move(message)); }

  // Calls `read` for each known key of a mapping, reports the others. Null is an empty mapping.
  template <class Read>
  void ReadMapping(const YamlNode& node, string_view name, const std::vector<string_view>& known,
                   Read read) {
    if (node.kind == YamlNode::Kind::kNull) return;
    if (node.kind != YamlNode::Kind::kMapping) {
      Report(node.at, name.empty() ? "must be a mapping of keys to values"
                                   : std::string(name) + ": must be a mapping");
      return;
    }
    for (const YamlEntry& entry : node.entries) {
      if (std::find(known.begin(), known.end(), entry.key) == known.end()) {
        Report(entry.at, "unknown key " + QuoteKey(entry.key) + DidYouMean(entry.key, known));
      } else {
        read(entry);
      }
    }
  }

  std::string Text(const YamlEntry& entry) {
    if (entry.value.kind == YamlNode::Kind::kScalar) return entry.value.text;
    if (entry.value.kind != YamlNode::Kind::kNull) {
      Report(entry.value.at, entry.key + ": must be one value");
    }
    return {};
  }

  std::string Path(const YamlEntry& entry) {
    std::string text = Text(entry);
    if (text.empty() || text.front() == '/') return text;
    return (std::filesystem::absolute(path_).parent_path() / text).string();
  }

  void Boolean(const YamlEntry& entry, bool& value) {
    const std::optional<bool> parsed = ParseBool(Text(entry));
    if (parsed) {
      value = *parsed;
    } else {
      Report(entry.value.at, entry.key + ": must be true or false");
    }
  }

  std::vector<std::string> List(const YamlEntry& entry) {
    std::vector<std::string> list;
    if (entry.value.kind == YamlNode::Kind::kNull) return list;
    if (entry.value.kind != YamlNode::Kind::kSequence) {
      Report(entry.value.at, entry.key + ": must be a list");
      return list;
    }
    for (const YamlNode& item : entry.value.items) {
      if (item.kind != YamlNode::Kind::kScalar || item.text.empty()) {
        Report(item.at, entry.key + ": each entry must be one value");
      }
      list.push_back(item.text);
    }
    return list;
  }

  template <class Table>
  std::vector<std::string> NameList(const YamlEntry& entry, const Table& table) {
    std::vector<std::string> names = List(entry);
    for (const YamlNode& item : entry.value.items) {
      if (FindName(table, item.text) == nullptr) {
        Report(item.at, entry.key + ": must be among " + NamesOf(table));
      }
    }
    return names;
  }

  template <class Table>
  const typename Table::value_type* Name(const YamlEntry& entry, const Table& table) {
    const auto* found = FindName(table, Text(entry));
    if (found == nullptr) Report(entry.value.at, entry.key + ": must be " + NamesOf(table));
    return found;
  }

  void ReadTls(const YamlNode& node) {
    WebTlsConfig tls;
    bool auth_type_given = false;
    Position sans_at;
    const std::vector<string_view> known{"cert",
                                         "cert_file",
                                         "key",
                                         "key_file",
                                         "client_ca",
                                         "client_ca_file",
                                         "client_auth_type",
                                         "client_allowed_sans",
                                         "min_version",
                                         "max_version",
                                         "cipher_suites",
                                         "curve_preferences",
                                         "prefer_server_cipher_suites"};
    ReadMapping(node, "tls_server_config", known, [&](const YamlEntry& entry) {
      if (entry.key == "cert") tls.cert = Text(entry);
      if (entry.key == "cert_file") tls.cert_file = Path(entry);
      if (entry.key == "key") tls.key = Text(entry);
      if (entry.key == "key_file") tls.key_file = Path(entry);
      if (entry.key == "client_ca") tls.client_ca = Text(entry);
      if (entry.key == "client_ca_file") tls.client_ca_file = Path(entry);
      if (entry.key == "client_auth_type" && entry.value.kind != YamlNode::Kind::kNull) {
        auth_type_given = true;
        if (const auto* row = Name(entry, kClientAuthTypes)) tls.client_auth_type = row->type;
      }
      if (entry.key == "client_allowed_sans") {
        sans_at = entry.at;
        tls.client_allowed_sans = List(entry);
        if (entry.value.kind == YamlNode::Kind::kSequence && entry.value.items.empty()) {
          Report(entry.value.at,
                 "client_allowed_sans: an empty list would admit nobody; name at "
                 "least one, or leave the key out");
        }
      }
      if (entry.key == "min_version") {
        if (const auto* row = Name(entry, kTlsVersions)) tls.min_version = row->version;
      }
      if (entry.key == "max_version") {
        if (const auto* row = Name(entry, kTlsVersions)) tls.max_version = row->version;
      }
      if (entry.key == "cipher_suites") tls.cipher_suites = NameList(entry, kTlsCipherSuites);
      if (entry.key == "curve_preferences") tls.curve_preferences = NameList(entry, kTlsCurves);
      if (entry.key == "prefer_server_cipher_suites") {
        Boolean(entry, tls.prefer_server_cipher_suites);
      }
    });
    // As in the toolkit, settings that only refine TLS do not switch it on.
    const bool enabled = !tls.cert.empty() || !tls.cert_file.empty() || !tls.key.empty() ||
                         !tls.key_file.empty() || !tls.client_ca.empty() ||
                         !tls.client_ca_file.empty() || auth_type_given;
    if (!enabled) return;
    CheckTls(tls, node.at, sans_at);
    config_.tls = std::move(tls);
  }

  void CheckTls(const WebTlsConfig& tls, Position at, Position sans_at) {
    const auto pair = [&](string_view name, bool is_inline, bool is_file, bool needed) {
      const std::string key(name);
      if (is_inline && is_file)
        Report(at, "tls_server_config: give " + key + " or " + key + "_file, not both");
      if (needed && !is_inline && !is_file)
        Report(at, "tls_server_config: " + key + "_file (or " + key + ") is missing");
    };
    pair("cert", !tls.cert.empty(), !tls.cert_file.empty(), true);
    pair("key", !tls.key.empty(), !tls.key_file.empty(), true);
    pair("client_ca", !tls.client_ca.empty(), !tls.client_ca_file.empty(), false);
    const ClientAuthInfo& auth = ClientAuthInfoOf(tls.client_auth_type);
    if (!auth.requests && (!tls.client_ca.empty() || !tls.client_ca_file.empty())) {
      Report(at,
             "tls_server_config: client_ca needs a client_auth_type, such as "
             "RequireAndVerifyClientCert");
    }
    if (!tls.client_allowed_sans.empty() && !auth.requires_one) {
      Report(sans_at,
             "client_allowed_sans: needs client_auth_type RequireAndVerifyClientCert or "
             "RequireAnyClientCert; the others let a client come without a certificate");
    }
    if (tls.min_version > tls.max_version) {
      Report(at, "tls_server_config: min_version is above max_version");
    }
  }

  void ReadHttp(const YamlNode& node) {
    ReadMapping(node, "http_server_config", {"http2", "headers"}, [this](const YamlEntry& entry) {
      if (entry.key == "http2") Boolean(entry, config_.http2);
      if (entry.key == "headers") ReadHeaders(entry.value);
    });
  }

  void ReadHeaders(const YamlNode& node) {
    std::vector<string_view> known;
    known.reserve(kWebHeaders.size());
    for (const WebHeaderInfo& header : kWebHeaders) known.push_back(header.name);
    ReadMapping(node, "headers", known, [this](const YamlEntry& entry) {
      const std::string value = Text(entry);
      if (value.empty()) return;  // "unset if blank"
      const WebHeaderInfo& header = *FindName(kWebHeaders, entry.key);
      const bool free_text = header.first_value.empty();
      if (!free_text && value != header.first_value &&
          (header.second_value.empty() || value != header.second_value)) {
        std::string allowed(header.first_value);
        if (!header.second_value.empty()) allowed.append(" or ").append(header.second_value);
        Report(entry.value.at, entry.key + ": must be " + allowed);
      } else if (value.find_first_of(string_view("\r\n\0", 3)) != std::string::npos) {
        Report(entry.value.at, entry.key + ": must be one line");
      } else {
        config_.headers.emplace_back(entry.key, value);
      }
    });
  }

  void ReadUsers(const YamlNode& node) {
    if (node.kind == YamlNode::Kind::kNull) return;
    if (node.kind != YamlNode::Kind::kMapping) {
      return Report(node.at, "basic_auth_users: must be a mapping of user names to bcrypt hashes");
    }
    for (const YamlEntry& entry : node.entries) {
      if (entry.value.kind != YamlNode::Kind::kScalar || !IsBcryptHash(entry.value.text)) {
        Report(entry.value.at,
               "basic_auth_users: the password must be a bcrypt hash; make one with "
               "`htpasswd -nBC 10 USER`");
      } else if (entry.key.find(':') != std::string::npos) {
        Report(entry.at, "basic_auth_users: HTTP has no user names with a colon");
      } else {
        config_.basic_auth_users.emplace(entry.key, entry.value.text);
      }
    }
  }

  void ReadRateLimit(const YamlNode& node) {
    WebRateLimit& limit = config_.rate_limit;
    ReadMapping(node, "rate_limit", {"interval", "burst"}, [&](const YamlEntry& entry) {
      if (entry.key == "interval") {
        const auto interval = ParseGoDuration(Text(entry));
        if (interval) {
          limit.interval = *interval;
        } else {
          Report(entry.value.at, "interval: must be a duration with a unit, such as 1s or 500ms");
        }
      }
      if (entry.key == "burst") {
        const auto burst = ParseInteger(Text(entry));
        if (burst && *burst >= 0 && *burst <= std::numeric_limits<int>::max()) {
          limit.burst = static_cast<int>(*burst);
        } else {
          Report(entry.value.at, "burst: must be a whole number of requests");
        }
      }
    });
    if (diagnostics_.ok() && limit.interval.count() > 0 && limit.burst < 1) {
      Report(node.at, "rate_limit: burst must be at least 1, or every request would be refused");
    }
  }

  const std::string& path_;
  Diagnostics& diagnostics_;
  WebConfig config_;
};

Result<WebConfig> FromTree(const std::optional<YamlNode>& root, const std::string& path,
                           Diagnostics& diagnostics) {
  WebConfig config;
  if (root) config = WebConfigReader(path, diagnostics).Read(*root);
  if (!diagnostics.ok()) return diagnostics.ToError();
  return config;
}

}  // namespace

Result<WebConfig> LoadWebConfig(const std::string& path) {
  Diagnostics diagnostics;
  const std::optional<YamlNode> root = ReadYamlFile(path, diagnostics);
  return FromTree(root, path, diagnostics);
}

Result<WebConfig> ParseWebConfig(string_view text, const std::string& path) {
  Diagnostics diagnostics;
  const std::optional<YamlNode> root = ParseYaml(text, path, diagnostics);
  return FromTree(root, path, diagnostics);
}

}  // namespace ckpt::config
