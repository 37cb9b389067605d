// SPDX-License-Identifier: Apache-2.0
#include "config/connection.h"

#include <unistd.h>
#include <type_traits>

#include <map>
#include <memory>

#include "config/settings.h"
#include "config/small_file.h"

namespace ckpt::config {
namespace {

using std::string_view;

constexpr std::size_t kLargestPassword = 4096;

// What a connection setting holds as libpq's text; empty if it is not set.
std::string ConnectionValue(const Setting& setting, const TargetConfig& target) {
  return std::visit(
      [&](auto member) -> std::string {
        using T = std::remove_cvref_t<decltype(target.*member)>;
        if constexpr (std::is_same_v<T, std::string>) {
          return target.*member;
        } else if constexpr (std::is_same_v<T, int>) {
          return target.*member == 0 ? "" : std::to_string(target.*member);
        } else {
          return "";
        }
      },
      setting.member);
}

// The content of a file that holds one secret, without the line end that editors add.
Result<Secret> ReadSecretFile(const std::string& path) {
  Result<std::string> content = ReadSmallFile(path, kLargestPassword);
  if (!content.ok()) return content.error();
  std::string text = std::move(content).value();
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  if (text.empty()) return Error{ErrorCode::kConfig, "is empty"};
  if (text.find('\0') != std::string::npos) {
    return Error{ErrorCode::kConfig, "holds a NUL character"};
  }
  return Secret(std::move(text));
}

}  // namespace

Environment CaptureEnvironment() {
  auto variables = std::make_shared<std::map<std::string, std::string>>();
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals == string_view::npos) continue;
    variables->emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return [variables](const std::string& name) -> std::optional<std::string> {
    const auto found = variables->find(name);
    if (found == variables->end()) return std::nullopt;
    return found->second;
  };
}

std::vector<std::string> LibpqVariables() {
  // These three become SETs at login and have no keyword of their own.
  std::vector<std::string> names{"PGDATESTYLE", "PGTZ", "PGGEQO"};
  for (const ConnectionKeyword& row : ConnectionKeywords()) {
    if (!row.variable.empty()) names.emplace_back(row.variable);
  }
  return names;
}

Result<Conninfo> TargetConninfo(const TargetConfig& target) {
  Conninfo conninfo;
  if (!target.dsn.empty()) {
    Result<Conninfo> parsed = Conninfo::Parse(target.dsn);
    if (!parsed.ok()) return Error{ErrorCode::kConfig, "dsn: " + parsed.error().message};
    conninfo = std::move(parsed).value();
  }
  for (const Setting& setting : Settings()) {
    if (!setting.keyword.empty()) {
      conninfo.SetIfAbsent(setting.keyword, ConnectionValue(setting, target));
    }
  }
  return conninfo;
}

Result<Connection> ResolveConnection(const TargetConfig& target, const Environment& environment) {
  Result<Conninfo> conninfo = TargetConninfo(target);
  if (!conninfo.ok()) return conninfo.error();
  if (!target.password_file.empty()) {
    Result<Secret> password = ReadSecretFile(target.password_file);
    if (!password.ok()) {
      return Error{ErrorCode::kConfig,
                   "password_file " + target.password_file + ": " + password.error().message};
    }
    conninfo.value().Set("password", password.value().Reveal());
  } else if (!target.password_env.empty()) {
    const std::optional<std::string> password = environment(target.password_env);
    if (!password || password->empty()) {
      return Error{ErrorCode::kConfig,
                   "password_env: the variable " + target.password_env + " is not set"};
    }
    conninfo.value().Set("password", *password);
  }
  Connection connection;
  connection.secrets = conninfo.value().Secrets();
  for (const auto& [keyword, value] : conninfo.value().pairs()) {
    if (keyword == "password") {
      connection.password = Secret(value);
    } else {
      connection.parameters.emplace_back(keyword, value);
    }
  }
  return connection;
}

}  // namespace ckpt::config
