// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "logs/checkpoint_message.h"
#include "logs/checkpointer_identity.h"
#include "logs/envelope.h"
#include "logs/line_assembler.h"
#include "logs/transport.h"

namespace ckpt::logs {

// One message about checkpoints or recovery.
struct LogEvent {
  std::optional<UnixSeconds> time;  // empty: the log tells none, or in an unknown zone
  std::optional<std::int64_t> pid;
  ProcessRole role = ProcessRole::kUnknown;
  CheckpointMessage message;
};

// The parser's health; totals since it was made.
struct LogReaderStats {
  std::uint64_t bytes_read = 0;
  std::uint64_t lines_read = 0;
  std::uint64_t lines_matched = 0;  // understood, about checkpoints or recovery
  // The checkpointer's lines with something in them to read that were not understood. Told by the
  // backend type, so only csvlog (13+), jsonlog and prefixes with %b can count them.
  std::uint64_t lines_not_understood = 0;
  // "complete" lines with clauses that no version we know prints; they are matched all the same.
  std::uint64_t unknown_clauses = 0;
  std::uint64_t lines_rejected = 0;   // a checkpoint line's text by another process
  std::uint64_t lines_malformed = 0;  // not of the log's format
  std::uint64_t lines_too_long = 0;
  std::optional<UnixSeconds> last_match_time;  // by the server's clock
};

struct LogReaderOptions {
  // A name of kLogFormats and of kTransports; empty: found out from the lines.
  std::string_view format;
  std::string_view transport;
  FormatOptions parsing;
  std::size_t max_line_bytes = LineAssembler::kDefaultMaxLineBytes;
};

// Turns the bytes of one server's log, in any chunks, into events. Knows nothing of files: the
// caller tells of truncation by Reset() and of a new file by NextFile().
//
// Whatever comes, memory is bounded by a few times max_line_bytes, and nothing throws but
// std::bad_alloc. Threading: one thread at a time.
class LogReader : private LineSink, private RecordSink {
 public:
  explicit LogReader(LogReaderOptions options = {});
  ~LogReader() override;
  LogReader(const LogReader&) = delete;
  LogReader& operator=(const LogReader&) = delete;

  std::vector<LogEvent> Feed(std::string_view bytes);
  // The end of a file that will not grow: its last line counts though it has no line end.
  std::vector<LogEvent> Flush();
  // The file was truncated or replaced: the half line and half record are dropped.
  void Reset();
  // As Reset(), and the format is found out anew: another file of the same server follows.
  void NextFile();

  // The checkpointer's pid, where the caller knows it. See CheckpointerIdentity.
  void SetCheckpointerPid(std::int64_t pid) { identity_.SetPid(pid); }

  LogReaderStats stats() const;
  // What the log was found to be; empty before its first line.
  std::string_view format() const { return format_ != nullptr ? format_->name : ""; }
  std::string_view transport() const { return transport_ != nullptr ? transport_->name : ""; }

 private:
  void OnPhysicalLine(std::string_view line);
  void OnLine(const TransportLine& line) override;
  void OnRecord(const LogRecord& record) override;
  void UseTransport(const Transport& transport);
  void UseFormat(const LogFormat& format);
  bool SniffsFormat() const { return options_.format.empty(); }
  bool IsUndecided(std::string_view line) const;
  void SniffFormat(std::string_view line);

  LogReaderOptions options_;
  LineAssembler assembler_;
  const Transport* transport_ = nullptr;
  const LogFormat* format_ = nullptr;
  bool tentative_ = true;  // no line so far was surely of format_
  std::unique_ptr<TransportReader> transport_reader_;
  std::unique_ptr<FormatParser> parser_;
  CheckpointerIdentity identity_;
  LogReaderStats stats_;
  std::vector<LogEvent> events_;
};

}  // namespace ckpt::logs
