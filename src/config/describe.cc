// SPDX-License-Identifier: Apache-2.0
#include "config/describe.h"

#include <algorithm>
#include <string_view>

#include "config/settings.h"

namespace ckpt::config {
namespace {

using std::string_view;

constexpr std::size_t kCommentColumns = 98;
// What the example file does not comment out.
constexpr string_view kShown[] = {"host", "user", "password_file"};

std::string Code(string_view text) { return std::string("`").append(text).append("`"); }

std::string Range(const Setting& setting) {
  std::string text;
  for (const string_view word : setting.words) text.append(text.empty() ? "" : ", ") += Code(word);
  if (!setting.min.empty()) {
    text.append(Code(setting.min)).append(" to ").append(Code(setting.max));
  }
  return text;
}

// `text` in lines of at most kCommentColumns, each behind `indent` and "# ".
std::string Comment(string_view text, string_view indent) {
  std::string out;
  std::string line;
  const auto end_line = [&] {
    out.append(indent).append("#").append(line).append("\n");
    line.clear();
  };
  while (!text.empty()) {
    const string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    if (indent.size() + line.size() + word.size() + 2 > kCommentColumns) end_line();
    line.append(" ").append(word);
  }
  end_line();
  return out;
}

// The keys of a group stand together in the table; this opens the group before its first.
string_view Group(string_view key) {
  const std::size_t dot = key.find('.');
  return dot == string_view::npos ? string_view() : key.substr(0, dot);
}

std::string ExampleLine(const Setting& setting, bool commented) {
  const string_view group = Group(setting.key);
  const string_view name = group.empty() ? setting.key : setting.key.substr(group.size() + 1);
  return std::string("    ")
      .append(commented ? "# " : "")
      .append(group.empty() ? "" : "  ")
      .append(name)
      .append(": ")
      .append(setting.example)
      .append("\n");
}

}  // namespace

std::string DescribeConfig() {
  std::string out = R"(<!-- Generated from src/config/settings.cc. -->
# Configuration

The file that `--config.file` names is YAML. It is read strictly: an unknown or duplicate key, a
wrong type or a value out of range is an error with file, line and column, all of them are reported,
and nothing is started (or, on a reload, changed) then. Anchors, aliases and tags are not read.

| key | takes | |
| --- | --- | --- |
)";
  for (const TopLevelKey& key : TopLevelKeys()) {
    out.append("| ").append(Code(key.key)).append(" | ").append(key.type);
    out.append(" | ").append(key.help).append(" |\n");
  }
  out += R"(
A path or glob that is not absolute is relative to the folder of the file it stands in. `SIGHUP`, or
`POST /-/reload` with `--web.enable-lifecycle`, reads everything again.

* A **duration** is a whole number with `ms`, `s`, `m`, `h` or `d`, or several with the largest unit
  first: `500ms`, `1h30m`.
* A **size** is a whole number with `B`, `kB`, `MB`, `GB` or `TB`, in powers of 1024 as PostgreSQL
  counts: `64MB`.
* True and false are `true` and `false`, nothing else.

## Keys of a target

A dot is a level: `log.path` is the key `path` of the mapping `log`. Keys marked * stand in a target
only; all others also under `defaults`.

| key | takes | default | allowed | |
| --- | --- | --- | --- | --- |
)";
  for (const Setting& setting : Settings()) {
    out.append("| ").append(Code(setting.key));
    if (setting.scope == SettingScope::kTarget) out += " *";
    out.append(" | ").append(SettingTypeName(setting)).append(" | ");
    if (!setting.default_text.empty()) out += Code(setting.default_text);
    out.append(" | ").append(Range(setting)).append(" | ").append(setting.help).append(" |\n");
  }
  out += R"(
## Passwords

A password comes from `password_file`, from the variable that `password_env` names, from the `dsn`,
or from libpq's password file (`passfile`, else `~/.pgpass`). The first two are read at every
connect. No key takes a password itself, none is given on the command line, and none appears in a
message, a log or an answer.

## Without a file

With no `--config.file`, the environment names the servers:

* `DATA_SOURCE_NAME`: a connection string; several URIs may be separated by commas.
* `DATA_SOURCE_URI` (a URI without its `postgresql://`), `DATA_SOURCE_USER` and `DATA_SOURCE_PASS`.
* Each of these four also as `..._FILE`: the path of a file that holds the value. That of the
  password is read at every connect.
* libpq's variables (`PGHOST`, `PGPORT`, `PGUSER`, `PGDATABASE`, `PGPASSWORD`, `PGPASSFILE`,
  `PGSSLMODE`, ...), alone or for what the others leave open.

With a file, none of these variables has any effect but those that `password_env` names.
)";
  return out;
}

std::string ExampleConfig() {
  std::string out =
      "# pgcheckpoint_exporter: example configuration with every key.\n"
      "# Types, ranges and the reading of the environment: docs/configuration.md.\n";
  for (const TopLevelKey& key : TopLevelKeys()) {
    out.append("\n").append(Comment(key.help, ""));
    if (key.key == "defaults") {
      out += "defaults:\n  pulse_interval: 1s\n";
    } else if (key.key == "target_files") {
      out += "# target_files:\n#   - targets.d/*.yml\n";
    } else {
      out += "targets:\n  - name: orders-primary\n";
      string_view open_group;
      for (const Setting& setting : Settings()) {
        if (setting.key == "name") continue;
        out.append("\n").append(Comment(setting.help, "    "));
        const std::string range = Range(setting);
        if (!range.empty()) out += Comment("Allowed: " + range + ".", "    ");
        if (!setting.default_text.empty()) {
          out += Comment("Default: " + Code(setting.default_text) + ".", "    ");
        }
        const bool shown =
            std::find(std::begin(kShown), std::end(kShown), setting.key) != std::end(kShown);
        const string_view group = Group(setting.key);
        if (!group.empty() && group != open_group) out.append("    # ").append(group) += ":\n";
        open_group = group;
        out += ExampleLine(setting, !shown);
      }
    }
  }
  return out;
}

}  // namespace ckpt::config
