// SPDX-License-Identifier: Apache-2.0
#include "tail/sql_log_queries.h"

#include <array>

#include "core/capability.h"

namespace ckpt::tail {
namespace {

// Beyond what bisection looks for a file's end.
constexpr std::string_view kMaxFileBytes = "1099511627776";

std::string Replaced(std::string text, std::string_view placeholder, std::string_view value) {
  for (std::size_t at = text.find(placeholder); at != std::string::npos;
       at = text.find(placeholder, at + value.size())) {
    text.replace(at, placeholder.size(), value);
  }
  return text;
}

std::string WithSlash(std::string_view directory) {
  std::string path(directory);
  if (!path.empty() && path.back() != '/') path += '/';
  return path;
}

// -1 for what is no digit.
constexpr std::array<int, 256> kBase64Digits = [] {
  std::array<int, 256> digits{};
  digits.fill(-1);
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
    digits[static_cast<unsigned char>(kAlphabet[i])] = static_cast<int>(i);
  }
  return digits;
}();

}  // namespace

std::string QuoteLiteral(std::string_view text) {
  std::string quoted = text.find('\\') == std::string_view::npos ? "'" : "E'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') quoted += c;
    quoted += c;
  }
  return quoted + "'";
}

std::string LogNamePattern(std::string_view log_filename, std::string_view format) {
  std::string_view extension;
  if (format == "csvlog") extension = ".csv";
  if (format == "jsonlog") extension = ".json";
  if (!extension.empty() && log_filename.ends_with(".log")) log_filename.remove_suffix(4);

  std::string pattern;
  const auto add_literal = [&pattern](char c) {
    if (c == '%' || c == '_' || c == '\\') pattern += '\\';
    pattern += c;
  };
  for (std::size_t i = 0; i < log_filename.size(); ++i) {
    if (log_filename[i] != '%' || i + 1 == log_filename.size()) {
      add_literal(log_filename[i]);
      continue;
    }
    ++i;
    // Modifiers of a conversion, as in %Od.
    while ((log_filename[i] == 'E' || log_filename[i] == 'O') && i + 1 < log_filename.size()) ++i;
    if (log_filename[i] == '%') {
      add_literal('%');
    } else if (!pattern.ends_with('%') || pattern.ends_with("\\%")) {
      pattern += '%';
    }
  }
  return pattern.append(extension);
}

std::optional<std::string> DecodeBase64(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  std::uint32_t group = 0;
  int digits = 0;
  int padding = 0;
  for (const char c : text) {
    if (c == '\n' || c == '\r') continue;
    const int digit = kBase64Digits[static_cast<unsigned char>(c)];
    if (c == '=') {
      ++padding;
    } else if (digit < 0 || padding > 0) {
      return std::nullopt;
    }
    group = group << 6U | static_cast<std::uint32_t>(c == '=' ? 0 : digit);
    if (++digits < 4) continue;
    if (padding > 2) return std::nullopt;
    for (int i = 0; i < 3 - padding; ++i) {
      bytes += static_cast<char>(group >> (16U - 8U * static_cast<unsigned>(i)) & 0xFFU);
    }
    group = 0;
    digits = 0;
  }
  if (digits != 0) return std::nullopt;
  return bytes;
}

std::string AccessQuery() {
  std::string sql = "SELECT (";
  sql.append(InfoOf(Capability::kReadLog).test).append(") AS may_read, (");
  sql.append(InfoOf(Capability::kCurrentLogfile).test).append(") AS may_current, ");
  sql +=
      "coalesce(pg_catalog.has_function_privilege(pg_catalog.to_regprocedure("
      "'pg_catalog.pg_ls_logdir()')::oid, 'EXECUTE'), false) AS may_list, "
      "pg_catalog.quote_ident(current_user) AS role, "
      "pg_catalog.quote_ident(pg_catalog.current_database()) AS database";
  for (const char* name :
       {"log_directory", "log_filename", "logging_collector", "log_destination"}) {
    sql += Replaced(", max(setting) FILTER (WHERE name = '{}') AS {}", "{}", name);
  }
  return sql + " FROM pg_catalog.pg_settings";
}

