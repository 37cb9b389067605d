// SPDX-License-Identifier: Apache-2.0
#include "logs/log_reader.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "unit/logs/log_lines.h"

namespace ckpt::logs {
namespace {

using testing::ReadAll;
using testing::ReadLog;

constexpr const char* kStart = "LOG:  checkpoint starting: time\n";
constexpr const char* kComplete =
    "LOG:  checkpoint complete: wrote 383 buffers (18.7%); 4 WAL file(s) added, 5 removed, 6 "
    "recycled; write=0.022 s, sync=0.014 s, total=1.042 s; sync files=38, longest=0.005 s, "
    "average=0.001 s; distance=3329 kB, estimate=4000 kB\n";

std::vector<std::string> Described(const testing::ReadResult& result) {
  std::vector<std::string> lines;
  for (const CheckpointEvent& event : result.checkpoints) {
    lines.push_back(testing::Describe(event));
  }
  return lines;
}

// Each line of `bytes` put through `wrap`.
template <class Wrap>
std::string WrapLines(const std::string& bytes, Wrap wrap) {
  std::istringstream lines(bytes);
  std::string out;
  for (std::string line; std::getline(lines, line);) out += wrap(line);
  return out;
}

std::string Cri(const std::string& line) {
  // The runtime splits long lines.
  std::string out;
  std::string rest = line;
  while (rest.size() > 100) {
    out += "2026-11-30T22:00:00.123456789Z stderr P " + rest.substr(0, 100) + "\n";
    rest.erase(0, 100);
  }
  return out + "2026-11-30T22:00:00.123456789Z stderr F " + rest + "\n";
}

std::string Docker(const std::string& line) {
  nlohmann::ordered_json object;
  object["log"] = line + "\n";
  object["stream"] = "stderr";
  object["time"] = "2026-11-30T22:00:00.123456789Z";
  return object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string CloudNativePg(const std::string& line) {
  const auto record = nlohmann::json::parse(line);
  nlohmann::ordered_json inner;
  for (const auto& [from, to] : {std::pair{"timestamp", "log_time"},
                                 {"user", "user_name"},
                                 {"dbname", "database_name"},
                                 {"pid", "process_id"},
                                 {"error_severity", "error_severity"},
                                 {"message", "message"},
                                 {"hint", "hint"},
                                 {"statement", "query"},
                                 {"backend_type", "backend_type"}}) {
    if (!record.contains(from)) continue;
    inner[to] = record[from].is_string() ? record[from].get<std::string>() : record[from].dump();
  }
  nlohmann::ordered_json object{{"level", "info"}, {"ts", "2026-11-30T22:00:00.5Z"}};
  object["logger"] = "postgres";
  object["msg"] = "record";
  object["record"] = inner;
  return object.dump() + "\n";
}

TEST(LogReader, ReadsThroughEveryEnvelope) {
  const std::string text = ReadLog("18/standby.stderr.log");
  const std::string json = ReadLog("18/standby.jsonlog.json");
  const auto wanted = Described(ReadAll(text));
  ASSERT_GT(wanted.size(), 10U);
  struct Case {
    std::string bytes;
    const char* format;
    const char* transport;
  };
  const Case cases[] = {
      {WrapLines(text, Cri), "stderr", "cri"},
      {WrapLines(text, Docker), "stderr", "docker"},
      {WrapLines(json, Cri), "jsonlog", "cri"},
      {WrapLines(json, Docker), "jsonlog", "docker"},
      {WrapLines(json, CloudNativePg), "cloudnativepg", "plain"},
      {WrapLines(WrapLines(json, CloudNativePg), Cri), "cloudnativepg", "cri"},
      {WrapLines(text,
                 [](const std::string& line) {
                   return "2026-11-30T22:00:00.5+00:00 db1 postgres[1]: [1-1] " + line + "\n";
                 }),
       "stderr", "syslog"},
      {WrapLines(text, [](const std::string& line) { return line + "\r\n"; }), "stderr", "plain"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(std::string(c.format) + " in " + c.transport);
    const auto result = ReadAll(c.bytes, {}, 777);
    EXPECT_EQ(result.format, c.format);
    EXPECT_EQ(result.transport, c.transport);
    EXPECT_EQ(Described(result), wanted);
    EXPECT_EQ(result.stats.lines_malformed, 0U);
  }
}

TEST(LogReader, FindsTheFormatThoughTheFirstLinesAreOthers) {
  const std::string csv = ReadLog("18/primary.csvlog.csv");
  const auto wanted = Described(ReadAll(csv));
  // Come in in the middle of a statement.
  auto result = ReadAll("  from t where a = 'b'\n2026' limit 1\",,,\"psql\"\n" + csv);
  EXPECT_EQ(result.format, "csvlog");
  EXPECT_EQ(Described(result), wanted);
  // Text before JSON, as until the logging collector takes over, and again at a restart.
  const std::string json = ReadLog("18/primary.jsonlog.json");
  result = ReadAll("2026-11-30 21:00:00.000 UTC [1] LOG:  redirecting log output\n" + json);
  EXPECT_EQ(result.format, "jsonlog");
  EXPECT_EQ(Described(result), wanted);
  result = ReadAll(json + kStart + kComplete);
  EXPECT_EQ(result.format, "stderr");
  EXPECT_EQ(Described(result).size(), wanted.size() + 1);
}

TEST(LogReader, KeepsToTheFormatItIsTold) {
  LogReaderOptions options;
  options.format = "csvlog";
  const auto result = ReadAll(std::string(kStart) + kComplete, options);
  EXPECT_EQ(result.format, "csvlog");
  EXPECT_TRUE(result.checkpoints.empty());
  EXPECT_EQ(result.stats.lines_malformed, 2U);
}

TEST(LogReader, CountsWhatItReads) {
  LogReader reader;
  const std::string bytes =
      "2026-11-30 21:27:19.468 UTC [9] LOG:  connection received\n"
      "2026-11-30 21:27:20.468 UTC [7] LOG:  checkpoint starting: time\n"
      "2026-11-30 21:27:21.468 UTC [8] LOG:  checkpoint starting: time\n";
  EXPECT_EQ(reader.Feed(bytes).size(), 1U);
  const LogReaderStats stats = reader.stats();
  EXPECT_EQ(stats.bytes_read, bytes.size());
  EXPECT_EQ(stats.lines_read, 3U);
  EXPECT_EQ(stats.lines_matched, 1U);
  EXPECT_EQ(stats.lines_rejected, 1U);
  EXPECT_NEAR(*stats.last_match_time, 1796074040.468, 1e-6);
}

// A parser that is blind must not look healthy.
TEST(LogReader, CountsTheCheckpointersLinesThatItDoesNotUnderstand) {
  LogReader reader;
  const auto say = [&](const std::string& message, const std::string& severity = "LOG",
                       const std::string& backend = "checkpointer") {
    nlohmann::json object{{"timestamp", "2026-11-30 21:27:19.468 UTC"}, {"pid", 7}};
    object["error_severity"] = severity;
    object["message"] = message;
    object["backend_type"] = backend;
    reader.Feed(object.dump() + "\n");
    return reader.stats().lines_not_understood;
  };
  EXPECT_EQ(say("checkpoint starting: time"), 0U);
  EXPECT_EQ(say("fahre herunter"), 0U);
  EXPECT_EQ(say("punkt kontrolny zapisany: 3 z 5"), 1U);
  EXPECT_EQ(say("flushing: soon"), 2U);
  EXPECT_EQ(say("performing 3 things", "DEBUG1"), 2U);
  EXPECT_EQ(say("could not write block 3", "WARNING"), 2U);
  EXPECT_EQ(say("could not write block 3", "ERROR"), 2U);
  EXPECT_EQ(say("3 tables", "LOG", "autovacuum worker"), 2U);
}

TEST(LogReader, BelievesNoSessionThatQuotesALine) {
  const std::string line = std::string(kComplete).substr(0, std::string(kComplete).size() - 1);
  const std::string message = line.substr(line.find("checkpoint"));
  const std::string at = "2026-11-30 21:27:19.468 UTC ";
  const std::string raised = at + "[99] app@shop LOG:  " + message + "\n";
  for (const std::string& bytes : {
           raised + at + "[99] app@shop STATEMENT:  do ...\n",
           at + "[99] ERROR:  syntax error\n" + at + "[99] STATEMENT:  " + message + "\n",
           at + "[99] ERREUR:  x\n" + at + "[99] INSTRUCTION :  " + message + "\n",
           at + "[99] LOG:  statement: select '" + message + "'\n",
           at + "[99] LOG:  duration: 3.100 ms  statement: " + message + "\n",
           at + "[99] LOG:  statement: select\n\tLOG:  " + message + "\n",
           at + "[99] DETAIL:  parameters: $1 = '" + message + "'\n",
           at + ",\"joe\",\"shop\",99,\"[local]\",a.b,1,\"DO\",x,3/1,0,LOG,00000,\"" + message +
               "\",,,,,,,,,\"psql\",\"client backend\",,0\n",
           at.substr(0, at.size() - 1) + ",\"joe\",\"shop\",99,\"[local]\",a.b,1,\"DO\",x,3/1,0," +
               "LOG,00000,\"" + message + "\",,,,,,,,,\"psql\"\n",
           R"({"timestamp":"2026-11-30 21:27:19.468 UTC","user":"joe","dbname":"shop","pid":99,)"
           R"("error_severity":"LOG","message":")" +
               message + R"(","backend_type":"client backend"})" + "\n",
           R"({"pid":99,"error_severity":"LOG","message":")" + message +
               R"(","backend_type":"background worker"})" + "\n",
       }) {
    EXPECT_TRUE(ReadAll(bytes).events.empty()) << bytes;
  }
  // Where nothing but the pid tells.
  LogReader reader;
  reader.SetCheckpointerPid(7);
  EXPECT_TRUE(reader.Feed(at + "[99] LOG:  " + message + "\n").empty());
  EXPECT_EQ(reader.stats().lines_rejected, 1U);
  EXPECT_EQ(reader.Feed(at + "[7] LOG:  " + message + "\n").size(), 1U);
}

