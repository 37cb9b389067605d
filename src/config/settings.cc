// SPDX-License-Identifier: Apache-2.0
#include "config/settings.h"

#include <algorithm>
#include <array>
#include <limits>
#include <type_traits>

#include "config/units.h"

namespace ckpt::config {
namespace {

using std::string_view;

constexpr std::size_t kLongestText = 4096;
constexpr string_view kSslModes[] = {"disable", "allow",     "prefer",
                                     "require", "verify-ca", "verify-full"};
constexpr SettingScope kTarget = SettingScope::kTarget;

constexpr std::array kSettings = std::to_array<Setting>({
    {.key = "name",
     .member = &TargetConfig::name,
     .scope = kTarget,
     .example = "orders-primary",
     .help = "Value of the label `target`, unique in the configuration. Letters, digits and any of "
             "`_ . : / @ [ ] -`. Without it: `host:port/dbname`."},
    {.key = "dsn",
     .member = &TargetConfig::dsn,
     .scope = kTarget,
     .example = "postgresql://monitor@db1.example:5432/postgres?sslmode=verify-full",
     .help = "A whole libpq connection string, URI or `key=value`, instead of the connection keys "
             "below. It may hold a password, but a file or the environment keeps it better."},
    {.key = "host",
     .member = &TargetConfig::host,
     .scope = kTarget,
     .keyword = "host",
     .example = "db1.example",
     .help = "Host name, address, or the folder of a Unix-domain socket. Without it: libpq's "
             "default socket."},
    {.key = "hostaddr",
     .member = &TargetConfig::hostaddr,
     .scope = kTarget,
     .keyword = "hostaddr",
     .example = "192.0.2.10",
     .help = "Numeric address of `host`, which saves the name lookup."},
    {.key = "port",
     .member = &TargetConfig::port,
     .default_text = "5432",
     .min = "1",
     .max = "65535",
     .keyword = "port",
     .example = "5432",
     .help = "TCP port, or the suffix of the socket's name."},
    {.key = "dbname",
     .member = &TargetConfig::dbname,
     .default_text = "postgres",
     .keyword = "dbname",
     .example = "postgres",
     .help = "Database to connect to. Any will do: everything read is of the whole cluster."},
    {.key = "user",
     .member = &TargetConfig::user,
     .keyword = "user",
     .example = "pgcheckpoint",
     .help = "Role, a member of `pg_monitor` at best. Without it: libpq's default, the name of the "
             "operating system's user."},
    {.key = "password_file",
     .member = &TargetConfig::password_file,
     .is_path = true,
     .example = "/run/secrets/pgcheckpoint",
     .help = "File that holds the password and nothing else. Read again at every connect, so a "
             "changed password needs no reload."},
    {.key = "password_env",
     .member = &TargetConfig::password_env,
     .example = "PGCHECKPOINT_PASSWORD",
     .help = "Environment variable that holds the password."},
    {.key = "passfile",
     .member = &TargetConfig::passfile,
     .is_path = true,
     .keyword = "passfile",
     .example = "/etc/pgcheckpoint_exporter/pgpass",
     .help = "Password file in libpq's format, `host:port:dbname:user:password` a line. Without "
             "it: `~/.pgpass`."},
    {.key = "sslmode",
     .member = &TargetConfig::sslmode,
     .keyword = "sslmode",
     .words = kSslModes,
     .example = "verify-full",
     .help = "Whether TLS is used and what of the certificate is checked. Without it: libpq's "
             "default, `prefer`, which checks nothing."},
    {.key = "sslrootcert",
     .member = &TargetConfig::sslrootcert,
     .is_path = true,
     .keyword = "sslrootcert",
     .example = "/etc/ssl/certs/ca-certificates.crt",
     .help = "Certificates of the authorities to trust; `system` (libpq 16) for the operating "
             "system's."},
    {.key = "sslcert",
     .member = &TargetConfig::sslcert,
     .is_path = true,
     .keyword = "sslcert",
     .example = "/etc/pgcheckpoint_exporter/client.crt",
     .help = "Client certificate."},
    {.key = "sslkey",
     .member = &TargetConfig::sslkey,
     .is_path = true,
     .keyword = "sslkey",
     .example = "/etc/pgcheckpoint_exporter/client.key",
     .help = "Key of the client certificate."},
    {.key = "labels",
     .member = &TargetConfig::labels,
     .example = "{env: production, team: orders}",
     .help = "Labels with constant values on every sample of the target. Those of `defaults` and "
             "of the target are joined; the target's win."},
    {.key = "pulse_interval",
     .member = &TargetConfig::pulse_interval,
     .default_text = "1s",
     .min = "200ms",
     .max = "1m",
     .example = "1s",
     .help = "Time between two pulses: one statement each, which reads counters, WAL position, "
             "control file and the checkpointer's state."},
    {.key = "survey_interval",
     .member = &TargetConfig::survey_interval,
     .default_text = "15s",
     .min = "1s",
     .max = "1h",
     .example = "15s",
     .help = "Time between two surveys, which read what is larger or changes slowly. Not below "
             "`pulse_interval`."},
    {.key = "connect_timeout",
     .member = &TargetConfig::connect_timeout,
     .default_text = "3s",
     .min = "1s",
     .max = "1m",
     .example = "3s",
     .help = "Longest time to connect and log in."},
    {.key = "statement_timeout",
     .member = &TargetConfig::statement_timeout,
     .default_text = "1s",
     .min = "50ms",
     .max = "1m",
     .example = "1s",
     .help = "Longest run of one statement; the server ends it then."},
    {.key = "lock_timeout",
     .member = &TargetConfig::lock_timeout,
     .default_text = "100ms",
     .min = "1ms",
     .max = "1m",
     .example = "100ms",
     .help = "Longest wait for a lock. Not above `statement_timeout`."},
    {.key = "log.path",
     .member = &TargetConfig::log_path,
     .scope = kTarget,
     .is_path = true,
     .example = "/var/log/postgresql/postgresql-*.log",
     .help = "The server's log on this machine: a file, or a glob of which the newest file is "
             "read."},
    {.key = "log.format",
     .member = &TargetConfig::log_format,
     .default_text = "auto",
     .words = kLogFormatWords,
     .example = "auto",
     .help = "How the log is written (`log_destination`); `auto` tells it from the lines."},
    {.key = "log.follow",
     .member = &TargetConfig::log_follow,
     .default_text = "auto",
     .words = kLogFollowWords,
     .example = "auto",
     .help = "`file` reads `log.path`; `sql` reads the server's current log through the "
             "connection, where the role may; `off` reads none. `auto` is `file` if `log.path` is "
             "set, else `off`."},
    {.key = "log.read_last",
     .member = &TargetConfig::log_read_last,
     .default_text = "1MB",
     .min = "0",
     .max = "1GB",
     .example = "1MB",
     .help = "How much of the log that is already there is read at the start, for the events of "
             "the past."},
    {.key = "log.line_prefix",
     .member = &TargetConfig::log_line_prefix,
     .example = "'%m [%p] '",
     .help = "The server's `log_line_prefix`, for format `stderr`. Without it: asked from the "
             "server."},
    {.key = "log.timezone",
     .member = &TargetConfig::log_timezone,
     .example = "Europe/Zurich",
     .help = "The server's `log_timezone`. Without it: asked from the server."},
    {.key = "commit_probe.enabled",
     .member = &TargetConfig::commit_probe_enabled,
     .default_text = "false",
     .example = "false",
     .help = "Measures the latency of a small commit. It has a price: it uses a transaction id and "
             "writes WAL, so an idle server no longer skips checkpoints and `archive_timeout` "
             "switches segments. Never on a standby."},
    {.key = "commit_probe.interval",
     .member = &TargetConfig::commit_probe_interval,
     .default_text = "10s",
     .min = "10s",
     .max = "1h",
     .example = "10s",
     .help = "Time between two commit probes."},
    {.key = "pg_stat_statements",
     .member = &TargetConfig::pg_stat_statements,
     .default_text = "false",
     .example = "false",
     .help = "Reads totals of the extension `pg_stat_statements`, where it is installed, at every "
             "survey. Its cost grows with the number of statements it holds."},
    {.key = "events_kept",
     .member = &TargetConfig::events_kept,
     .default_text = "200",
     .min = "10",
     .max = "10000",
     .example = "200",
     .help = "How many of the latest checkpoints are kept in memory."},
    {.key = "recovery_time_objective",
     .member = &TargetConfig::recovery_time_objective,
     .min = "1s",
     .max = "1d",
     .example = "2m",
     .help = "Longest crash recovery you accept; advice on `max_wal_size` stays within it."},
    {.key = "wal_disk_size",
     .member = &TargetConfig::wal_disk_size,
     .min = "64MB",
     .max = "1024TB",
     .example = "100GB",
     .help = "Size of the file system that holds `pg_wal`; advice on `max_wal_size` stays within "
             "it."},
});

constexpr TopLevelKey kTopLevelKeys[] = {
    {"defaults", "mapping",
     "Settings for every target that does not say otherwise, those of `target_files` included."},
    {"targets", "list of mappings", "The servers to watch, one entry each."},
    {"target_files", "list of globs",
     "Files with more targets, YAML or JSON: each a list of entries as in `targets`."},
};

// Reads `text` by the type of `value` into it; the answer says what was expected instead.
std::optional<std::string> Read(string_view text, const Setting&, std::string& value) {
  if (text.empty()) return "must not be empty";
  if (text.size() > kLongestText) return "is too long";
  if (text.find('\0') != string_view::npos) return "must not hold a NUL character";
  value = text;
  return std::nullopt;
}
std::optional<std::string> Read(string_view text, const Setting& setting, Secret& value) {
  std::string plain;
  std::optional<std::string> problem = Read(text, setting, plain);
  if (!problem) value = Secret(std::move(plain));
  return problem;
}
std::optional<std::string> Read(string_view text, const Setting&, bool& value) {
  const std::optional<bool> parsed = ParseBool(text);
  if (!parsed) return "must be true or false";
  value = *parsed;
  return std::nullopt;
}

// For the ordered types: `parse`, then compare with the limits of the row.
template <class T, class Parse>
std::optional<std::string> ReadInRange(string_view text, const Setting& setting, Parse parse,
                                       string_view expected, T& value) {
  const auto parsed = parse(text);
  if (!parsed) return std::string("must be ").append(expected);
  if (*parsed < *parse(setting.min) || *parsed > *parse(setting.max)) {
    return std::string("must be from ").append(setting.min).append(" to ").append(setting.max);
  }
  value = static_cast<T>(*parsed);
  return std::nullopt;
}
std::optional<std::string> Read(string_view text, const Setting& setting, int& value) {
  return ReadInRange(text, setting, ParseInteger, "a whole number", value);
}
std::optional<std::string> Read(string_view text, const Setting& setting, std::int64_t& value) {
  return ReadInRange(text, setting, ParseSize, "a size with its unit (B, kB, MB, GB, TB)", value);
}
std::optional<std::string> Read(string_view text, const Setting& setting,
                                std::chrono::milliseconds& value) {
  return ReadInRange(text, setting, ParseDuration, "a duration with its unit (ms, s, m, h, d)",
                     value);
}
template <class T>
std::optional<std::string> Read(string_view text, const Setting& setting, std::optional<T>& value) {
  T present{};
  std::optional<std::string> problem = Read(text, setting, present);
  if (!problem) value = present;
  return problem;
}
template <class Enum>
requires std::is_enum_v<Enum> std::optional<std::string> Read(string_view text,
                                                              const Setting& setting, Enum& value) {
  const auto found = std::find(setting.words.begin(), setting.words.end(), text);
  value = static_cast<Enum>(found - setting.words.begin());
  return std::nullopt;
}
std::optional<std::string> Read(string_view, const Setting&, LabelMap&) {
  return "must be a mapping";
}

std::string OneOf(std::span<const string_view> words) {
  std::string text = "must be one of";
  for (const string_view word : words) {
    text.append(word.data() == words.front().data() ? " " : ", ").append(word);
  }
  return text;
}

}  // namespace

std::span<const Setting> Settings() { return kSettings; }

std::span<const TopLevelKey> TopLevelKeys() { return kTopLevelKeys; }

const Setting* FindSetting(string_view key) {
  const auto* const found =
      std::find_if(kSettings.begin(), kSettings.end(),
                   [&](const Setting& setting) { return setting.key == key; });
  return found == kSettings.end() ? nullptr : found;
}

string_view SettingTypeName(const Setting& setting) {
  if (!setting.words.empty()) return "word";
  if (setting.is_path) return "path";
  return std::visit(
      [](auto member) -> string_view {
        using T = std::remove_cvref_t<decltype(std::declval<TargetConfig>().*member)>;
        if constexpr (std::is_same_v<T, bool>) {
          return "true or false";
        } else if constexpr (std::is_same_v<T, int>) {
          return "whole number";
        } else if constexpr (std::is_same_v<T, std::int64_t> ||
                             std::is_same_v<T, std::optional<std::int64_t>>) {
          return "size";
        } else if constexpr (std::is_same_v<T, std::chrono::milliseconds> ||
                             std::is_same_v<T, std::optional<std::chrono::milliseconds>>) {
          return "duration";
        } else if constexpr (std::is_same_v<T, LabelMap>) {
          return "mapping of labels";
        } else {
          return "text";
        }
      },
      setting.member);
}

TargetConfig DefaultTarget() {
  TargetConfig target;
  for (const Setting& setting : kSettings) {
    if (!setting.default_text.empty()) SetFromText(setting, setting.default_text, target);
  }
  return target;
}

std::optional<std::string> SetFromText(const Setting& setting, string_view text,
                                       TargetConfig& target) {
  if (!setting.words.empty() &&
      std::find(setting.words.begin(), setting.words.end(), text) == setting.words.end()) {
    return OneOf(setting.words);
  }
  return std::visit([&](auto member) { return Read(text, setting, target.*member); },
                    setting.member);
}

}  // namespace ckpt::config
