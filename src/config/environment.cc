// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <utility>

#include "config/connection.h"
#include "config/settings.h"
#include "config/small_file.h"

namespace ckpt::config {
namespace {

using std::string_view;

constexpr std::size_t kLargestValue = 64UL << 10U;

// A variable, or the content of the file that NAME_FILE names, without blanks around it.
Result<std::optional<std::string>> Variable(const Environment& environment,
                                            const std::string& name) {
  const std::optional<std::string> value = environment(name);
  if (value && !value->empty()) return value;
  const std::optional<std::string> path = environment(name + "_FILE");
  if (!path || path->empty()) return std::optional<std::string>();
  const Result<std::string> content = ReadSmallFile(*path, kLargestValue);
  if (!content.ok()) {
    return Error{ErrorCode::kConfig, name + "_FILE: " + *path + ": " + content.error().message};
  }
  constexpr string_view kBlanks = " \t\r\n";
  const std::size_t first = content.value().find_first_not_of(kBlanks);
  if (first == std::string::npos) {
    return Error{ErrorCode::kConfig, name + "_FILE: " + *path + ": is empty"};
  }
  const std::size_t last = content.value().find_last_not_of(kBlanks);
  return std::optional<std::string>(content.value().substr(first, last + 1 - first));
}

// Several URIs separated by commas; a comma between the hosts of one URI is not one of these.
std::vector<string_view> SplitUris(string_view text) {
  std::vector<string_view> uris;
  for (;;) {
    const std::size_t comma = std::min(text.find(",postgresql://"), text.find(",postgres://"));
    uris.push_back(text.substr(0, comma));
    if (comma == string_view::npos) return uris;
    text.remove_prefix(comma + 1);
  }
}

// PG* variables fill what the connection string leaves open, as libpq would do. The password stays
// in the environment.
void AddLibpqVariables(const Environment& environment, Conninfo& conninfo, TargetConfig& target) {
  for (const ConnectionKeyword& row : ConnectionKeywords()) {
    if (row.variable.empty()) continue;
    const std::string name(row.variable);
    const std::string value = environment(name).value_or("");
    if (value.empty()) continue;
    if (row.keyword == "password") {
      if (!conninfo.Has("password") && target.password_file.empty()) target.password_env = name;
    } else {
      conninfo.SetIfAbsent(row.keyword, value);
    }
  }
}

LoadedTarget MakeTarget(const Environment& environment, Conninfo conninfo,
                        std::string password_file, const std::string& origin) {
  LoadedTarget target{DefaultTarget(), {origin, {}, {}}};
  target.config.password_file = std::move(password_file);
  AddLibpqVariables(environment, conninfo, target.config);
  target.config.dsn = conninfo.ToKeywordString();
  return target;
}

Error In(const std::string& variable, const Error& error) {
  return {ErrorCode::kConfig, variable + ": " + error.message};
}

}  // namespace

Result<Config> ConfigFromEnvironment(const Environment& environment) {
  Config config;
  config.file = "environment";

  const auto name = Variable(environment, "DATA_SOURCE_NAME");
  if (!name.ok()) return name.error();
  if (name.value()) {
    for (const string_view uri : SplitUris(*name.value())) {
      Result<Conninfo> conninfo = Conninfo::Parse(Secret(std::string(uri)));
      if (!conninfo.ok()) return In("DATA_SOURCE_NAME", conninfo.error());
      config.targets.push_back(
          MakeTarget(environment, std::move(conninfo).value(), "", "DATA_SOURCE_NAME"));
    }
    return config;
  }

  const auto uri = Variable(environment, "DATA_SOURCE_URI");
  if (!uri.ok()) return uri.error();
  if (uri.value()) {
    Result<Conninfo> conninfo = Conninfo::Parse(Secret("postgresql://" + *uri.value()));
    if (!conninfo.ok()) return In("DATA_SOURCE_URI", conninfo.error());
    const auto user = Variable(environment, "DATA_SOURCE_USER");
    if (!user.ok()) return user.error();
    if (user.value()) conninfo.value().Set("user", *user.value());
    // The path is kept rather than the content, so that a changed password is seen.
    const std::string password = environment("DATA_SOURCE_PASS").value_or("");
    const std::string password_file = environment("DATA_SOURCE_PASS_FILE").value_or("");
    if (!password.empty()) conninfo.value().Set("password", password);
    config.targets.push_back(MakeTarget(environment, std::move(conninfo).value(),
                                        password.empty() ? password_file : "", "DATA_SOURCE_URI"));
    return config;
  }

  constexpr std::array<const char*, 5> kEnough{"PGHOST", "PGHOSTADDR", "PGPORT", "PGDATABASE",
                                               "PGUSER"};
  for (const char* variable : kEnough) {
    if (environment(variable).value_or("").empty()) continue;
    config.targets.push_back(MakeTarget(environment, Conninfo(), "", variable));
    return config;
  }
  return Error{ErrorCode::kConfig,
               "no server to watch: give --config.file, or set DATA_SOURCE_NAME or PGHOST"};
}

}  // namespace ckpt::config
