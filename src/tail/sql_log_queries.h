// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ckpt::tail {

// The statements that SqlLogSource sends, and the text forms in them. PURE.
// Every function is schema-qualified; each statement reads only and answers one row.

// A string constant that means `text`, whatever standard_conforming_strings is.
std::string QuoteLiteral(std::string_view text);

// A LIKE pattern for the names that the logging collector makes of log_filename, a strftime(3)
// pattern, for a log_destination of "stderr", "csvlog" or "jsonlog".
std::string LogNamePattern(std::string_view log_filename, std::string_view format);

// The bytes that encode(..., 'base64') stands for; empty when it is not that. Line ends are left
// out. Base64 carries a chunk of log in 1.35 bytes a byte, hex in 2, at the same cost to the server
// (measured on 15: 354,127 and 524,288 bytes for 256 KiB, 1.4 and 1.5 ms).
std::optional<std::string> DecodeBase64(std::string_view text);

// Columns: may_read, may_current, may_list (t/f), role, database (quoted identifiers),
// log_directory, log_filename (NULL where pg_settings hides them), logging_collector,
// log_destination.
std::string AccessQuery();

// An SQL expression for the path of the log to read, or NULL. A path is as the server takes it:
// absolute or relative to its data directory.
// By pg_current_logfile(): the current file.
std::string CurrentLogfileExpression(std::string_view format);
// By pg_ls_logdir(), names LIKE `pattern` below `directory`: the first one with bytes that was
// modified after the one named `after`, or the newest when that is empty or gone.
std::string ListedLogfileExpression(std::string_view directory, std::string_view pattern,
                                    std::string_view after);

// Column: the path.
std::string LocateQuery(std::string_view path_expression);
// Columns: the path that `path_expression` gives, and then at most `length` bytes of `path` from
// `offset` on, base64. In this order: bytes missing from an old file after the server has told of a
// new one will not come any more.
std::string ReadQuery(std::string_view path_expression, std::string_view path, std::uint64_t offset,
                      std::size_t length);
// Columns: size of `path` in bytes; where to begin so as to read its last `read_last` bytes; the
// at most `before` bytes in front of that, base64. Finds the size by bisection with reads of one
// byte, inside the server, as pg_stat_file() is for superusers (0.8 ms for 27 MB on 15).
std::string SizeQuery(std::string_view path, std::uint64_t read_last, std::size_t before);
// One row a file below `directory` LIKE `pattern`: path and size, the newest first, at most
// `limit`.
std::string SizesQuery(std::string_view directory, std::string_view pattern, std::size_t limit);

}  // namespace ckpt::tail
