// SPDX-License-Identifier: Apache-2.0
#include "pg/server_report.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/redact.h"

namespace ckpt::pg {
namespace {

using std::string_view;

struct SqlstateRow {
  string_view prefix;
  ErrorCode code;
};
// TABLE: SQLSTATE prefixes and codes; the first row that fits counts.
constexpr std::array<SqlstateRow, 19> kSqlstates{{
    {"08P01", ErrorCode::kProtocol},
    {"08", ErrorCode::kConnection},
    {"0A", ErrorCode::kMissingRelation},  // "not supported" by a server that lists the function
    {"28", ErrorCode::kAuth},
    {"3D000", ErrorCode::kAuth},     // the database does not exist
    {"40001", ErrorCode::kTimeout},  // recovery on a standby could not wait any longer for us
    {"42501", ErrorCode::kPermission},
    {"42P01", ErrorCode::kMissingRelation},
    {"42703", ErrorCode::kMissingRelation},
    {"42883", ErrorCode::kMissingRelation},
    {"53300", ErrorCode::kConnection},  // too many connections
    {"53", ErrorCode::kConnection},     // out of memory, disk or other resources
    {"55P03", ErrorCode::kTimeout},     // lock_timeout
    {"57014", ErrorCode::kTimeout},     // statement_timeout, or somebody's pg_cancel_backend
    {"57P", ErrorCode::kConnection},    // shutting down, starting up, crashed
    {"57", ErrorCode::kConnection},
    {"58", ErrorCode::kConnection},     // the server's own input/output failed
    {"XX", ErrorCode::kProtocol},       // the server calls it a fault of its own
    {"25006", ErrorCode::kPermission},  // a write in our read-only transaction
}};

struct PhraseRow {
  string_view phrase;
  ErrorCode code;
  string_view cure;
};
// TABLE: libpq's own words (10 to 18) where no server gave a SQLSTATE; the first row that fits
// counts. Untranslated, because this process never calls setlocale.
constexpr std::array<PhraseRow, 17> kPhrases{{
    {"expected authentication request from server", ErrorCode::kProtocol,
     "something other than PostgreSQL listens there: check host and port"},
    {"received invalid response to SSL negotiation", ErrorCode::kProtocol,
     "something other than PostgreSQL listens there: check host and port"},
    {"received invalid response to GSSAPI negotiation", ErrorCode::kProtocol,
     "something other than PostgreSQL listens there: check host and port"},
    {"received invalid authentication request", ErrorCode::kProtocol,
     "something other than PostgreSQL listens there: check host and port"},
    {"received unencrypted data after", ErrorCode::kProtocol, "somebody interferes on the way"},
    {"received invalid protocol negotiation message", ErrorCode::kProtocol,
     "something other than PostgreSQL listens there: check host and port"},
    {"authentication method", ErrorCode::kAuth, ""},
    {"SASL", ErrorCode::kAuth, ""},
    {"SCRAM", ErrorCode::kAuth, ""},
    {"no password supplied", ErrorCode::kAuth, "give a password or a passfile"},
    {"channel binding", ErrorCode::kAuth, ""},
    {"server does not support SSL", ErrorCode::kConfig,
     "set sslmode=prefer or enable ssl on the server"},
    {"invalid connection option", ErrorCode::kConfig, ""},
    {"value: \"", ErrorCode::kConfig, ""},  // invalid sslmode value: "x"
    {"invalid port number", ErrorCode::kConfig, ""},
    {"definition of service", ErrorCode::kConfig, "check the service file and PGSERVICE"},
    {"certificate", ErrorCode::kConnection, ""},
}};

bool IsSqlstate(string_view text) {
  return text.size() == 5 && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z');
         });
}

// A labelled line that adds to the message; libpq's label and whether to keep it.
struct LabelRow {
  string_view label;
  bool keep;
};
constexpr std::array<LabelRow, 11> kLabels{{
    {"DETAIL:", true},
    {"HINT:", true},
    {"LINE ", false},
    {"QUERY:", false},
    {"CONTEXT:", false},
    {"LOCATION:", false},
    {"SCHEMA NAME:", false},
    {"TABLE NAME:", false},
    {"COLUMN NAME:", false},
    {"DATATYPE NAME:", false},
    {"CONSTRAINT NAME:", false},
}};

