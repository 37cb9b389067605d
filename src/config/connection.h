// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "config/config.h"
#include "config/dsn.h"
#include "core/result.h"
#include "core/secret.h"

namespace ckpt::config {

// The environment, as a function so that tests own it. Empty: the variable is not set.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

// The environment of the process as it is at the call: a copy, so that variables may be unset
// afterwards. Call it before threads start.
Environment CaptureEnvironment();

// The variables that libpq would read behind our back (PGOPTIONS changes timeouts, PGPASSWORD goes
// to every server). Unset them once CaptureEnvironment() has a copy; what a target is to have of
// them is in its configuration then.
std::vector<std::string> LibpqVariables();

// What a session needs to connect, with the password in it.
struct Connection {
  Secret conninfo;              // key='value' pairs for libpq
  std::vector<Secret> secrets;  // for Redact() on whatever comes back
};

// The connection string of a target without its password: its DSN, then its own keys, then ours
// (application_name, connect_timeout in whole seconds, and `options` with statement_timeout,
// lock_timeout, read-only transactions and search_path), never over what the operator wrote.
Result<Conninfo> TargetConninfo(const TargetConfig& target);

// The same with the password, which is read now from password_file or password_env: call it at
// every connect, so that a changed password needs no restart. Errors (kConfig) name the file or the
// variable, never the content.
Result<Connection> ResolveConnection(const TargetConfig& target, const Environment& environment);

// A configuration of the targets that the environment describes: DATA_SOURCE_NAME (several URIs may
// be separated by commas), or DATA_SOURCE_URI with DATA_SOURCE_USER and DATA_SOURCE_PASS, each also
// as ..._FILE; else, and for whatever these leave open, libpq's PG* variables.
// The error (kConfig) names the variable; without any of them it says how to name a server.
Result<Config> ConfigFromEnvironment(const Environment& environment);

}  // namespace ckpt::config
