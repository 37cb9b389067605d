// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "config/config.h"

namespace ckpt::config {
namespace {

using std::chrono::milliseconds;

Result<ValidatedConfig> Read(std::string_view text) {
  return Validate(LoadConfigText(text, "c.yml"));
}

// The one target of `settings`, a block mapping without indentation.
TargetConfig ReadTarget(const std::string& settings) {
  const Result<ValidatedConfig> config = Read("targets:\n- " + settings);
  EXPECT_TRUE(config.ok()) << (config.ok() ? "" : config.error().message);
  return config.ok() && config.value().targets().size() == 1 ? config.value().targets()[0]
                                                             : TargetConfig{};
}

std::string ReadError(std::string_view text) {
  const Result<ValidatedConfig> config = Read(text);
  return config.ok() ? "(no error)" : config.error().message;
}

TEST(LoadConfig, ReadsEveryKey) {
  const TargetConfig target = ReadTarget(
      "{name: a, host: h, hostaddr: 192.0.2.1, port: 5433, dbname: d, user: u,\n"
      "  password_file: /p, passfile: pass, sslmode: verify-full, sslrootcert: system,\n"
      "  sslcert: c.crt, sslkey: /c.key, labels: {env: prod, tier: 1},\n"
      "  pulse_interval: 500ms, survey_interval: 1m, connect_timeout: 5s, statement_timeout: 2s,\n"
      "  lock_timeout: 50ms,\n"
      "  log: {path: /l/*.log, format: csvlog, follow: file, read_last: 16kB,\n"
      "        line_prefix: '%m [%p] ', timezone: UTC},\n"
      "  commit_probe: {enabled: true, interval: 30s}, pg_stat_statements: true,\n"
      "  events_kept: 50, recovery_time_objective: 2m, wal_disk_size: 100GB}\n");
  EXPECT_EQ(target.name, "a");
  EXPECT_EQ(target.host, "h");
  EXPECT_EQ(target.hostaddr, "192.0.2.1");
  EXPECT_EQ(target.port, 5433);
  EXPECT_EQ(target.dbname, "d");
  EXPECT_EQ(target.user, "u");
  EXPECT_EQ(target.password_file, "/p");
  EXPECT_EQ(target.passfile, "pass");
  EXPECT_EQ(target.sslmode, "verify-full");
  EXPECT_EQ(target.sslrootcert, "system");
  EXPECT_EQ(target.sslcert, "c.crt");
  EXPECT_EQ(target.sslkey, "/c.key");
  EXPECT_EQ(target.labels, (LabelMap{{"env", "prod"}, {"tier", "1"}}));
  EXPECT_EQ(target.pulse_interval, milliseconds(500));
  EXPECT_EQ(target.survey_interval, milliseconds(60'000));
  EXPECT_EQ(target.connect_timeout, milliseconds(5000));
  EXPECT_EQ(target.statement_timeout, milliseconds(2000));
  EXPECT_EQ(target.lock_timeout, milliseconds(50));
  EXPECT_EQ(target.log_path, "/l/*.log");
  EXPECT_EQ(target.log_format, LogFormat::kCsvlog);
  EXPECT_EQ(target.log_follow, LogFollow::kFile);
  EXPECT_EQ(target.log_read_last, 16384);
  EXPECT_EQ(target.log_line_prefix, "%m [%p] ");
  EXPECT_EQ(target.log_timezone, "UTC");
  EXPECT_TRUE(target.commit_probe_enabled);
  EXPECT_EQ(target.commit_probe_interval, milliseconds(30'000));
  EXPECT_TRUE(target.pg_stat_statements);
  EXPECT_EQ(target.events_kept, 50);
  EXPECT_EQ(target.recovery_time_objective, milliseconds(120'000));
  EXPECT_EQ(target.wal_disk_size, std::int64_t{100} << 30U);
}

TEST(LoadConfig, HasDefaults) {
  const TargetConfig target = ReadTarget("{}\n");
  EXPECT_EQ(target.name, "localhost:5432/postgres");
  EXPECT_EQ(target.pulse_interval, milliseconds(1000));
  EXPECT_EQ(target.survey_interval, milliseconds(15'000));
  EXPECT_EQ(target.connect_timeout, milliseconds(3000));
  EXPECT_EQ(target.statement_timeout, milliseconds(1000));
  EXPECT_EQ(target.lock_timeout, milliseconds(100));
  EXPECT_EQ(target.log_follow, LogFollow::kOff);
  EXPECT_EQ(target.log_read_last, std::int64_t{1} << 20U);
  EXPECT_FALSE(target.commit_probe_enabled);
  EXPECT_EQ(target.events_kept, 200);
  EXPECT_FALSE(target.recovery_time_objective.has_value());
  EXPECT_FALSE(target.wal_disk_size.has_value());
}

TEST(LoadConfig, ReportsEveryError) {
  EXPECT_EQ(ReadError("targets:\n"
                      "- name: a\n"
                      "  pulse_intervall: 1s\n"
                      "  log: {folow: off}\n"
                      "- name: a\n"
                      "  port: 70000\n"
                      "  labels: {target: x}\n"
                      "taget_files: []\n"),
            "c.yml:3:3: unknown key `pulse_intervall`; did you mean `pulse_interval`?\n"
            "c.yml:4:9: unknown key `log.folow`; did you mean `follow`?\n"
            "c.yml:5:3: name: the same as of the target at c.yml:2:3; give each a `name` of its "
            "own\n"
            "c.yml:6:9: port: must be from 1 to 65535\n"
            "c.yml:7:3: labels: `target` is a label of our own or of Prometheus\n"
            "c.yml:8:1: unknown key `taget_files`; did you mean `target_files`?");
}

}  // namespace
}  // namespace ckpt::config
