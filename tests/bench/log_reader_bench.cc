// SPDX-License-Identifier: Apache-2.0
// What following a busy log costs: throughput, and the share of a core at 50 MB/s of it. The log is
// nearly all client sessions' lines, with a checkpoint every 10,000.
#include <benchmark/benchmark.h>

#include <string>

#include "logs/log_reader.h"

namespace ckpt::logs {
namespace {

constexpr double kBusyBytesPerSecond = 50e6;
constexpr int kRecords = 20000;
constexpr int kRecordsPerCheckpoint = 10000;

constexpr const char* kComplete =
    "checkpoint complete: wrote 383 buffers (18.7%); 4 WAL file(s) added, 5 removed, 6 recycled; "
    "write=0.022 s, sync=0.014 s, total=1.042 s; sync files=38, longest=0.005 s, average=0.001 s; "
    "distance=3329 kB, estimate=4000 kB; lsn=1/01A90348, redo lsn=0/FFA902F0";

// A statement as an application with log_min_duration_statement=0 makes them.
std::string Statement(int number, const char* newline) {
  return "duration: 0." + std::to_string(100 + number % 900) +
         " ms  statement: select o.id, o.total" + newline +
         "from orders o join customers c on c.id = o.customer_id" + newline +
         "where c.name = 'customer " + std::to_string(number) + "' and o.total / 2 > 10";
}

std::string Stderr() {
  const std::string head = "2026-11-30 21:27:19.468 UTC [";
  std::string log;
  for (int i = 0; i < kRecords; ++i) {
    if (i % kRecordsPerCheckpoint == 0) {
      log += head + "7] LOG:  checkpoint starting: time\n" + head + "7] LOG:  " + kComplete + "\n";
    }
    const std::string session = head + std::to_string(1000 + i % 100) + "] app@shop ";
    log += session + "LOG:  " + Statement(i, "\n\t") + "\n";
    if (i % 10 == 0) {
      log += session + "ERROR:  duplicate key value violates unique constraint \"orders_pkey\"\n" +
             session + "DETAIL:  Key (id)=(42) already exists.\n" + session +
             "STATEMENT:  insert into orders values (42)\n";
    }
  }
  return log;
}

std::string Csv() {
  const std::string head = "2026-11-30 21:27:19.468 UTC,";
  std::string log;
  for (int i = 0; i < kRecords; ++i) {
    if (i % kRecordsPerCheckpoint == 0) {
      log += head + ",,7,,6b0de826.fe5,1,,2026-11-30 21:18:30 UTC,,0,LOG,00000,\"" + kComplete +
             "\",,,,,,,,,\"\",\"checkpointer\",,0\n";
    }
    log +=
        head + "\"app\",\"shop\"," + std::to_string(1000 + i % 100) +
        ",\"10.0.0.1:5432\",6b0de826.3e8,1,\"SELECT\",2026-11-30 21:18:30 UTC,3/1,0,LOG,00000,\"" +
        Statement(i, "\n") + "\",,,,,,,,,\"psql\",\"client backend\",,123456789\n";
  }
  return log;
}

std::string Json() {
  const std::string head = R"({"timestamp":"2026-11-30 21:27:19.468 UTC",)";
  std::string log;
  for (int i = 0; i < kRecords; ++i) {
    if (i % kRecordsPerCheckpoint == 0) {
      log += head + R"("pid":7,"error_severity":"LOG","message":")" + kComplete +
             R"(","backend_type":"checkpointer","query_id":0})" + "\n";
    }
    log += head + R"("user":"app","dbname":"shop","pid":)" + std::to_string(1000 + i % 100) +
           R"(,"error_severity":"LOG","message":")" + Statement(i, "\\n") +
           R"(","application_name":"psql","backend_type":"client backend","query_id":1})" + "\n";
  }
  return log;
}

// Docker's json-file around the stderr log.
std::string Docker() {
  std::string log;
  std::string line;
  for (const char c : Stderr()) {
    if (c == '\n') {
      log +=
          R"({"log":")" + line + R"(\n","stream":"stderr","time":"2026-11-30T21:27:19.5Z"})" + "\n";
      line.clear();
    } else if (c == '\t') {
      line += "\\t";
    } else if (c == '"') {
      line += "\\\"";
    } else {
      line += c;
    }
  }
  return log;
}

void Read(benchmark::State& state, const std::string& log, const LogReaderOptions& options = {}) {
  constexpr std::size_t kChunk = 64 * 1024;
  std::size_t events = 0;
  for (auto iteration : state) {
    (void)iteration;
    LogReader reader(options);
    for (std::size_t at = 0; at < log.size(); at += kChunk) {
      events += reader.Feed(std::string_view(log).substr(at, kChunk)).size();
    }
  }
  if (events == 0) state.SkipWithError("read no checkpoint");
  const auto bytes = static_cast<std::int64_t>(log.size()) * state.iterations();
  state.SetBytesProcessed(bytes);
  state.counters["core_share_at_50MB/s"] =
      benchmark::Counter(static_cast<double>(bytes) / kBusyBytesPerSecond,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void BM_Stderr(benchmark::State& state) { Read(state, Stderr()); }
void BM_StderrKnownPrefix(benchmark::State& state) {
  LogReaderOptions options;
  options.parsing.log_line_prefix = "%m [%p] %q%u@%d ";
  Read(state, Stderr(), options);
}
void BM_Csv(benchmark::State& state) { Read(state, Csv()); }
void BM_Json(benchmark::State& state) { Read(state, Json()); }
void BM_Docker(benchmark::State& state) { Read(state, Docker()); }
BENCHMARK(BM_Stderr);
BENCHMARK(BM_StderrKnownPrefix);
BENCHMARK(BM_Csv);
BENCHMARK(BM_Json);
BENCHMARK(BM_Docker);

}  // namespace
}  // namespace ckpt::logs
