// SPDX-License-Identifier: Apache-2.0
// Every format behind every transport, whatever the log is: nothing crashes, and what a parser
// passes on are views into memory that is still there.
#include <cstddef>
#include <cstdint>

#include "logs/log_reader.h"

namespace {

volatile std::size_t g_touched;  // keeps the reads below from being optimised away

struct Touch : ckpt::logs::RecordSink {
  void OnRecord(const ckpt::logs::LogRecord& record) override {
    std::size_t sum = 0;
    for (const std::string_view text :
         {record.severity_text, record.sqlstate, record.backend_type, record.message, record.detail,
          record.hint, record.function}) {
      for (const char c : text) sum += static_cast<unsigned char>(c);
    }
    g_touched = sum;
  }
};

struct ToParser : ckpt::logs::LineSink {
  ckpt::logs::FormatParser* parser = nullptr;
  Touch touch;
  void OnLine(const ckpt::logs::TransportLine& line) override { parser->Line(line, touch); }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  ckpt::logs::FormatOptions options;
  options.max_record_bytes = 1024;
  options.log_line_prefix = "%m [%p] %q%u@%d ";
  for (const ckpt::logs::Transport& transport : ckpt::logs::kTransports) {
    for (const ckpt::logs::LogFormat& format : ckpt::logs::kLogFormats) {
      const auto reader = transport.make(1024);
      const auto parser = format.make(options);
      ToParser sink;
      sink.parser = parser.get();
      ckpt::logs::LineAssembler assembler;
      const auto take = [&](std::string_view line) { reader->Line(line, sink); };
      assembler.Feed(bytes, take);
      assembler.Flush(take);
    }
  }
  return 0;
}
