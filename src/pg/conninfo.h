// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/secret.h"
#include "core/session.h"

namespace ckpt::pg {

// One address to try: a host name, an absolute directory (Unix-domain socket), or empty for the
// default socket directory; hostaddr overrides where the name points; port is never empty.
struct Endpoint {
  std::string host;
  std::string hostaddr;
  std::string port;
};

// A session setting of ours, sent at connect (or with each statement through a pooler).
struct SessionSetting {
  std::string_view name;
  std::string value;
};

// What every session of ours runs under: read-only, bounded by timeouts, deaf to a database's or
// role's own search_path, with value formats that do not depend on the server's configuration.
// Every name exists on PostgreSQL 10 to 19.
std::vector<SessionSetting> SettingsFor(const SessionTimeouts& timeouts);

// The hosts of the parameters, in their order: libpq's comma-separated lists taken apart.
// Errors: kConfig when the lists do not fit each other.
Result<std::vector<Endpoint>> EndpointsOf(const ConnectionParameters& parameters);

// A libpq connection string for one endpoint. Each keyword that libpq would else take from the
// environment is given explicitly; only PGSERVICE cannot be masked so, and a service file then
// adds no more than the keywords that have no variable. TimeZone, DateStyle and geqo (PGTZ,
// PGDATESTYLE, PGGEQO) reach the server but change no answer: statements ask for epoch seconds.
// `with_options` false leaves out the session settings, which some poolers refuse.
// The string holds the password. Errors: kConfig for a value that cannot be sent.
Result<Secret> BuildConninfo(const ConnectionParameters& parameters, const Endpoint& endpoint,
                             bool with_options);

// The caller's value for a libpq keyword, or `fallback`. The last one given counts.
std::string ParameterOr(const ConnectionParameters& parameters, std::string_view keyword,
                        std::string_view fallback);

// "SET LOCAL a = 'b'; ..." for a session whose connection does not keep settings. Sent in front of
// a statement, in the same message, so that both run in one transaction.
std::string LocalSettingsSql(const SessionTimeouts& timeouts);

}  // namespace ckpt::pg
