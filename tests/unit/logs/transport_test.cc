// SPDX-License-Identifier: Apache-2.0
#include "logs/transport.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "unit/logs/log_lines.h"

namespace ckpt::logs {
namespace {

struct Collected : LineSink {
  void OnLine(const TransportLine& line) override {
    texts.emplace_back(line.text);
    received.push_back(line.received);
    pids.push_back(line.pid);
  }
  std::vector<std::string> texts;
  std::vector<std::optional<UnixSeconds>> received;
  std::vector<std::optional<std::int64_t>> pids;
};

using Lines = std::vector<std::string>;

TEST(CriTransport, TakesOffTheHeadAndJoinsPieces) {
  const auto reader = MakeCriReader(64);
  Collected sink;
  for (const char* line : {
           "2026-11-30T21:27:19.5Z stderr F whole",
           "2026-11-30T21:27:19.5Z stderr P first ",
           "2026-11-30T21:27:19.5Z stdout F other stream",
           "2026-11-30T21:27:19.5+00:00 stderr P second ",
           "2026-11-30T21:27:20.5Z stderr F third",
           "2026-11-30T21:27:19.5Z stderr F ",
       }) {
    ASSERT_TRUE(IsCriLine(line)) << line;
    EXPECT_EQ(reader->Line(line, sink), LineVerdict::kTaken);
  }
  EXPECT_EQ(sink.texts, (Lines{"whole", "other stream", "first second third", ""}));
  EXPECT_EQ(sink.received[0], 1796074039.5);
  EXPECT_EQ(sink.received[2], 1796074040.5);
  for (const char* line : {"", "text", "2026-11-30T21:27:19.5Z stderr X text",
                           "2026-11-30T21:27:19.5Z other F text", "2026-11-30 21:27:19 UTC x"}) {
    EXPECT_FALSE(IsCriLine(line)) << line;
  }
  EXPECT_EQ(reader->Line("text", sink), LineVerdict::kMalformed);
}

TEST(CriTransport, IsBoundedAndForgets) {
  const auto reader = MakeCriReader(64);
  Collected sink;
  for (int i = 0; i < 100; ++i) reader->Line("2026-11-30T21:27:19Z stderr P 0123456789", sink);
  reader->Line("2026-11-30T21:27:19Z stderr F end", sink);
  ASSERT_EQ(sink.texts.size(), 1U);
  EXPECT_LE(sink.texts[0].size(), 64U);
  reader->Line("2026-11-30T21:27:19Z stderr P half", sink);
  reader->Reset();
  reader->Line("2026-11-30T21:27:19Z stderr F whole", sink);
  EXPECT_EQ(sink.texts.back(), "whole");
}

TEST(DockerTransport, UnescapesAndJoins) {
  const auto reader = MakeDockerReader(1024);
  Collected sink;
  const std::string tail = R"(,"stream":"stderr","time":"2026-11-30T21:27:19.5Z"})";
  for (const std::string& line : {
           R"({"log":"plain\n")" + tail,
           R"({"log":"a \"b\" \\ \t \u003c\u00e9\u4e2d\r\n")" + tail,
           R"({"log":"first ")" + tail,
           R"({"log":"second\n")" + tail,
           R"({"log":"\n")" + tail,
       }) {
    ASSERT_TRUE(IsDockerLine(line)) << line;
    EXPECT_EQ(reader->Line(line, sink), LineVerdict::kTaken) << line;
  }
  EXPECT_EQ(sink.texts, (Lines{"plain", "a \"b\" \\ \t <é中", "first second", ""}));
  EXPECT_EQ(sink.received[0], 1796074039.5);
  for (const char* line : {R"({"log":"never ends)", R"({"log":"never ends\)", R"({"log":"\u12)",
                           R"({"log":"\uzzzz"})", R"({"log":)", "text"}) {
    EXPECT_EQ(reader->Line(line, sink), LineVerdict::kMalformed) << line;
  }
}

TEST(SyslogTransport, ReadsHeads) {
  struct Case {
    const char* line;
    const char* text;
    std::int64_t pid;
    std::optional<double> received;
  };
  const Case cases[] = {
      {"<134>Nov 30 21:32:48 postgres[14330]: [1-1] text", "text", 14330, std::nullopt},
      {"Nov  3 21:32:48 db1 postgres[14330]: [12-1] text", "text", 14330, std::nullopt},
      {"2026-11-30T21:27:19.5+00:00 db1 postgres[7]: [1] [local] text", "[local] text", 7,
       1796074039.5},
      {"Nov 30 21:32:48 db1 postgres[7]: text", "text", 7, std::nullopt},
      {"Nov 30 21:32:48 db1 postgres[7]: [note] text", "[note] text", 7, std::nullopt},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.line);
    ASSERT_TRUE(IsSyslogLine(c.line));
    Collected sink;
    EXPECT_EQ(MakeSyslogReader(1024)->Line(c.line, sink), LineVerdict::kTaken);
    EXPECT_EQ(sink.texts, Lines{c.text});
    EXPECT_EQ(sink.pids[0], c.pid);
    EXPECT_EQ(sink.received[0], c.received);
  }
  for (const char* line :
       {"", "text", "Nov 30 21:32:48 db1 postgres: text", "Nop 30 21:32:48 db1 postgres[1]: text",
        "Nov 30 21:32:48 a b c postgres[1]: text", "2026-11-30 21:32:48 UTC [1]: text", "<134>text",
        "<xyz>Nov 30 21:32:48 postgres[1]: text"}) {
    EXPECT_FALSE(IsSyslogLine(line)) << line;
  }
}

