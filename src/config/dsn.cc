// SPDX-License-Identifier: Apache-2.0
#include "config/dsn.h"

#include <algorithm>
#include <array>

#include "config/units.h"
#include "core/redact.h"

namespace ckpt::config {
namespace {

using std::string_view;

constexpr std::size_t kLongestText = 8192;

constexpr std::array kKeywords = std::to_array<ConnectionKeyword>({
    {"host", "PGHOST"},
    {"hostaddr", "PGHOSTADDR"},
    {"port", "PGPORT"},
    {"dbname", "PGDATABASE"},
    {"user", "PGUSER"},
    {"password", "PGPASSWORD"},
    {"passfile", "PGPASSFILE"},
    {"service", "PGSERVICE"},
    {"servicefile"},
    {"require_auth", "PGREQUIREAUTH"},
    {"channel_binding", "PGCHANNELBINDING"},
    {"connect_timeout", "PGCONNECT_TIMEOUT"},
    {"client_encoding", "PGCLIENTENCODING"},
    {"options", "PGOPTIONS"},
    {"application_name", "PGAPPNAME"},
    {"fallback_application_name"},
    {"keepalives"},
    {"keepalives_idle"},
    {"keepalives_interval"},
    {"keepalives_count"},
    {"tcp_user_timeout"},
    {"replication"},
    {"gssencmode", "PGGSSENCMODE"},
    {"sslmode", "PGSSLMODE"},
    {"requiressl", "PGREQUIRESSL"},
    {"sslnegotiation", "PGSSLNEGOTIATION"},
    {"sslcompression", "PGSSLCOMPRESSION"},
    {"sslcert", "PGSSLCERT"},
    {"sslkey", "PGSSLKEY"},
    {"sslkeylogfile"},
    {"sslpassword"},
    {"sslcertmode", "PGSSLCERTMODE"},
    {"sslrootcert", "PGSSLROOTCERT"},
    {"sslcrl", "PGSSLCRL"},
    {"sslcrldir", "PGSSLCRLDIR"},
    {"sslsni", "PGSSLSNI"},
    {"requirepeer", "PGREQUIREPEER"},
    {"ssl_min_protocol_version", "PGSSLMINPROTOCOLVERSION"},
    {"ssl_max_protocol_version", "PGSSLMAXPROTOCOLVERSION"},
    {"min_protocol_version", "PGMINPROTOCOLVERSION"},
    {"max_protocol_version", "PGMAXPROTOCOLVERSION"},
    {"krbsrvname", "PGKRBSRVNAME"},
    {"gsslib", "PGGSSLIB"},
    {"gssdelegation", "PGGSSDELEGATION"},
    {"target_session_attrs", "PGTARGETSESSIONATTRS"},
    {"load_balance_hosts", "PGLOADBALANCEHOSTS"},
    {"scram_client_key"},
    {"scram_server_key"},
    {"oauth_issuer"},
    {"oauth_client_id"},
    {"oauth_client_secret"},
    {"oauth_scope"},
});

Error Bad(std::string message) { return {ErrorCode::kConfig, std::move(message)}; }

bool IsKeyword(string_view text) {
  return std::any_of(kKeywords.begin(), kKeywords.end(),
                     [&](const ConnectionKeyword& row) { return row.keyword == text; });
}

bool IsBlank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

void SkipBlanks(string_view& text) {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
}

// The length of the scheme with "://" if `text` is a URI, else 0.
std::size_t SchemeLength(string_view text) {
  for (const string_view scheme : {string_view("postgresql://"), string_view("postgres://")}) {
    if (text.starts_with(scheme)) return scheme.size();
  }
  return 0;
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Empty if a % is not followed by two hexadecimal digits, or encodes NUL.
std::optional<std::string> PercentDecode(string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const int high = HexDigit(text[i + 1]);
    const int low = HexDigit(text[i + 2]);
    if (high < 0 || low < 0 || high + low == 0) return std::nullopt;
    decoded += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return decoded;
}

Status CheckPorts(const Conninfo& conninfo) {
  const std::string ports = conninfo.Get("port").value_or("");
  string_view rest = ports;
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const string_view port = rest.substr(0, comma);
    const std::optional<std::int64_t> number = ParseInteger(port);
    if (!port.empty() && (!number || *number < 1 || *number > 65535)) {
      return Bad(
          "the port is not a number from 1 to 65535; special characters in a user name or "
          "password must be percent-encoded");
    }
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return Success{};
}

// One value of the key=value form, taken off the front of `text`.
Result<std::string> TakeValue(string_view& text) {
  std::string value;
  const bool quoted = text.starts_with('\'');
  if (quoted) text.remove_prefix(1);
  for (;;) {
    if (text.empty()) {
      if (quoted) return Bad("a quoted value has no closing quote");
      return value;
    }
    if (quoted ? text.front() == '\'' : IsBlank(text.front())) {
      text.remove_prefix(1);
      return value;
    }
    if (text.front() == '\\') text.remove_prefix(1);
    if (text.empty()) continue;  // a last backslash stands for nothing
    value += text.front();
    text.remove_prefix(1);
  }
}

Result<Conninfo> ParseKeywordForm(string_view text) {
  Conninfo conninfo;
  for (int position = 1;; ++position) {
    SkipBlanks(text);
    if (text.empty()) return conninfo;
    const std::string ordinal = "item " + std::to_string(position);
    std::size_t length = 0;
    while (length < text.size() && text[length] != '=' && !IsBlank(text[length])) ++length;
    const std::string keyword(text.substr(0, length));
    text.remove_prefix(length);
    SkipBlanks(text);
    if (!text.starts_with('=')) {
      return Bad(ordinal + " is not key=value; a value with blanks needs single quotes");
    }
    text.remove_prefix(1);
    SkipBlanks(text);
    if (!IsKeyword(keyword)) {
      return Bad(ordinal +
                 " has a key that libpq does not know; a value with blanks needs single "
                 "quotes");
    }
    Result<std::string> value = TakeValue(text);
    if (!value.ok()) return Bad(ordinal + ": " + value.error().message);
    conninfo.Set(keyword, std::move(value).value());
  }
}

// "host[:port],..." into the two lists that libpq takes.
Status ParseHosts(string_view text, Conninfo& conninfo) {
  std::string hosts;
  std::string ports;
  bool has_host = false;
  bool has_port = false;
  for (bool first = true;; first = false) {
    std::size_t end = 0;  // of the host
    string_view host;
    if (text.starts_with('[')) {
      end = text.find(']');
      if (end == string_view::npos) return Bad("an IPv6 address has no closing bracket");
      host = text.substr(1, end - 1);
      ++end;
    } else {
      end = std::min(text.find_first_of(":,"), text.size());
      host = text.substr(0, end);
    }
    text.remove_prefix(end);
    string_view port;
    if (text.starts_with(':')) {
      port = text.substr(1, text.find(',') - 1);
      text.remove_prefix(port.size() + 1);
    }
    const std::optional<std::string> decoded = PercentDecode(host);
    if (!decoded) return Bad("the host has a % that is not followed by two hexadecimal digits");
    hosts.append(first ? "" : ",").append(*decoded);
    ports.append(first ? "" : ",").append(port);
    has_host = has_host || !decoded->empty();
    has_port = has_port || !port.empty();
    if (text.empty()) break;
    if (!text.starts_with(',')) return Bad("there is text after the closing bracket of an address");
    text.remove_prefix(1);
  }
  if (has_host) conninfo.Set("host", std::move(hosts));
  if (has_port) conninfo.Set("port", std::move(ports));
  return Success{};
}

Status ParseParameters(string_view text, Conninfo& conninfo) {
  for (int position = 1; !text.empty(); ++position) {
    const string_view item = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(item.size() + 1, text.size()));
    const std::string ordinal = "parameter " + std::to_string(position);
    const std::size_t equals = item.find('=');
    if (equals == string_view::npos) return Bad(ordinal + " is not key=value");
    const std::optional<std::string> keyword = PercentDecode(item.substr(0, equals));
    const std::optional<std::string> value = PercentDecode(item.substr(equals + 1));
    if (!keyword || !value) {
      return Bad(ordinal + " has a % that is not followed by two hexadecimal digits");
    }
    if (*keyword == "ssl" && *value == "true") {  // as JDBC writes it; libpq reads it too
      conninfo.Set("sslmode", "require");
    } else if (IsKeyword(*keyword)) {
      conninfo.Set(*keyword, *value);
    } else {
      return Bad(ordinal + " has a key that libpq does not know");
    }
  }
  return Success{};
}

Result<Conninfo> ParseUri(string_view text) {
  constexpr const char* kEncode = "percent-encode special characters in the user name and password";
  Conninfo conninfo;
  const std::size_t authority_end = std::min(text.find_first_of("/?"), text.size());
  string_view authority = text.substr(0, authority_end);
  string_view rest = text.substr(authority_end);

  const std::size_t at = authority.find('@');
  if (at != string_view::npos) {
    const string_view login = authority.substr(0, at);
    authority.remove_prefix(at + 1);
    const std::size_t colon = login.find(':');
    const std::optional<std::string> user = PercentDecode(login.substr(0, colon));
    if (!user) return Bad(std::string("the user name has a stray %; ") + kEncode);
    if (!user->empty()) conninfo.Set("user", *user);
    if (colon != string_view::npos) {
      const std::optional<std::string> password = PercentDecode(login.substr(colon + 1));
      if (!password) return Bad(std::string("the password has a stray %; ") + kEncode);
      if (!password->empty()) conninfo.Set("password", *password);
    }
  }
  // An @ further on means that what looked like host, port or database is part of a password.
  if (authority.find('@') != string_view::npos) {
    return Bad(std::string("more than one @ before the host; ") + kEncode);
  }
  if (const Status hosts = ParseHosts(authority, conninfo); !hosts.ok()) return hosts.error();

  if (rest.starts_with('/')) {
    const string_view dbname = rest.substr(1, rest.find('?') - 1);
    rest.remove_prefix(dbname.size() + 1);
    if (dbname.find_first_of("@/") != string_view::npos) {
      return Bad(std::string("an @ or / after the host; ") + kEncode);
    }
    const std::optional<std::string> decoded = PercentDecode(dbname);
    if (!decoded) return Bad("the database name has a stray %");
    if (!decoded->empty()) conninfo.Set("dbname", *decoded);
  }
  if (rest.starts_with('?')) {
    if (const Status done = ParseParameters(rest.substr(1), conninfo); !done.ok()) {
      return done.error();
    }
  }
  return conninfo;
}

}  // namespace

std::span<const ConnectionKeyword> ConnectionKeywords() { return kKeywords; }

Result<Conninfo> Conninfo::Parse(const Secret& text) {
  const string_view all = text.Reveal();
  if (all.size() > kLongestText) return Bad("longer than 8192 bytes");
  if (all.find('\0') != string_view::npos) return Bad("holds a NUL character");
  const std::size_t scheme = SchemeLength(all);
  if (scheme == 0 && all.find("://") != string_view::npos && all.find('=') > all.find("://")) {
    return Bad("a connection URI begins with postgresql:// or postgres://");
  }
  Result<Conninfo> conninfo = scheme > 0 ? ParseUri(all.substr(scheme)) : ParseKeywordForm(all);
  if (!conninfo.ok()) return conninfo;
  if (conninfo.value().Has("service")) {
    return Bad("service files are not read; write their keys here");
  }
  if (const Status ports = CheckPorts(conninfo.value()); !ports.ok()) return ports.error();
  return conninfo;
}

bool Conninfo::Has(string_view keyword) const { return Get(keyword).has_value(); }

std::optional<std::string> Conninfo::Get(string_view keyword) const {
  for (const auto& [key, value] : pairs_) {
    if (key == keyword) return value;
  }
  return std::nullopt;
}

void Conninfo::Set(string_view keyword, std::string value) {
  for (auto& [key, old] : pairs_) {
    if (key == keyword) {
      old = std::move(value);
      return;
    }
  }
  pairs_.emplace_back(keyword, std::move(value));
}

void Conninfo::SetIfAbsent(string_view keyword, std::string value) {
  if (!value.empty() && !Has(keyword)) Set(keyword, std::move(value));
}

Secret Conninfo::ToKeywordString() const {
  std::string text;
  for (const auto& [keyword, value] : pairs_) {
    text.append(text.empty() ? "" : " ").append(keyword).append("='");
    for (const char c : value) {
      if (c == '\'' || c == '\\') text += '\\';
      text += c;
    }
    text += '\'';
  }
  return Secret(std::move(text));
}

std::vector<Secret> Conninfo::Secrets() const {
  std::vector<Secret> secrets;
  for (const auto& [keyword, value] : pairs_) {
    if (IsSecretKeyword(keyword) && !value.empty()) secrets.emplace_back(value);
  }
  return secrets;
}

std::string Conninfo::DefaultTargetName() const {
  const auto first_of = [this](string_view keyword) {
    const std::string list = Get(keyword).value_or("");
    return list.substr(0, list.find(','));
  };
  std::string host = first_of("host");
  if (host.empty()) host = first_of("hostaddr");
  // A folder or an abstract name of a Unix-domain socket.
  if (host.empty() || host.front() == '/' || host.front() == '@') host = "localhost";
  if (host.find(':') != std::string::npos) host = "[" + host + "]";
  const std::string port = first_of("port");
  std::string name = host + ":" + (port.empty() ? "5432" : port);
  const std::string dbname = Get("dbname").value_or("");
  if (!dbname.empty()) name.append("/").append(dbname);
  return name;
}

}  // namespace ckpt::config
