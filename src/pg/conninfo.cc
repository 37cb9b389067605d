// SPDX-License-Identifier: Apache-2.0
#include "pg/conninfo.h"

#include <libpq-fe.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <utility>

namespace ckpt::pg {
namespace {

using std::string_view;

constexpr string_view kApplicationName = "pgcheckpoint_exporter";

// Handled here rather than passed on as the caller gave them.
constexpr std::array<string_view, 6> kOwnKeywords{"host", "hostaddr", "port",
                                                  "user", "password", "options"};

std::vector<std::string> SplitAtCommas(string_view list) {
  std::vector<std::string> parts;
  std::size_t from = 0;
  for (;;) {
    const std::size_t comma = list.find(',', from);
    parts.emplace_back(list.substr(from, comma - from));
    if (comma == string_view::npos) return parts;
    from = comma + 1;
  }
}

// A value in a conninfo string: quoted, with backslash escapes.
void AppendKeyword(std::string& out, string_view keyword, string_view value) {
  if (!out.empty()) out += ' ';
  out.append(keyword).append("='");
  for (const char c : value) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  out += '\'';
}

// A value inside the "options" parameter, where blanks separate and a backslash escapes.
std::string EscapeForOptions(string_view value) {
  std::string out;
  for (const char c : value) {
    if (c == ' ' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string OperatingSystemUser() {
  std::array<char, 4096> buffer{};
  passwd entry{};
  passwd* found = nullptr;
  if (::getpwuid_r(::geteuid(), &entry, buffer.data(), buffer.size(), &found) != 0 ||
      found == nullptr) {
    return "";
  }
  return found->pw_name;
}

bool HasUnsendableByte(string_view text) { return text.find('\0') != string_view::npos; }

}  // namespace

std::vector<SessionSetting> SettingsFor(const SessionTimeouts& timeouts) {
  return {
      {"statement_timeout", std::to_string(timeouts.statement.count())},
      {"lock_timeout", std::to_string(timeouts.lock.count())},
      {"default_transaction_read_only", "on"},
      {"search_path", "pg_catalog"},
      {"client_min_messages", "warning"},
      {"DateStyle", "ISO"},
      {"IntervalStyle", "postgres"},
      {"bytea_output", "hex"},
      {"extra_float_digits", "3"},  // doubles come back exactly, also from 10 and 11
  };
}

std::string ParameterOr(const ConnectionParameters& parameters, string_view keyword,
                        string_view fallback) {
  std::string value(fallback);
  for (const auto& [name, given] : parameters.parameters) {
    if (name == keyword) value = given;
  }
  return value;
}

Result<std::vector<Endpoint>> EndpointsOf(const ConnectionParameters& parameters) {
  const std::vector<std::string> hosts = SplitAtCommas(ParameterOr(parameters, "host", ""));
  const std::vector<std::string> addresses = SplitAtCommas(ParameterOr(parameters, "hostaddr", ""));
  const std::vector<std::string> ports = SplitAtCommas(ParameterOr(parameters, "port", ""));

  const bool has_addresses = addresses.size() > 1 || !addresses.front().empty();
  const bool has_hosts = hosts.size() > 1 || !hosts.front().empty();
  const std::size_t count = has_addresses ? addresses.size() : hosts.size();
  if (has_addresses && has_hosts && hosts.size() != count) {
    return Error{ErrorCode::kConfig, "host names " + std::to_string(hosts.size()) +
                                         " entries but hostaddr " + std::to_string(count) +
                                         ": give one of each for every server"};
  }
  if (ports.size() != 1 && ports.size() != count) {
    return Error{ErrorCode::kConfig, "port names " + std::to_string(ports.size()) +
                                         " entries for " + std::to_string(count) +
                                         " hosts: give one, or one for every host"};
  }
  std::vector<Endpoint> endpoints;
  for (std::size_t i = 0; i < count; ++i) {
    Endpoint endpoint;
    if (has_hosts) endpoint.host = hosts[i];
    if (has_addresses) endpoint.hostaddr = addresses[i];
    endpoint.port = ports.size() == 1 ? ports.front() : ports[i];
    if (endpoint.port.empty()) endpoint.port = "5432";
    endpoints.push_back(std::move(endpoint));
  }
  return endpoints;
}

Result<Secret> BuildConninfo(const ConnectionParameters& parameters, const Endpoint& endpoint,
                             bool with_options) {
  std::map<std::string, std::string, std::less<>> given;
  for (const auto& [keyword, value] : parameters.parameters) {
    // The keyword itself goes into the string unquoted.
    if (keyword.empty() ||
        keyword.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") != std::string::npos) {
      return Error{ErrorCode::kConfig,
                   "a connection parameter has a name that libpq does not know: names are lower "
                   "case letters and underscores"};
    }
    if (HasUnsendableByte(value)) {
      return Error{ErrorCode::kConfig,
                   "connection parameter \"" + keyword + "\" holds a zero byte"};
    }
    given[keyword] = value;
  }
  if (HasUnsendableByte(parameters.password.Reveal())) {
    return Error{ErrorCode::kConfig, "the password holds a zero byte"};
  }

  const auto user = given.find("user");
  const std::string user_name = user != given.end() ? user->second : OperatingSystemUser();
  if (user_name.empty()) {
    return Error{ErrorCode::kConfig,
                 "no user is given and this process's user id has no name: set user"};
  }

  std::string conninfo;
  AppendKeyword(conninfo, "host", endpoint.host);
  AppendKeyword(conninfo, "hostaddr", endpoint.hostaddr);
  AppendKeyword(conninfo, "port", endpoint.port);
  AppendKeyword(conninfo, "user", user_name);
  AppendKeyword(conninfo, "password", parameters.password.Reveal());
  std::string options = given.contains("options") ? given.at("options") : "";
  if (with_options) {
    // After the caller's: the last setting of a name counts.
    for (const SessionSetting& setting : SettingsFor(parameters.timeouts)) {
      options.append(options.empty() ? "" : " ")
          .append("-c ")
          .append(setting.name)
          .append("=")
          .append(EscapeForOptions(setting.value));
    }
  }
  AppendKeyword(conninfo, "options", options);

  if (!given.contains("application_name")) {
    given.emplace("application_name", kApplicationName);
  }
  // "prefer" would ask a Kerberos server, for which there is no deadline.
  if (!given.contains("gssencmode")) given.emplace("gssencmode", "disable");

  const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> defaults(PQconndefaults(),
                                                                              &PQconninfoFree);
  if (!defaults) return Error{ErrorCode::kInternal, "libpq has no memory for its defaults"};
  for (const PQconninfoOption* option = defaults.get(); option->keyword != nullptr; ++option) {
    const string_view keyword = option->keyword;
    // An empty service name would be looked up in the service file.
    if (option->envvar == nullptr || keyword == "service") continue;
    // Documented, but not compiled in; libpq 16 and newer refuse an empty one.
    const bool certificate_mode = keyword == "sslcertmode";
    const char* absent = certificate_mode ? "allow" : "";
    given.emplace(keyword, option->compiled != nullptr ? option->compiled : absent);
  }
  for (const auto& [keyword, value] : given) {
    if (std::find(kOwnKeywords.begin(), kOwnKeywords.end(), keyword) == kOwnKeywords.end()) {
      AppendKeyword(conninfo, keyword, value);
    }
  }
  return Secret(std::move(conninfo));
}

std::string LocalSettingsSql(const SessionTimeouts& timeouts) {
  // A transaction that has begun ignores default_transaction_read_only.
  std::string sql = "SET TRANSACTION READ ONLY; ";
  for (const SessionSetting& setting : SettingsFor(timeouts)) {
    sql.append("SET LOCAL ")
        .append(setting.name)
        .append(" = '")
        .append(setting.value)
        .append("'; ");
  }
  return sql;
}

}  // namespace ckpt::pg
