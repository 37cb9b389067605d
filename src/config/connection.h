// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "config/config.h"
#include "config/dsn.h"
#include "core/environment.h"
#include "core/result.h"
#include "core/secret.h"

namespace ckpt::config {

// The environment of the process as it is at the call: a copy, so that variables may be unset
// afterwards. Call it before threads start.
Environment CaptureEnvironment();

// The variables that libpq would read behind our back (PGOPTIONS changes timeouts, PGPASSWORD goes
// to every server). Unset them once CaptureEnvironment() has a copy; what a target is to have of
// them is in its configuration then.
std::vector<std::string> LibpqVariables();

// What a session needs to connect.
struct Connection {
  // libpq keywords and values, without "password".
  std::vector<std::pair<std::string, std::string>> parameters;
  Secret password;  // empty: none is known here; libpq may find one in the passfile
  // All that must not be shown, for Redact() on whatever comes back.
  std::vector<Secret> secrets;
};

// The connection string of a target without what is in its password file or variable: its DSN, then
// the connection keys that the DSN leaves open.
Result<Conninfo> TargetConninfo(const TargetConfig& target);

// What to connect with, now: password_file or password_env are read by this call, so make it at
// every connect and a changed password needs no restart. Errors (kConfig) name the file or the
// variable, never the content.
Result<Connection> ResolveConnection(const TargetConfig& target, const Environment& environment);

// A configuration of the targets that the environment describes: DATA_SOURCE_NAME (several URIs may
// be separated by commas), or DATA_SOURCE_URI with DATA_SOURCE_USER and DATA_SOURCE_PASS, each also
// as ..._FILE; else, and for whatever these leave open, libpq's PG* variables.
// The error (kConfig) names the variable; without any of them it says how to name a server.
Result<Config> ConfigFromEnvironment(const Environment& environment);

}  // namespace ckpt::config