TEST(LogReader, ResetDropsHalfALineAndKeepsTheRest) {
  LogReader reader;
  EXPECT_TRUE(reader.Feed("LOG:  checkpoint sta").empty());
  reader.Reset();
  EXPECT_EQ(reader.Feed(kStart).size(), 1U);
  EXPECT_EQ(reader.format(), "stderr");
  reader.NextFile();
  EXPECT_EQ(reader.format(), "");
  EXPECT_EQ(reader.Feed(ReadLog("18/standby.jsonlog.json")).empty(), false);
  EXPECT_EQ(reader.format(), "jsonlog");
}

TEST(LogReader, ReadsOnAfterCopytruncateAndGarbage) {
  LogReader reader;
  std::string bytes(100000, '\0');
  bytes += kStart;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  bytes += std::string("\n") + std::string(3 << 20, 'x') + "\n" + kComplete;
  const auto events = reader.Feed(bytes);
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(reader.stats().lines_too_long, 1U);
}

TEST(LogReader, LeavesTimesInUnknownZonesUnknown) {
  const std::string bytes = "2026-11-30 22:27:19.468 CET [7] LOG:  checkpoint starting: time\n";
  EXPECT_FALSE(ReadAll(bytes).events.at(0).time);
  LogReaderOptions options;
  options.parsing.zone = FixedZone(3600);
  EXPECT_NEAR(*ReadAll(bytes, options).events.at(0).time, 1796074039.468, 1e-6);
}

}  // namespace
}  // namespace ckpt::logs
