// SPDX-License-Identifier: Apache-2.0
#include "logs/envelope.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "unit/logs/log_lines.h"

namespace ckpt::logs {
namespace {

constexpr double kTime = 1796074039;

struct Kept {
  std::optional<UnixSeconds> time;
  std::optional<std::int64_t> pid;
  Severity severity;
  std::string sqlstate, backend_type, message, hint, function;
  bool is_session;
};

struct Collected : RecordSink {
  void OnRecord(const LogRecord& r) override {
    records.push_back({r.time, r.pid, r.severity, std::string(r.sqlstate),
                       std::string(r.backend_type), std::string(r.message), std::string(r.hint),
                       std::string(r.function), r.is_session});
  }
  std::vector<Kept> records;
};

// The first format whose sniffer takes the line.
std::string_view Sniff(std::string_view line) {
  for (const LogFormat& format : kLogFormats) {
    if (format.sniff(line)) return format.name;
  }
  return "";
}

TEST(LogFormats, AreTold) {
  EXPECT_EQ(Sniff("2026-11-30 21:27:19.468 UTC [1] LOG:  x"), "stderr");
  EXPECT_EQ(Sniff("2026-11-30 21:27:19.468 UTC,,,1928,,6b0de7ac.788,1,,2026-11-30"), "csvlog");
  EXPECT_EQ(Sniff(R"(2026-11-30 21:27:19.468 UTC,"u","d",1,"[local]",a.b,1,"x",t,1/1,0,LOG)"),
            "csvlog");
  EXPECT_EQ(Sniff("2026-11-30 21:27:19.468 UTC,LOG:  a log_line_prefix with a comma"), "stderr");
  EXPECT_EQ(Sniff(R"({"timestamp":"2026-11-30 21:27:19.468 UTC","error_severity":"LOG"})"),
            "jsonlog");
  EXPECT_EQ(
      Sniff(R"({"level":"info","logger":"postgres","msg":"record","record":{"log_time":""}})"),
      "cloudnativepg");
  EXPECT_EQ(Sniff(R"({"level":"info","msg":"another program"})"), "stderr");
}

TEST(StderrFormat, ReadsTheEnvelope) {
  const auto parser = MakeStderrParser({});
  Collected sink;
  for (const char* line : {
           "2026-11-30 21:27:19.468 UTC [9154] LOG:  checkpoint starting: time",
           "2026-11-30 21:27:19 UTC::@:[773]:LOG:  00000: checkpoint starting: time",
           "LOG:  checkpoint starting: time",
           "2026-11-30 21:27:19.468 UTC [1] joe@shop ERROR:  division by zero",
           "2026-11-30 21:27:19.468 UTC [1] HATA (ERROR):  x",
       }) {
    parser->Line({line}, sink);
  }
  ASSERT_EQ(sink.records.size(), 5U);
  EXPECT_EQ(sink.records[0].time, kTime + 0.468);
  EXPECT_EQ(sink.records[0].pid, 9154);
  EXPECT_EQ(sink.records[0].severity, Severity::kLog);
  EXPECT_EQ(sink.records[0].message, "checkpoint starting: time");
  EXPECT_EQ(sink.records[1].pid, 773);
  EXPECT_EQ(sink.records[1].sqlstate, "00000");
  EXPECT_EQ(sink.records[1].message, "checkpoint starting: time");
  EXPECT_FALSE(sink.records[1].is_session);
  EXPECT_FALSE(sink.records[2].time);
  EXPECT_FALSE(sink.records[2].pid);
  EXPECT_TRUE(sink.records[3].is_session);
  EXPECT_EQ(sink.records[4].severity, Severity::kError);
}

TEST(StderrFormat, TakesWhatFollowsAMessageForNoMessage) {
  const auto parser = MakeStderrParser({});
  Collected sink;
  for (const char* label :
       {"STATEMENT", "DETAIL", "HINT", "CONTEXT", "QUERY", "LOCATION", "BACKTRACE", "ANWEISUNG",
        "SENTENCIA", "INSTRUCTION ", "文", "명령 구문", "ОПЕРАТОР", "语句", "ІНСТРУКЦІЯ"}) {
    const std::string line =
        "2026-11-30 21:27:19.468 UTC [1] " + std::string(label) + ":  checkpoint starting: time";
    parser->Line({line}, sink);
  }
  parser->Line({"\tLOG:  checkpoint starting: time"}, sink);
  parser->Line({"2026-11-30 21:27:19 UTC [1] LOG:  x: LOG:  checkpoint starting: time"}, sink);
  for (const Kept& record : sink.records) {
    EXPECT_NE(record.message, "checkpoint starting: time");
  }
}

TEST(StderrFormat, FindsATranslatedWarningByItsHint) {
  const auto parser = MakeStderrParser({});
  Collected sink;
  parser->Line({"2026-11-30 21:27:19.468 UTC [7] LOG:  arrivent trop fréquemment"}, sink);
  parser->Line({"\t(toutes les 3 seconde)"}, sink);
  parser->Line({"2026-11-30 21:27:19.468 UTC [7] ASTUCE :  Considérez « max_wal_size »."}, sink);
  ASSERT_EQ(sink.records.size(), 1U);
  EXPECT_EQ(sink.records[0].pid, 7);
  EXPECT_EQ(sink.records[0].message, "arrivent trop fréquemment\t(toutes les 3 seconde)");
  // Turkish of 10 has no space after its label.
  parser->Line({"2026-11-30 21:27:19.468 UTC [7] LOG:  çok sık (3 saniye aralıkla)"}, sink);
  parser->Line({"2026-11-30 21:27:19.468 UTC [7] İPUCU:\"max_wal_size\" artırın."}, sink);
  EXPECT_EQ(sink.records.size(), 2U);
  // The English one needs no hint, and is not told twice.
  parser->Line({"LOG:  checkpoints are occurring too frequently (3 seconds apart)"}, sink);
  parser->Line({"HINT:  Consider increasing the configuration parameter \"max_wal_size\"."}, sink);
  EXPECT_EQ(sink.records.size(), 3U);
}

// Every escape, as three versions printed them, with the log_line_prefix given and without.
TEST(StderrFormat, ReadsARealServersPrefixes) {
  int checked = 0;
  for (const char* version : {"12", "18", "19"}) {
    const auto samples =
        nlohmann::json::parse(testing::ReadLog(std::string(version) + "/prefix-samples.json"));
    for (const auto& [name, text] : samples.items()) {
      const std::string prefix = name == "verbose" ? "%m|%t|%n|%s|%p|%l|%c|%v|%x|%i|%e|%a|%u|%d|%r|"
                                                     "%h|%q%%|%20p|%-20p|"
                                                   : name.substr(std::string("prefix ").size());
      for (const bool known : {true, false}) {
        SCOPED_TRACE(std::string(version) + " " + name + (known ? " known" : " unknown"));
        LogReaderOptions options;
        if (known) options.parsing.log_line_prefix = prefix;
        const auto result = testing::ReadAll(text.get<std::string>(), options);
        ASSERT_EQ(result.checkpoints.size(), 1U);
        EXPECT_EQ(result.checkpoints[0].flags.Has(CheckpointFlag::kForce), true);
        EXPECT_TRUE(result.checkpoints[0].buffers_written);
        const bool has_time = name == "verbose";
        EXPECT_EQ(result.checkpoints[0].start.has_value(), has_time);
        if (known) {
          EXPECT_EQ(result.events[0].role,
                    has_time ? ProcessRole::kUnknown : ProcessRole::kCheckpointer);
          EXPECT_EQ(result.events[0].pid.has_value(), has_time);
        }
        ++checked;
      }
    }
  }
  EXPECT_GE(checked, 14);
}

std::string CsvRecord(std::string_view message, std::string_view tail) {
  return "2026-11-30 21:27:19.468 UTC,,,4069,,6b0de826.fe5,1,,2026-11-30 21:18:30 UTC,,0,LOG,00000,"
         "\"" +
         std::string(message) + "\",,,,,,,,,\"\"" + std::string(tail);
}

TEST(CsvFormat, ReadsTheColumnsOfEveryVersion) {
  for (const auto& [tail, backend] : std::vector<std::pair<std::string, std::string>>{
           {"", ""},
           {",\"checkpointer\"", "checkpointer"},
           {",\"checkpointer\",,0", "checkpointer"},
           {",\"checkpointer\",,0,9", "checkpointer"}}) {
    SCOPED_TRACE(tail);
    const auto parser = MakeCsvParser({});
    Collected sink;
    EXPECT_EQ(parser->Line({CsvRecord("a \"\"quoted\"\", text", tail)}, sink), LineVerdict::kTaken);
    ASSERT_EQ(sink.records.size(), 1U);
    EXPECT_EQ(sink.records[0].message, "a \"quoted\", text");
    EXPECT_EQ(sink.records[0].pid, 4069);
    EXPECT_EQ(sink.records[0].time, kTime + 0.468);
    EXPECT_EQ(sink.records[0].backend_type, backend);
    EXPECT_EQ(sink.records[0].sqlstate, "00000");
  }
}

TEST(CsvFormat, JoinsRecordsThatSpanLines) {
  const auto parser = MakeCsvParser({});
  Collected sink;
  // A session's record quotes a whole checkpoint record in its statement.
  const std::string session =
      "2026-11-30 21:27:19.468 UTC,\"joe\",\"shop\",1,\"[local]\",a.b,1,\"SELECT\",2026-11-30 "
      "21:18:30 UTC,3/1,0,ERROR,42601,\"syntax error\",,,,,,\"select 1,";
  parser->Line({session}, sink);
  std::string forged;
  for (const char c : CsvRecord("checkpoint starting: time", ",\"checkpointer\",,0")) {
    forged += c;
    if (c == '"') forged += c;
  }
  EXPECT_EQ(parser->Line({forged}, sink), LineVerdict::kTaken);
  EXPECT_EQ(parser->Line({"2026\",7,,\"psql\",\"client backend\",,0"}, sink), LineVerdict::kTaken);
  EXPECT_TRUE(sink.records.empty());
  const std::string record = CsvRecord("one\ntwo\nthree", "");
  for (std::size_t at = 0; at < record.size();) {
    const std::size_t end = std::min(record.find('\n', at), record.size());
    EXPECT_EQ(parser->Line({std::string_view(record).substr(at, end - at)}, sink),
              LineVerdict::kTaken);
    at = end + 1;
  }
  ASSERT_EQ(sink.records.size(), 1U);
  EXPECT_EQ(sink.records[0].message, "one\ntwo\nthree");
}

TEST(CsvFormat, RecoversFromABrokenRecord) {
  const auto parser = MakeCsvParser({});
  Collected sink;
  EXPECT_EQ(parser->Line({"2026-11-30 21:27:19.468 UTC,,,1,,a.b,1,,x,,0,LOG,00000,\"cut he"}, sink),
            LineVerdict::kTaken);
  EXPECT_EQ(parser->Line({CsvRecord("whole", "")}, sink), LineVerdict::kMalformed);
  ASSERT_EQ(sink.records.size(), 1U);
  EXPECT_EQ(sink.records[0].message, "whole");
  for (const char* line : {"text", "2026-11-30 21:27:19.468 UTC,,,1,,a.b,1",
                           "2026-11-30 21:27:19.468 UTC,,,1,\"a\"b,1"}) {
    EXPECT_EQ(parser->Line({line}, sink), LineVerdict::kMalformed) << line;
  }
}

TEST(CsvFormat, IsBoundedOnARecordWithoutEnd) {
  FormatOptions options;
  options.max_record_bytes = 1000;
  const auto parser = MakeCsvParser(options);
  Collected sink;
  parser->Line({"2026-11-30 21:27:19.468 UTC,,,1,,a.b,1,,x,,0,LOG,00000,\"endless"}, sink);
  int malformed = 0;
  for (int i = 0; i < 1000; ++i) {
    if (parser->Line({"0123456789"}, sink) == LineVerdict::kMalformed) ++malformed;
  }
  EXPECT_EQ(malformed, 1);
  parser->Line({"end\",,,,,,,,,\"\""}, sink);
  EXPECT_TRUE(sink.records.empty());
  parser->Line({CsvRecord("next", "")}, sink);
  EXPECT_EQ(sink.records.size(), 1U);
}

TEST(JsonFormat, ReadsItsKeysAndSkipsSessions) {
  const auto parser = MakeJsonParser({});
  Collected sink;
  EXPECT_EQ(
      parser->Line(
          {R"({"timestamp":"2026-11-30 21:27:19.468 UTC","pid":7,"error_severity":"LOG","state_code":"00000",)"
           R"("message":"a \"b\"","hint":"h","func_name":"LogCheckpointStart","backend_type":"checkpointer"})"},
          sink),
      LineVerdict::kTaken);
  ASSERT_EQ(sink.records.size(), 1U);
  EXPECT_EQ(sink.records[0].time, kTime + 0.468);
  EXPECT_EQ(sink.records[0].pid, 7);
  EXPECT_EQ(sink.records[0].message, "a \"b\"");
  EXPECT_EQ(sink.records[0].hint, "h");
  EXPECT_EQ(sink.records[0].function, "LogCheckpointStart");
  EXPECT_EQ(sink.records[0].backend_type, "checkpointer");
  // A user's text cannot hold the quote that ends the value.
  EXPECT_EQ(parser->Line({R"({"pid":1,"error_severity":"LOG","message":"\"checkpointer\"",)"
                          R"("backend_type":"client backend"})"},
                         sink),
            LineVerdict::kTaken);
  EXPECT_EQ(sink.records.size(), 1U);
  // Bytes that are not UTF-8 do not hide the numbers.
  parser->Line({"{\"pid\":7,\"error_severity\":\"LOG\",\"message\":\"\xff\xfe 3\",\"backend_type\":"
                "\"checkpointer\"}"},
               sink);
  ASSERT_EQ(sink.records.size(), 2U);
  EXPECT_EQ(sink.records[1].message, "?\? 3");
}

