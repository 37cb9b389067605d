// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/result.h"
#include "core/secret.h"

namespace ckpt::pg {

// libpq's verbose error text, taken apart: "FATAL:  28P01: password authentication failed ...".
struct ServerReport {
  std::string severity;  // empty when the text is libpq's own
  std::string sqlstate;  // empty when the text is libpq's own
  std::string message;   // with DETAIL and HINT, without LINE, CONTEXT and LOCATION
};

// Understands any text; the message is one line of at most kMaxMessage printable bytes, redacted.
inline constexpr std::size_t kMaxMessage = 600;
ServerReport ParseServerReport(std::string_view text, std::span<const Secret> secrets);

// The code of a SQLSTATE; kInternal for one that no row of the table covers.
ErrorCode CodeOfSqlstate(std::string_view sqlstate);

// True when the server ends the connection along with this error (class 57 but for 57014, and
// class 08).
bool EndsConnection(std::string_view sqlstate);

// An Error from a report of a statement.
Error StatementError(ServerReport report);

// An Error from a report of an attempt to connect. Where no server gave a SQLSTATE, libpq's own
// words tell a peer that is not PostgreSQL and a parameter that libpq refuses from a failed
// network.
Error ConnectError(ServerReport report);

}  // namespace ckpt::pg