std::string CurrentLogfileExpression(std::string_view format) {
  return "pg_catalog.pg_current_logfile(" + QuoteLiteral(format) + ")";
}

std::string ListedLogfileExpression(std::string_view directory, std::string_view pattern,
                                    std::string_view after) {
  // modification has whole seconds; the name decides within one.
  std::string sql =
      "(WITH files AS (SELECT name, size, modification FROM pg_catalog.pg_ls_logdir() "
      "WHERE name LIKE {pattern}) SELECT {directory} || coalesce("
      "(SELECT f.name FROM files f, files c WHERE c.name = {after} AND f.size > 0 "
      "AND (f.modification, f.name) > (c.modification, c.name) "
      "ORDER BY f.modification, f.name LIMIT 1), "
      "(SELECT f.name FROM files f WHERE NOT EXISTS (SELECT FROM files WHERE name = {after}) "
      "ORDER BY f.modification DESC, f.name DESC LIMIT 1)))";
  // The values last: they are not to be searched for placeholders.
  const std::string head = WithSlash(directory);
  if (after.starts_with(head)) after.remove_prefix(head.size());
  std::string text;
  for (std::size_t at = 0; at < sql.size();) {
    const std::size_t brace = sql.find('{', at);
    text.append(sql, at, brace == std::string::npos ? std::string::npos : brace - at);
    if (brace == std::string::npos) break;
    const std::size_t end = sql.find('}', brace);
    const std::string_view name = std::string_view(sql).substr(brace + 1, end - brace - 1);
    text += QuoteLiteral(name == "pattern" ? pattern : name == "after" ? after : head);
    at = end + 1;
  }
  return text;
}

std::string LocateQuery(std::string_view path_expression) {
  return "SELECT " + std::string(path_expression) + " AS located";
}

std::string ReadQuery(std::string_view path_expression, std::string_view path, std::uint64_t offset,
                      std::size_t length) {
  // OFFSET 0 keeps the planner from moving the one into the other.
  return "SELECT located, pg_catalog.encode(pg_catalog.pg_read_binary_file(" + QuoteLiteral(path) +
         ", " + std::to_string(offset) + ", " + std::to_string(length) +
         "), 'base64') AS bytes FROM (" + LocateQuery(path_expression) + " OFFSET 0) AS first";
}

std::string SizeQuery(std::string_view path, std::uint64_t read_last, std::size_t before) {
  const std::string file = "pg_catalog.pg_read_binary_file(" + QuoteLiteral(path) + ", ";
  const std::string most = std::to_string(before);
  return std::string("WITH RECURSIVE probe(low, high) AS (SELECT 0::bigint, ")
             .append(kMaxFileBytes) +
         "::bigint UNION ALL SELECT CASE WHEN there THEN middle + 1 ELSE low END, "
         "CASE WHEN there THEN high ELSE middle END FROM (SELECT low, high, "
         "(low + high) / 2 AS middle, pg_catalog.octet_length(" +
         file +
         "(low + high) / 2, 1)) = 1 AS there FROM probe WHERE low < high) AS halves) "
         "SELECT low AS size, start, pg_catalog.encode(" +
         file + "start - least(start, " + most + "), least(start, " + most +
         ")), 'base64') AS before FROM (SELECT low, greatest(low - " + std::to_string(read_last) +
         "::bigint, 0) AS start FROM probe WHERE low = high) AS found";
}

std::string SizesQuery(std::string_view directory, std::string_view pattern, std::size_t limit) {
  return "SELECT " + QuoteLiteral(WithSlash(directory)) +
         " || name AS path, size FROM pg_catalog.pg_ls_logdir() WHERE name LIKE " +
         QuoteLiteral(pattern) + " ORDER BY modification DESC LIMIT " + std::to_string(limit);
}

}  // namespace ckpt::tail