TEST(SyslogTransport, JoinsChunksOfInterleavedProcesses) {
  const auto reader = MakeSyslogReader(1024);
  Collected sink;
  const std::string head = "Nov 30 21:32:48 db1 postgres";
  const std::string piece(800, 'x');
  for (const std::string& line : {
           head + "[1]: [5-1] LOG:  " + piece,
           head + "[2]: [5-1] LOG:  other",
           head + "[1]: [5-2]  rest",
           head + "[1]: [5-3] #011tabbed",
           head + "[1]: [5-4] HINT:  hint",
           head + "[1]: [6-1] LOG:  next",
       }) {
    reader->Line(line, sink);
  }
  EXPECT_EQ(sink.texts, (Lines{"LOG:  " + piece, "LOG:  other", "LOG:  " + piece + " rest",
                               "\ttabbed", "HINT:  hint", "LOG:  next"}));
}

TEST(SyslogTransport, SplitsMessagesThatHoldNewlines) {
  const auto reader = MakeSyslogReader(1024);
  Collected sink;
  reader->Line("Nov 30 21:32:51 db1 postgres[1]: LOG:  a#012#011b#012HINT:  c#012", sink);
  EXPECT_EQ(sink.texts, (Lines{"LOG:  a", "\tb", "HINT:  c"}));
}

// What the server put on the wire, turned into what rsyslog writes to a file.
TEST(SyslogTransport, ReadsARealServersDatagrams) {
  std::string file;
  const std::string raw = testing::ReadLog("19/syslog-raw-datagrams.txt");
  for (std::size_t at = 0; at < raw.size(); ++at) {
    // The capture escapes as a program's string literal does.
    if (raw[at] == '\\' && at + 1 < raw.size()) {
      ++at;
      file += raw[at] == 'n' ? "#012" : raw[at] == 't' ? "#011" : std::string(1, raw[at]);
    } else {
      file += raw[at];
    }
  }
  const testing::ReadResult result = testing::ReadAll(file);
  EXPECT_EQ(result.transport, "syslog");
  EXPECT_EQ(result.format, "stderr");
  ASSERT_EQ(result.checkpoints.size(), 4U);
  EXPECT_EQ(result.checkpoints[0].buffers_written, 2);
  EXPECT_EQ(result.checkpoints[0].redo_lsn, 0x43004028);
  EXPECT_NEAR(*result.checkpoints[1].start, 1796074370.316, 1e-6);
  EXPECT_EQ(result.checkpoints[3].reason, Reason::kRestart);
}

// A Russian line with a long prefix is longer than one chunk.
TEST(SyslogTransport, ReadsACompleteLineInTwoChunks) {
  const std::string head = "Nov 30 21:32:48 db1 postgres[7]: ";
  const std::string first =
      "2026-11-30 21:27:19.468 UTC [7] " + std::string(500, 'p') +
      " СООБЩЕНИЕ:  контрольная точка завершена: записано буферов: 383 (18.7%); добавлено файлов "
      "WAL 4, удалено: 5, переработано: 6; запись=0.022 сек., синхр.=0.014 сек., всего=1.042 сек.;";
  const std::string second =
      " синхронизировано_файлов=38, самая_долгая_синхр.=0.005 сек., средняя=0.001 сек.; "
      "расстояние=3329 КБ, ожидалось=4000 КБ; lsn=0/1, lsn redo=0/1";
  const auto result =
      testing::ReadAll(head + "[5-1] " + first + "\n" + head + "[5-2] " + second + "\n");
  ASSERT_EQ(result.checkpoints.size(), 1U);
  EXPECT_EQ(result.checkpoints[0].buffers_written, 383);
  EXPECT_EQ(result.checkpoints[0].redo_lsn, 1);
}

}  // namespace
}  // namespace ckpt::logs
