// SPDX-License-Identifier: Apache-2.0
#include "logs/checkpoint_message.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ckpt::logs {
namespace {

template <class T>
std::optional<T> As(std::string_view message, std::string_view hint = {}) {
  const auto parsed = ParseCheckpointMessage(message, hint);
  if (!parsed || !std::holds_alternative<T>(*parsed)) return std::nullopt;
  return std::get<T>(*parsed);
}

CheckpointFlags Flags(std::initializer_list<CheckpointFlag> list) {
  CheckpointFlags flags;
  for (const CheckpointFlag flag : list) flags.Add(flag);
  return flags;
}

TEST(CheckpointMessage, ReadsStartingLines) {
  using F = CheckpointFlag;
  struct Case {
    const char* text;
    std::optional<EventKind> kind;
    CheckpointFlags flags;
  };
  const Case cases[] = {
      {"checkpoint starting: time", EventKind::kCheckpoint, Flags({F::kTime})},
      {"checkpoint starting: xlog", EventKind::kCheckpoint, Flags({F::kWal})},
      {"checkpoint starting:", EventKind::kCheckpoint, Flags({})},
      {"checkpoint starting: immediate force wait wal flush-all", EventKind::kCheckpoint,
       Flags({F::kImmediate, F::kForce, F::kWait, F::kWal, F::kFlushAll})},
      {"checkpoint starting: fast force wait flush-unlogged", EventKind::kCheckpoint,
       Flags({F::kImmediate, F::kForce, F::kWait, F::kFlushAll})},
      {"checkpoint starting: end-of-recovery fast wait", EventKind::kCheckpoint,
       Flags({F::kEndOfRecovery, F::kImmediate, F::kWait})},
      {"restartpoint starting: shutdown immediate", EventKind::kRestartpoint,
       Flags({F::kShutdown, F::kImmediate})},
      {"Restart-Punkt beginnt: wal", EventKind::kRestartpoint, Flags({F::kWal})},
      {"début du checkpoint : force wait wal", EventKind::kCheckpoint,
       Flags({F::kForce, F::kWait, F::kWal})},
      {"початок контрольної точки:  time", EventKind::kCheckpoint, Flags({F::kTime})},
      {"リスタートポイント開始: time", EventKind::kRestartpoint, Flags({F::kTime})},
      {"??????????: immediate force wait", std::nullopt,
       Flags({F::kImmediate, F::kForce, F::kWait})},
      {"nachata kontrol`naya tochka: wal", EventKind::kCheckpoint, Flags({F::kWal})},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    const auto got = As<Starting>(c.text);
    ASSERT_TRUE(got);
    EXPECT_EQ(got->kind, c.kind);
    EXPECT_EQ(got->flags, c.flags);
    EXPECT_TRUE(MayBeCheckpointMessage(c.text));
  }
}

TEST(CheckpointMessage, ReadsEveryNumberOfACompleteLine) {
  const auto got = As<Complete>(
      "checkpoint complete: fast force wait: wrote 383 buffers (18.7%), wrote 3 SLRU buffers; 4 "
      "WAL file(s) added, 5 removed, 6 recycled; write=0.022 s, sync=0.014 s, total=1.042 s; sync "
      "files=38, longest=0.005 s, average=0.001 s; distance=3329 kB, estimate=4000 kB; "
      "lsn=1/01A90348, redo lsn=0/FFA902F0");
  ASSERT_TRUE(got);
  EXPECT_EQ(got->kind, EventKind::kCheckpoint);
  EXPECT_EQ(got->flags,
            Flags({CheckpointFlag::kImmediate, CheckpointFlag::kForce, CheckpointFlag::kWait}));
  EXPECT_FALSE(got->unknown_clauses);
  const CheckpointEvent& n = got->numbers;
  EXPECT_EQ(n.buffers_written, 383);
  EXPECT_NEAR(*n.buffers_ratio, 0.187, 1e-12);
  EXPECT_EQ(n.slru_buffers_written, 3);
  EXPECT_EQ(n.wal_files_added, 4);
  EXPECT_EQ(n.wal_files_removed, 5);
  EXPECT_EQ(n.wal_files_recycled, 6);
  EXPECT_EQ(n.write_seconds, 0.022);
  EXPECT_EQ(n.sync_seconds, 0.014);
  EXPECT_EQ(n.total_seconds, 1.042);
  EXPECT_EQ(n.sync_files, 38);
  EXPECT_EQ(n.longest_sync_seconds, 0.005);
  EXPECT_EQ(n.average_sync_seconds, 0.001);
  EXPECT_EQ(n.distance_bytes, 3329 * 1024);
  EXPECT_EQ(n.estimate_bytes, 4000 * 1024);
  EXPECT_EQ(n.lsn, 0x101A90348);
  EXPECT_EQ(n.redo_lsn, 0xFFA902F0);
}

// One line a language whose words or signs differ, with the same numbers in each.
TEST(CheckpointMessage, ReadsCompleteLinesOfEveryLanguage) {
  const std::pair<const char*, std::optional<EventKind>> cases[] = {
      {"checkpoint complete: wrote 383 buffers (118.7%); 4 WAL file(s) added, 5 removed, 6 "
       "recycled; write=0.022 s, sync=0.014 s, total=12.042 s; sync files=38, longest=0.005 s, "
       "average=0.001 s; distance=3329 kB, estimate=4000 kB",
       EventKind::kCheckpoint},
      {"checkpoint complete:: wrote 383 buffers (118.7%), wrote 3 SLRU buffers; 4 WAL file(s) "
       "added, 5 removed, 6 recycled; write=0.022 s, sync=0.014 s, total=12.042 s; sync files=38, "
       "longest=0.005 s, average=0.001 s; distance=3329 kB, estimate=4000 kB; lsn=0/1, redo "
       "lsn=0/00000001",
       EventKind::kCheckpoint},
      {"Restart-Punkt komplett: 383 Puffer geschrieben (118.7%); 4 WAL-Datei(en) hinzugefügt, 5 "
       "entfernt, 6 wiederverwendet; Schreiben=0,022 s, Sync=0,014 s, gesamt=12,042 s; sync. "
       "Dateien=38, längste=0,005 s, Durchschnitt=0.001 s; Entfernung=3329 kB, Schätzung=4000 kB",
       EventKind::kRestartpoint},
      {"체크포인트 작업완료: 383개(118.7%) 버퍼 씀; 4개 WAL 파일 추가됨, 5개 지웠음, 6개 재활용; "
       "쓰기시간: 0.022 s, 동기화시간: 0.014 s, 전체시간: 12.042 s; 동기화 파일 개수: 38, "
       "최장시간: 0.005 s, 평균시간: 0.001 s; 실제작업량: 3329 kB, 예상한작업량: 4000 kB",
       EventKind::kCheckpoint},
      {"检查点完成: 写入 383 个缓冲区（118.7%）; 添加 4 个 WAL 文件, 删除 5 个, 回收 6 个; "
       "write=0.022 s, sync=0.014 s, total=12.042 s; sync files=38, longest=0.005 s, "
       "average=0.001 s; distance=3329 kB, estimate=4000 kB; lsn=0/1, redo lsn=0/1",
       EventKind::kCheckpoint},
      {"точка перезапуска завершена: записано буферов: 383 (118.7%), записано SLRU-буферов: 3; "
       "добавлено файлов WAL 4, удалено: 5, переработано: 6; запись=0.022 сек., синхр.=0.014 сек., "
       "всего=12.042 сек.; синхронизировано_файлов=38, самая_долгая_синхр.=0.005 сек., "
       "средняя=0.001 сек.; расстояние=3329 КБ, ожидалось=4000 КБ; lsn=0/1, lsn redo=0/1",
       EventKind::kRestartpoint},
      {"checkpoint klar: skrev 383 buffers (118.7%); skrev 3 SLRU buffers; 4 WAL-fil(er) "
       "tillagda, 5 borttagna, 6 recyclade; skriv=0.022 s, synk=0.014 s, totalt=12.042 s; "
       "synk-filer=38, längsta=0.005 s, genomsnitt=0.001 s; distans=3329 kB, estimat=4000 kB; "
       "lsn=0/1, redo-lsn=0/1",
       EventKind::kCheckpoint},
      {"ponto de reinício concluído: escritos 383 buffers (118.7%); 4 arquivo(s) do WAL "
       "adicionados, 5 removidos, 6 reciclados; escritos=0.022 s, sincronizados=0.014 s, "
       "total=12.042 s; sincronizados files=38, mais longo=0.005 s, média=0.001 s; distância=3329 "
       "kB, estimado=4000 kB; lsn=0/1, refeito lsn=0/1",
       EventKind::kRestartpoint},
      {"??????????: 383????????? (118.7%); 4??WAL????????5?????6?????; ???\?=0.022?, ?\?=0.014?, "
       "?\?=12.042?; ???????\?=38, ?\?=0.005?, ?\?=0.001?; ?\?=3329 kB, ?\?=4000 kB",
       std::nullopt},
  };
  for (const auto& [text, kind] : cases) {
    SCOPED_TRACE(text);
    const auto got = As<Complete>(text);
    ASSERT_TRUE(got);
    EXPECT_TRUE(MayBeCheckpointMessage(text));
    EXPECT_EQ(got->kind, kind);
    EXPECT_FALSE(got->unknown_clauses);
    EXPECT_EQ(got->numbers.buffers_written, 383);
    EXPECT_NEAR(*got->numbers.buffers_ratio, 1.187, 1e-12);
    EXPECT_EQ(got->numbers.wal_files_added, 4);
    EXPECT_EQ(got->numbers.wal_files_removed, 5);
    EXPECT_EQ(got->numbers.wal_files_recycled, 6);
    EXPECT_EQ(got->numbers.write_seconds, 0.022);
    EXPECT_EQ(got->numbers.sync_seconds, 0.014);
    EXPECT_EQ(got->numbers.total_seconds, 12.042);
    EXPECT_EQ(got->numbers.sync_files, 38);
    EXPECT_EQ(got->numbers.longest_sync_seconds, 0.005);
    EXPECT_EQ(got->numbers.average_sync_seconds, 0.001);
    EXPECT_EQ(got->numbers.distance_bytes, 3329 * 1024);
    EXPECT_EQ(got->numbers.estimate_bytes, 4000 * 1024);
  }
}

TEST(CheckpointMessage, ReadsALineOfAVersionToComeByItsLabels) {
  const auto got = As<Complete>(
      "checkpoint complete: wrote 383 buffers (18.7%), wrote 3 SLRU buffers, flushed 9 widgets; 4 "
      "WAL file(s) added, 5 removed, 6 recycled; write=0.022 s, sync=0.014 s, total=1.042 s; sync "
      "files=38, longest=0.005 s, average=0.001 s; distance=3329 kB, estimate=4000 kB; "
      "lsn=0/01A90348, redo lsn=0/01A902F0");
  ASSERT_TRUE(got);
  EXPECT_TRUE(got->unknown_clauses);
  EXPECT_EQ(got->numbers.buffers_written, 383);
  EXPECT_EQ(got->numbers.slru_buffers_written, 3);
  EXPECT_EQ(got->numbers.wal_files_added, 4);
  EXPECT_EQ(got->numbers.total_seconds, 1.042);
  EXPECT_EQ(got->numbers.sync_files, 38);
  EXPECT_EQ(got->numbers.distance_bytes, 3329 * 1024);
  EXPECT_EQ(got->numbers.lsn, 0x01A90348);
  EXPECT_EQ(got->numbers.redo_lsn, 0x01A902F0);
}

TEST(CheckpointMessage, ReadsTooFrequentWarnings) {
  EXPECT_EQ(As<TooFrequent>("checkpoints are occurring too frequently (1 second apart)")->seconds,
            1);
  EXPECT_EQ(As<TooFrequent>("checkpoints are occurring too frequently (0 seconds apart)")->seconds,
            0);
  struct Case {
    const char* message;
    const char* hint;
  };
  for (const Case& c : {
           Case{"Checkpoints passieren zu oft (alle 21 Sekunden)",
                "Erhöhen Sie eventuell den Konfigurationsparameter »max_wal_size«."},
           Case{"les points de vérification (checkpoints) arrivent trop fréquemment\n\t(toutes les "
                "21 secondes)",
                "Considérez l'augmentation du paramètre « max_wal_size »."},
           Case{"??????????????????\?(21?\?\?)", "???????\"max_wal_size\"???????????????"},
           Case{"Checkpoints passieren zu oft (alle 21 Sekunden)",
                "Erh?hen Sie eventuell den Konfigurationsparameter >>max_wal_size<<."},
           Case{"检查点事件发生过于频繁（间隔 21 秒）", "考虑增大配置参数 \"max_wal_size\"。"},
       }) {
    const auto got = As<TooFrequent>(c.message, c.hint);
    ASSERT_TRUE(got) << c.message;
    EXPECT_EQ(got->seconds, 21);
    EXPECT_FALSE(As<TooFrequent>(c.message)) << "without its hint it could be anything";
  }
}

TEST(CheckpointMessage, ReadsRecovery) {
  EXPECT_EQ(As<RecoveryRestartPoint>("recovery restart point at 0/19D419C0")->lsn, 0x19D419C0);
  EXPECT_EQ(As<RedoStarts>("redo starts at 2/18086F90")->lsn, 0x218086F90);
  EXPECT_EQ(As<RedoDone>("redo done at 0/172E7640")->lsn, 0x172E7640);
  EXPECT_FALSE(As<RedoDone>("redo done at 0/172E7640")->elapsed_seconds);
  for (const char* text :
       {"redo done at 0/172E7640 system usage: CPU: user: 0.06 s, system: 0.08 s, elapsed: 10.18 s",
        "Redo fertig bei 0/172E7640 Systembenutzung: CPU: Benutzer: 0,06 s, System: 0,08 s, "
        "verstrichen: 10,18 s",
        "повторно виконано через 0/172E7640 системне використання: ЦП: користувач: 0.01 с, "
        "система: 0.01 с, минуло: 10.18 с",
        "REDO?0/172E7640????????????????: CPU: ????: 0.01??????: 0.01??????: 10.18?"}) {
    const auto done = As<RedoDone>(text);
    ASSERT_TRUE(done) << text;
    EXPECT_EQ(done->lsn, 0x172E7640);
    EXPECT_EQ(done->elapsed_seconds, 10.18);
  }
  for (const char* text : {"redo in progress, elapsed time: 10.02 s, current LSN: 0/172E7640",
                           "Redo im Gang, abgelaufene Zeit: 10,02 s, aktuelle LSN: 0/172E7640"}) {
    const auto progress = As<RedoInProgress>(text);
    ASSERT_TRUE(progress) << text;
    EXPECT_EQ(progress->elapsed_seconds, 10.02);
    EXPECT_EQ(progress->lsn, 0x172E7640);
  }
  for (const char* text : {"Redo beginnt bei 0/172E7640", "REDOを0/172E7640から開始します",
                           "0/172E7640에서 redo 작업 시작됨", "重做从 0/172E7640 开始"}) {
    const auto mention = As<LsnMention>(text);
    ASSERT_TRUE(mention) << text;
    EXPECT_EQ(mention->lsn, 0x172E7640);
    EXPECT_TRUE(mention->says_redo);
  }
  EXPECT_FALSE(As<LsnMention>("Recovery-Restart-Punkt bei 0/172E7640")->says_redo);
  EXPECT_TRUE(
      As<TimeMention>("データベースシステムは 2026-11-30 21:18:29 UTC にシャットダウンしました"));
  EXPECT_TRUE(
      As<Interrupted>("database system was interrupted; last known up at 2026-11-30 21:07:01 UTC"));
  EXPECT_TRUE(As<WasShutDown>("database system was shut down in recovery at 2026-11-30 21:07:01"));
  EXPECT_TRUE(As<NotProperlyShutDown>(
      "database system was not properly shut down; automatic recovery in progress"));
  EXPECT_TRUE(As<RedoNotRequired>("redo is not required"));
  EXPECT_FALSE(As<ServerReady>("database system is ready to accept connections")->read_only);
  EXPECT_TRUE(
      As<ServerReady>("database system is ready to accept read only connections")->read_only);
  EXPECT_TRUE(
      As<ServerReady>("database system is ready to accept read-only connections")->read_only);
  EXPECT_TRUE(As<ShutDown>("database system is shut down"));
  EXPECT_TRUE(As<CheckpointSkipped>("checkpoint skipped because system is idle"));
  EXPECT_TRUE(As<RestartpointSkipped>("skipping restartpoint, already performed at 0/2AD035F0"));
  EXPECT_TRUE(As<RestartpointSkipped>("skipping restartpoint, recovery has already ended"));
}

TEST(CheckpointMessage, LeavesOtherMessagesAlone) {
  for (const char* text : {
           "",
           ":",
           "checkpoint",
           "checkpoint starting",
           "checkpoint starting: soon",
           "checkpoint starting: time LOG:  other",
           "checkpoint starting: time'",
           "status: time",
           "job_state: wait",
           "etwas wartet: wait",
           "=== MARK: force",
           "value=3: wal",
           "checkpoint complete",
           "checkpoint complete: wrote many buffers",
           "checkpoint complete: wrote 383 buffers (18.7%)",
           "checkpoint complete: wrote 1 buffers (0.0%); 0 WAL file(s) added, 0 removed",
           "checkpoint request failed",
           "checkpoints are occurring too frequently",
           "checkpoints are occurring too frequently (x seconds apart)",
           "checkpoints are occurring too frequently (1 second apart), said the user",
           "the last restartpoint at 5 o'clock",
           "duration: 15.123 ms  statement: select 'checkpoint starting: time'",
           "statement: select 'checkpoint complete: wrote 383 buffers (18.7%); 4 WAL file(s) "
           "added, "
           "5 removed, 6 recycled; write=0.022 s, sync=0.014 s, total=1.042 s; sync files=38, "
           "longest=0.005 s, average=0.001 s; distance=3329 kB, estimate=4000 kB'",
           "statement: select now() -- checkpoint complete: wrote 383 buffers (18.7%); 4 WAL "
           "file(s) "
           "added, 5 removed, 6 recycled; write=0.022 s, sync=0.014 s, total=1.042 s; sync "
           "files=38, "
           "longest=0.005 s, average=0.001 s; distance=3329 kB, estimate=4000 kB",
           // Numbers enough, but cut, reordered or with a foreign end.
           "checkpoint fertig: 383 (18.7%) 4 5 6 0.022 0.014 1.042 38 0.005 0.001 3329 4000;",
           "checkpoint fertig: 383 (18.7%) 4 5 6 0.022 0.014 1.042 38 0.005 0.001 3329 4000",
           "fertig: 383 (18.7%) 4 5 6 38 0.022 0.014 1.042 0.005 0.001 3329 kB, 4000 kB",
           "fertig: 1 383 (18.7%) 4 5 6 0.022 0.014 1.042 38 0.005 0.001 3329 kB, 4000 kB",
           "automatic vacuum of table \"a.b.c\": index scans: 0\n\tpages: 0 removed, 443 remain, "
           "443 "
           "scanned (100.00% of total), 0 eagerly scanned\n\ttuples: 1 removed, 2 remain\n\tavg "
           "read "
           "rate: 0.000 MB/s, avg write rate: 12.500 MB/s\n\tsystem usage: CPU: user: 0.06 s, "
           "system: 0.08 s, elapsed: 10.18 s",
           "automatic analyze of table \"a.b.c\" system usage: CPU: user: 0.06 s, system: 0.08 s, "
           "elapsed: 10.18 s",
           "temporary file: path \"base/pgsql_tmp/pgsql_tmp123.0\", size 1234",
           "could not open file \"base/5/16406\": Is a directory",
           "connection received: host=10.0.0.1 port=5432",
           "invalid record length at 0/19B2C5E0: expected at least 24, got 0",
           "started streaming WAL from primary at 0/18000000 on timeline 1",
           "redo starts at nowhere",
           "database system is ready to accept connections soon",
           "replication slot 50% full: time is 12:30",
           "99999999999999999999999999 (1.0%)",
       }) {
    EXPECT_FALSE(ParseCheckpointMessage(text)) << text;
  }
}

TEST(CheckpointMessage, TakesNoHintForAWarningThatIsNone) {
  for (const char* hint :
       {"", "max_wal_size", "alter system set max_wal_size = 1", "show max_wal_size;",
        "select setting from pg_settings where name = 'max_wal_size'", "Look at \"work_mem\"."}) {
    EXPECT_FALSE(IsMaxWalSizeHint(hint)) << hint;
    EXPECT_FALSE(ParseCheckpointMessage("es gab 3 Probleme", hint)) << hint;
  }
  constexpr const char* kHint = "Consider increasing the parameter \"max_wal_size\".";
  EXPECT_FALSE(ParseCheckpointMessage("es gab 3 von 4 Problemen", kHint));
  EXPECT_FALSE(ParseCheckpointMessage("es gab Probleme", kHint));
}

TEST(CheckpointMessage, RefusesNumbersThatDoNotFit) {
  const std::string head =
      "checkpoint complete: wrote 1 buffers (0.0%); 0 WAL file(s) added, 0 removed, 0 recycled; "
      "write=0.001 s, sync=0.001 s, total=0.003 s; sync files=0, longest=0.000 s, average=0.000 "
      "s; ";
  EXPECT_TRUE(As<Complete>(head + "distance=9007199254740991 kB, estimate=1 kB"));
  const auto huge = As<Complete>(head + "distance=999999999999999999 kB, estimate=1 kB");
  EXPECT_FALSE(huge && huge->numbers.distance_bytes);
  const auto endless =
      As<Complete>(head + "distance=" + std::string(400, '9') + " kB, estimate=1 kB");
  EXPECT_FALSE(endless && endless->numbers.distance_bytes);
}

}  // namespace
}  // namespace ckpt::logs
