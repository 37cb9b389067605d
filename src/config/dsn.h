// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.h"
#include "core/secret.h"

namespace ckpt::config {

// One keyword of a libpq connection string.
struct ConnectionKeyword {
  std::string_view keyword;
  std::string_view variable = {};  // libpq's environment variable for it
};

// TABLE (dsn.cc): the keywords libpq 13 to 19 knows. A keyword that is not here is refused, because
// it may be a piece of a password that was not quoted.
std::span<const ConnectionKeyword> ConnectionKeywords();

// A connection string taken apart. It may hold a password, so it has no text form but a Secret.
// A plain value. It is parsed here and handed to libpq as quoted key='value' pairs only: libpq's
// own messages about a string that it cannot parse quote parts of it.
class Conninfo {
 public:
  // Either form: key=value pairs, or postgresql:// and postgres:// URIs with several hosts, percent
  // encoding and parameters. Errors (kConfig) say what is wrong without quoting any of the text.
  static Result<Conninfo> Parse(const Secret& text);

  bool Has(std::string_view keyword) const;
  std::optional<std::string> Get(std::string_view keyword) const;
  void Set(std::string_view keyword, std::string value);
  // For what the operator's own words take precedence over. An empty value is not set.
  void SetIfAbsent(std::string_view keyword, std::string value);

  // In the order of the text, each keyword once, the password among them.
  const std::vector<std::pair<std::string, std::string>>& pairs() const { return pairs_; }
  // key='value' pairs, which Parse() and libpq read.
  Secret ToKeywordString() const;
  // The values that must not be shown.
  std::vector<Secret> Secrets() const;
  // host:port/dbname of the first host; a socket is "localhost", an IPv6 address in brackets.
  std::string DefaultTargetName() const;

 private:
  std::vector<std::pair<std::string, std::string>> pairs_;
};

}  // namespace ckpt::config