TEST(JsonFormat, RefusesWhatIsNotARecord) {
  const auto parser = MakeJsonParser({});
  Collected sink;
  for (const std::string& line :
       {std::string("text"), std::string("{"), std::string("{}"), std::string("[1]"),
        std::string(R"({"error_severity":7,"message":"x"})"),
        std::string(R"({"error_severity":"LOG","message":"cut)"), std::string(100000, '{'),
        "{\"a\":" + std::string(100000, '[')}) {
    EXPECT_EQ(parser->Line({line}, sink), LineVerdict::kMalformed) << line.substr(0, 40);
  }
  EXPECT_TRUE(sink.records.empty());
}

TEST(CloudNativePgFormat, ReadsTheRecordWithin) {
  const auto parser = MakeCloudNativePgParser({});
  Collected sink;
  EXPECT_EQ(parser->Line(
                {R"({"level":"info","ts":"2026-11-30T21:27:19.5Z","logger":"instance","msg":"x"})"},
                sink),
            LineVerdict::kTaken);
  EXPECT_EQ(
      parser->Line(
          {R"({"level":"info","ts":"2026-11-30T21:27:19.5Z","logger":"postgres","msg":"record",)"
           R"("logging_pod":"c-1","record":{"log_time":"2026-11-30 21:27:19.468 UTC","process_id":"31",)"
           R"("session_id":"a.b","error_severity":"LOG","sql_state_code":"00000",)"
           R"("message":"checkpoint starting: time","backend_type":"checkpointer"}})"},
          sink),
      LineVerdict::kTaken);
  ASSERT_EQ(sink.records.size(), 1U);
  EXPECT_EQ(sink.records[0].pid, 31);
  EXPECT_EQ(sink.records[0].time, kTime + 0.468);
  EXPECT_EQ(sink.records[0].message, "checkpoint starting: time");
  EXPECT_FALSE(sink.records[0].is_session);
}

}  // namespace
}  // namespace ckpt::logs
