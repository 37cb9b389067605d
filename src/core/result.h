// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace ckpt {

// The few kinds of failure that callers tell apart. Each is the value of the label `code` of
// pgcheckpoint_poll_errors_total; messages are for logs and never become labels.
enum class ErrorCode {
  kConnection,       // cannot reach the server, or the connection broke
  kAuth,             // the server refused the role, the password or the database
  kTimeout,          // a deadline passed, ours or statement_timeout
  kPermission,       // the role may not read this (SQLSTATE 42501)
  kMissingRelation,  // no such view, column or function (42P01, 42703, 42883), or the server
                     // has it by name only (0A000, as Aurora says of pg_stat_get_wal)
  kProtocol,         // an answer that PostgreSQL would not give
  kParse,            // a value or text that cannot be understood
  kConfig,           // the operator's input is wrong; the message says where and the cure
  kInternal,         // a fault of ours
};
inline constexpr ErrorCode kErrorCodes[] = {
    ErrorCode::kConnection,      ErrorCode::kAuth,     ErrorCode::kTimeout, ErrorCode::kPermission,
    ErrorCode::kMissingRelation, ErrorCode::kProtocol, ErrorCode::kParse,   ErrorCode::kConfig,
    ErrorCode::kInternal,
};

// The name of a code as a label value: lower case, words joined by underscores.
constexpr std::string_view ErrorCodeName(ErrorCode code) {
  switch (code) {
    case ErrorCode::kConnection: return "connection";
    case ErrorCode::kAuth: return "auth";
    case ErrorCode::kTimeout: return "timeout";
    case ErrorCode::kPermission: return "permission";
    case ErrorCode::kMissingRelation: return "missing_relation";
    case ErrorCode::kProtocol: return "protocol";
    case ErrorCode::kParse: return "parse";
    case ErrorCode::kConfig: return "config";
    case ErrorCode::kInternal: return "internal";
  }
  return "internal";
}

// What went wrong. The message holds no secret: adapters redact before they make one.
struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;
  std::string sqlstate;  // five characters when a server gave the reason, else empty
};

// A value or the reason why there is none. "The server does not report this" is neither: it is an
// empty optional inside the value.
template <class T>
class [[nodiscard]] Result {
 public:
  // Implicit on purpose: `return value;` and `return Error{...};` both read well.
  Result(T value) : state_(std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : state_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return std::holds_alternative<T>(state_); }
  explicit operator bool() const { return ok(); }

  // REQUIRES: ok().
  const T& value() const& { return std::get<T>(state_); }
  T& value() & { return std::get<T>(state_); }
  T&& value() && { return std::get<T>(std::move(state_)); }

  // REQUIRES: !ok().
  const Error& error() const { return std::get<Error>(state_); }

 private:
  std::variant<T, Error> state_;
};

struct Success {};
// For calls that only succeed or fail.
using Status = Result<Success>;

}  // namespace ckpt
