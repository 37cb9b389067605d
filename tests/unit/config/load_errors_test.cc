// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "config/config.h"
#include "config/settings.h"

namespace ckpt::config {
namespace {

std::string ReadError(std::string_view text) {
  const Result<ValidatedConfig> config = Validate(LoadConfigText(text, "c.yml"));
  return config.ok() ? "(no error)" : config.error().message;
}

struct Case {
  const char* text;
  const char* error;
};

// A target that begins at column 3 of line 2; what follows `- ` is given.
TEST(LoadErrors, OfEachKey) {
  const Case cases[] = {
      {"name: 'a b'", "2:3: name: may hold letters, digits and _ . : / @ [ ] - only, at most 128"},
      {"name: ''", "2:9: name: must not be empty"},
      {"name:", "2:3: name: has no value"},
      {"name: ~", "2:9: name: has no value"},
      {"name: [a]", "2:9: name: must be a single value"},
      {"name: {a: b}", "2:9: name: must be a single value"},
      {"name: \"caf\xC3\xA9\"",
       "2:3: name: may hold letters, digits and _ . : / @ [ ] - only, at most 128"},
      {"dsn: 'host'", "2:3: dsn: item 1 is not key=value; a value with blanks needs single quotes"},
      {"dsn: ''", "2:8: dsn: must not be empty"},
      {"dsn: mysql://a@b/c", "2:3: dsn: a connection URI begins with postgresql:// or postgres://"},
      {"dsn: service=x", "2:3: dsn: service files are not read; write their keys here"},
      {"dsn: host=a connect_timeout=0", "2:3: dsn: connect_timeout must be from 1 to 60 seconds"},
      {"dsn: host=a port=0",
       "2:3: dsn: the port is not a number from 1 to 65535; special characters in a user name or "
       "password must be percent-encoded"},
      {"dsn: host=a\n  user: b",
       "3:3: user: cannot stand beside `dsn`; put it into the connection string"},
      {"dsn: host=a password=b\n  password_file: /p",
       "3:3: password_file: `dsn` has a password already"},
      {"host: []", "2:9: host: must be a single value"},
      {"hostaddr: {}", "2:13: hostaddr: must be a single value"},
      {"port: 0", "2:9: port: must be from 1 to 65535"},
      {"port: 65536", "2:9: port: must be from 1 to 65535"},
      {"port: -1", "2:9: port: must be from 1 to 65535"},
      {"port: 0x10", "2:9: port: must be a whole number"},
      {"port: 010", "2:9: port: must be a whole number"},
      {"port: 1e3", "2:9: port: must be a whole number"},
      {"port: \"5432\"", "2:9: port: must not be in quotes"},
      {"port: 99999999999999999999", "2:9: port: must be a whole number"},
      {"dbname: ''", "2:11: dbname: must not be empty"},
      {"user:", "2:3: user: has no value"},
      {"password: hunter2",
       "2:3: password: passwords are not read from here; use `password_file`, `password_env` or "
       "`passfile`"},
      {"password_file: ''", "2:18: password_file: must not be empty"},
      {"password_file: /a\n  password_env: B",
       "3:3: password_env: cannot stand beside `password_file`"},
      {"password_env: [x]", "2:17: password_env: must be a single value"},
      {"passfile: ~", "2:13: passfile: has no value"},
      {"sslmode: on",
       "2:12: sslmode: must be one of disable, allow, prefer, require, verify-ca, verify-full"},
      {"sslrootcert: {}", "2:16: sslrootcert: must be a single value"},
      {"sslcert: ''", "2:12: sslcert: must not be empty"},
      {"sslkey: ''", "2:11: sslkey: must not be empty"},
      {"service: x", "2:3: unknown key `service`"},
      {"labels: x", "2:11: labels: must be a mapping of names to texts"},
      {"labels:", "2:3: labels: must be a mapping of names to texts"},
      {"labels: {9a: x}", "2:12: labels: a label name is letters, digits and _, not a digit first"},
      {"labels: {a-b: x}",
       "2:12: labels: a label name is letters, digits and _, not a digit first"},
      {"labels: {\"\": x}",
       "2:12: labels: a label name is letters, digits and _, not a digit first"},
      {"labels: {a: ''}", "2:15: labels: `a` must have a text as its value"},
      {"labels: {a: [x]}", "2:15: labels: `a` must have a text as its value"},
      {"labels: {target: x}", "2:3: labels: `target` is a label of our own or of Prometheus"},
      {"labels: {le: x}", "2:3: labels: `le` is a label of our own or of Prometheus"},
      {"labels: {quantile: x}", "2:3: labels: `quantile` is a label of our own or of Prometheus"},
      {"labels: {__a: x}", "2:3: labels: `__a` is a label of our own or of Prometheus"},
      {"pulse_interval: 1",
       "2:19: pulse_interval: must be a duration with its unit (ms, s, m, h, d)"},
      {"pulse_interval: fast",
       "2:19: pulse_interval: must be a duration with its unit (ms, s, m, h, d)"},
      {"pulse_interval: 199ms", "2:19: pulse_interval: must be from 200ms to 1m"},
      {"pulse_interval: 61s", "2:19: pulse_interval: must be from 200ms to 1m"},
      {"pulse_interval: 20s",
       "2:3: pulse_interval: survey_interval must not be below pulse_interval"},
      {"survey_interval: 999ms", "2:20: survey_interval: must be from 1s to 1h"},
      {"pulse_interval: 3s\n  survey_interval: 2s",
       "3:3: survey_interval: survey_interval must not be below pulse_interval"},
      {"connect_timeout: 500ms", "2:20: connect_timeout: must be from 1s to 1m"},
      {"statement_timeout: 49ms", "2:22: statement_timeout: must be from 50ms to 1m"},
      {"statement_timeout: 50ms",
       "2:3: statement_timeout: lock_timeout must not be above statement_timeout"},
      {"lock_timeout: 0", "2:17: lock_timeout: must be from 1ms to 1m"},
      {"lock_timeout: 2s", "2:3: lock_timeout: lock_timeout must not be above statement_timeout"},
      {"log: /x", "2:8: log: must be a mapping"},
      {"log:", "2:3: log: must be a mapping"},
      {"log: {path: ''}", "2:15: log.path: must not be empty"},
      {"log: {format: syslog}", "2:17: log.format: must be one of auto, stderr, csvlog, jsonlog"},
      {"log: {follow: yes}", "2:17: log.follow: must be one of auto, file, sql, off"},
      {"log: {follow: file}", "2:9: log.follow: `file` needs log.path"},
      {"log: {path: /x, follow: sql}",
       "2:9: log.path: is not read with log.follow: sql; remove one of them"},
      {"log: {read_last: 64}",
       "2:20: log.read_last: must be a size with its unit (B, kB, MB, GB, TB)"},
      {"log: {read_last: 64KB}",
       "2:20: log.read_last: must be a size with its unit (B, kB, MB, GB, TB)"},
      {"log: {read_last: 2GB}", "2:20: log.read_last: must be from 0 to 1GB"},
      {"log: {line_prefix: ~}", "2:22: log.line_prefix: has no value"},
      {"log: {timezone: []}", "2:19: log.timezone: must be a single value"},
      {"log: {formt: x}", "2:9: unknown key `log.formt`; did you mean `format`?"},
      {"commit_probe: true", "2:17: commit_probe: must be a mapping"},
      {"commit_probe: {enabled: yes}", "2:27: commit_probe.enabled: must be true or false"},
      {"commit_probe: {enabled: 'true'}", "2:27: commit_probe.enabled: must not be in quotes"},
      {"commit_probe: {interval: 9s}", "2:28: commit_probe.interval: must be from 10s to 1h"},
      {"pg_stat_statements: on", "2:23: pg_stat_statements: must be true or false"},
      {"events_kept: 9", "2:16: events_kept: must be from 10 to 10000"},
      {"events_kept: many", "2:16: events_kept: must be a whole number"},
      {"recovery_time_objective: 25h", "2:28: recovery_time_objective: must be from 1s to 1d"},
      {"wal_disk_size: 1MB", "2:18: wal_disk_size: must be from 64MB to 1024TB"},
      {"name: a\n  name: b", "3:3: duplicate key `name`, first given at line 2"},
      {"log: {path: /a, path: /b}", "2:19: duplicate key `path`, first given at line 2"},
      {"pulse_intervall: 1s", "2:3: unknown key `pulse_intervall`; did you mean `pulse_interval`?"},
      {"prot: 1", "2:3: unknown key `prot`; did you mean `port`?"},
      {"xyzzy: 1", "2:3: unknown key `xyzzy`"},
      {"password:hunter2",
       "2:3: targets: each entry must be a mapping, such as `name: "
       "orders-primary`"},
      {"host: a\n  password:hunter2:",
       "3:3: unknown key (not a name; is there a blank after the colon?)"},
      {"log.path: /x", "2:3: unknown key `log.path`; write each level on a line of its own"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    EXPECT_EQ(ReadError("targets:\n- " + std::string(c.text) + "\n"),
              "c.yml:" + std::string(c.error));
  }
}

TEST(LoadErrors, EveryKeyHasABadValueAbove) {
  // A value of the wrong kind is an error for every row, those that are added later included.
  for (const Setting& setting : Settings()) {
    const std::size_t dot = setting.key.find('.');
    const std::string key(setting.key);
    const std::string line = dot == std::string::npos
                                 ? key + ": [[]]"
                                 : key.substr(0, dot) + ": {" + key.substr(dot + 1) + ": [[]]}";
    const std::string error = ReadError("targets:\n- " + line + "\n");
    const std::size_t column = line.find("[[") + 3;
    EXPECT_EQ(error.rfind("c.yml:2:" + std::to_string(column) + ": " + key + ": must be ", 0), 0U)
        << error;
  }
}

TEST(LoadErrors, OfTheWhole) {
  const Case cases[] = {
      {"", "c.yml:1:1: must be a mapping with `targets` or `target_files`"},
      {"# nothing\n", "c.yml:1:1: must be a mapping with `targets` or `target_files`"},
      {"[]", "c.yml:1:1: must be a mapping with `targets` or `target_files`"},
      {"text", "c.yml:1:1: must be a mapping with `targets` or `target_files`"},
      {"{}", "c.yml: no target: add one under `targets`, or `target_files`"},
      {"targets: []", "c.yml: no target: add one under `targets`, or `target_files`"},
      {"targets:", "c.yml:1:1: targets: must be a list, one `- name: ...` for each server"},
      {"targets: {a: {host: b}}",
       "c.yml:1:10: targets: must be a list, one `- name: ...` for each server"},
      {"targets: [a]",
       "c.yml:1:11: targets: each entry must be a mapping, such as `name: orders-primary`"},
      {"defaults: []\ntargets: [{}]", "c.yml:1:11: defaults: must be a mapping"},
      {"defaults: {name: a}\ntargets: [{}]",
       "c.yml:1:12: name: belongs into a target, not under `defaults`"},
      {"defaults: {log: {path: /a}}\ntargets: [{}]",
       "c.yml:1:18: log.path: belongs into a target, not under `defaults`"},
      {"defaults: {password_env: A, password_file: /b}\ntargets: [{}]",
       "c.yml:2:11: password_env: `defaults` has both `password_file` and `password_env`"},
      {"target: []", "c.yml:1:1: unknown key `target`; did you mean `targets`?"},
      {"pulse_interval: 1s\ntargets: [{}]",
       "c.yml:1:1: `pulse_interval` belongs under `defaults` or into a target"},
      {"target_files: a.yml", "c.yml:1:15: target_files: must be a list of file names or globs"},
      {"target_files: [[]]", "c.yml:1:16: target_files: each entry must be a file name or glob"},
      {"targets: [{}, {}]",
       "c.yml:1:15: name: the same as of the target at c.yml:1:11; give each a `name` of its own"},
      {"targets: [{name: a}]\ntargets: [{name: b}]",
       "c.yml:2:1: duplicate key `targets`, first given at line 1"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    EXPECT_EQ(ReadError(c.text), c.error);
  }
}

TEST(LoadErrors, AreBounded) {
  std::string text = "targets:\n";
  for (int i = 0; i < 5000; ++i) text += "- xyzzy" + std::to_string(i) + ": 1\n";
  const std::string error = ReadError(text);
  EXPECT_LT(error.size(), 100'000U);
  EXPECT_NE(error.find(" more"), std::string::npos);

  std::string labels;
  for (int i = 0; i < 21; ++i) labels += "l" + std::to_string(i) + ": x, ";
  EXPECT_EQ(ReadError("targets: [{labels: {" + labels + "}}]"), "c.yml:1:20: labels: more than 20");
  EXPECT_EQ(ReadError("targets: [{labels: {a: " + std::string(257, 'x') + "}}]"),
            "c.yml:1:24: labels: the value of `a` is longer than 256 bytes");

  std::string many = "targets:\n";
  for (int i = 0; i <= 10'000; ++i) many += "- {}\n";
  EXPECT_EQ(ReadError(many), "c.yml:2:1: targets: more than 10000");
}

TEST(LoadErrors, ReservedLabelsCanBeAdded) {
  const auto config =
      Validate(LoadConfigText("targets: [{labels: {reason: x}}]", "c.yml"), {{"kind", "reason"}});
  ASSERT_FALSE(config.ok());
  EXPECT_EQ(config.error().message,
            "c.yml:1:12: labels: `reason` is a label of our own or of Prometheus");
  EXPECT_EQ(config.error().code, ErrorCode::kConfig);
}

}  // namespace
}  // namespace ckpt::config