void AppendWords(std::string& out, string_view line) {
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t begin = line.find_first_not_of(" \t\r", at);
    if (begin == string_view::npos) return;
    const std::size_t end = std::min(line.find_first_of(" \t\r", begin), line.size());
    if (!out.empty()) out += ' ';
    for (const char c : line.substr(begin, end - begin)) {
      // What a server sends may be in any encoding; a log line must stay plain.
      out += c > ' ' && c < '\x7f' ? c : '?';
    }
    at = end;
  }
}

// Takes "FATAL:  28P01: " out of the line, wherever libpq's own prefix ends.
void TakeSeverityAndSqlstate(std::string& line, ServerReport& report) {
  constexpr string_view kGap = ":  ";
  for (std::size_t at = line.find(kGap); at != std::string::npos; at = line.find(kGap, at + 1)) {
    const std::size_t state = at + kGap.size();
    const string_view rest = string_view(line).substr(state);
    if (!IsSqlstate(rest.substr(0, 5)) || rest.substr(5, 2) != ": ") continue;
    const std::size_t before = line.rfind(": ", at == 0 ? 0 : at - 1);
    const std::size_t severity = before == std::string::npos || before >= at ? 0 : before + 2;
    AppendWords(report.severity, string_view(line).substr(severity, at - severity));
    report.sqlstate = rest.substr(0, 5);
    line.erase(severity, state + 7 - severity);
    return;
  }
}

bool Contains(string_view text, string_view phrase) {
  return text.find(phrase) != string_view::npos;
}

}  // namespace

ServerReport ParseServerReport(string_view text, std::span<const Secret> secrets) {
  // Redacted first: joining lines and dropping bytes could split a secret.
  const std::string clean = Redact(text.substr(0, 16 * kMaxMessage), secrets);
  ServerReport report;
  bool kept = true;
  bool first = true;
  for (std::size_t at = 0; at < clean.size();) {
    const std::size_t end = std::min(clean.find('\n', at), clean.size());
    std::string line = clean.substr(at, end - at);
    at = end + 1;
    if (first) TakeSeverityAndSqlstate(line, report);
    for (const LabelRow& row : kLabels) {
      if (line.starts_with(row.label)) {
        kept = row.keep;
        break;
      }
    }
    // The caret under the quoted statement follows a LINE line, and is dropped with it.
    if (kept) AppendWords(report.message, line);
    first = false;
  }
  if (report.message.size() > kMaxMessage) {
    report.message.resize(kMaxMessage - 3);
    report.message += "...";
  }
  return report;
}

ErrorCode CodeOfSqlstate(string_view sqlstate) {
  for (const SqlstateRow& row : kSqlstates) {
    if (sqlstate.starts_with(row.prefix)) return row.code;
  }
  return ErrorCode::kInternal;
}

bool EndsConnection(string_view sqlstate) {
  return (sqlstate.starts_with("57") && sqlstate != "57014") || sqlstate.starts_with("08");
}

Error StatementError(ServerReport report) {
  const ErrorCode code =
      report.sqlstate.empty() ? ErrorCode::kConnection : CodeOfSqlstate(report.sqlstate);
  std::string message = std::move(report.message);
  if (!report.sqlstate.empty()) message += " (SQLSTATE " + report.sqlstate + ")";
  return Error{code, std::move(message), std::move(report.sqlstate)};
}

Error ConnectError(ServerReport report) {
  if (!report.sqlstate.empty()) {
    Error error = StatementError(std::move(report));
    // Privileges and names concern the login here: CONNECT on the database, a role's settings.
    if (error.code == ErrorCode::kPermission || error.code == ErrorCode::kMissingRelation) {
      error.code = ErrorCode::kAuth;
    }
    return error;
  }
  for (const PhraseRow& row : kPhrases) {
    if (!Contains(report.message, row.phrase)) continue;
    std::string message = std::move(report.message);
    if (!row.cure.empty()) message.append("; ").append(row.cure);
    return Error{row.code, std::move(message)};
  }
  return Error{ErrorCode::kConnection, std::move(report.message)};
}

}  // namespace ckpt::pg
