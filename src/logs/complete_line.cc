// SPDX-License-Identifier: Apache-2.0
#include "logs/complete_line.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "logs/ascii.h"
#include "logs/message_shape.h"

namespace ckpt::logs {
namespace {

constexpr std::size_t kMaxMessageBytes = 2048;
// The longest unit word after the last number: " КБ" and the like.
constexpr std::size_t kMaxUnitBytes = 12;
// The longest are a heading, all flags, and "buffers written" in two-byte letters.
constexpr std::size_t kMaxWordsBytes = 250;

// TABLE: the shapes of the line's numbers, oldest first. `slru`: it counts SLRU buffers (18+).
struct CompleteShape {
  std::string_view pattern;
  bool slru;
  bool lsns;
};
constexpr std::array<CompleteShape, 4> kCompleteShapes{{
    {"ipiii333i33ii", false, false},   // 10 to 15
    {"ipiii333i33iill", false, true},  // 16, 17
    {"ipiiii333i33iill", true, true},  // 18, 19
    {"ipiiii333i33ii", true, false},   // no release printed it; a cut line would look so
}};

// TABLE: word stems by which languages tell the kinds apart. Restartpoint first: some languages
// build its name from the word for checkpoint's "point".
struct KindStem {
  std::string_view stem;
  EventKind kind;
};
constexpr std::array kKindStems{
    KindStem{"restart", EventKind::kRestartpoint},  // en, es, fr, ko, sv
    KindStem{"Restart", EventKind::kRestartpoint},  // de
    KindStem{"riavvio", EventKind::kRestartpoint},  // it
    KindStem{"rein", EventKind::kRestartpoint},     // pt: reinício, also mangled
    KindStem{"リスタート", EventKind::kRestartpoint},
    KindStem{"перезапуск", EventKind::kRestartpoint},  // ru, uk
    KindStem{"perezapusk", EventKind::kRestartpoint},  // ru, transliterated
    KindStem{"გადატვირთვ", EventKind::kRestartpoint},
    KindStem{"重启点", EventKind::kRestartpoint},
    KindStem{"重啟點", EventKind::kRestartpoint},
    KindStem{"重新啟動點", EventKind::kRestartpoint},
    KindStem{"checkpoint", EventKind::kCheckpoint},  // en, es, fr, it, sv
    KindStem{"Checkpoint", EventKind::kCheckpoint},  // de
    KindStem{"verifica", EventKind::kCheckpoint},    // pt
    KindStem{"チェックポイント", EventKind::kCheckpoint},
    KindStem{"체크포인트", EventKind::kCheckpoint},
    KindStem{"채크포인트", EventKind::kCheckpoint},  // ko, as 15 spelled it
    KindStem{"контрольн", EventKind::kCheckpoint},
    KindStem{"kontrol`n", EventKind::kCheckpoint},
    KindStem{"საკონტროლო", EventKind::kCheckpoint},
    KindStem{"检查点", EventKind::kCheckpoint},
    KindStem{"檢查點", EventKind::kCheckpoint},
};

// 19 repeats the flags: "checkpoint complete: fast wait: wrote ...".
std::optional<CheckpointFlags> RepeatedFlags(std::string_view words) {
  const std::size_t first = words.find(':');
  if (first == std::string_view::npos) return std::nullopt;
  const std::size_t second = words.find(':', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  return ParseFlags(words.substr(first + 1, second - first - 1));
}

// Whether the words before the first number could be a translator's. Statements that quote the line
// have quotes, brackets or comment signs before it.
bool AreWords(std::string_view words) {
  if (words.size() > kMaxWordsBytes || words.find("--") != std::string_view::npos) return false;
  return std::all_of(words.begin(), words.end(), [](char c) {
    return IsLetter(c) || !IsAscii(c) || c == ' ' || c == ':' || c == '?' || c == '`' || c == '-';
  });
}

// After the last number: nothing behind an LSN, a unit behind a size.
bool IsProperEnd(std::string_view rest, bool lsns) {
  if (lsns) return rest.empty();
  return !rest.empty() && rest.size() <= kMaxUnitBytes &&
         std::all_of(rest.begin(), rest.end(), [](char c) {
           return IsLetter(c) || !IsAscii(c) || c == ' ' || c == '?' || c == '`';
         });
}

constexpr std::int64_t kKilobyte = 1024;

CheckpointEvent NumbersOf(const MessageShape& shape, const CompleteShape& form) {
  CheckpointEvent event;
  const NumberToken* token = shape.tokens.data();
  const auto integer = [&token] { return (token++)->integer; };
  const auto decimal = [&token] { return (token++)->Decimal(); };
  event.buffers_written = integer();
  event.buffers_ratio = decimal() / 100;
  if (form.slru) event.slru_buffers_written = integer();
  event.wal_files_added = integer();
  event.wal_files_removed = integer();
  event.wal_files_recycled = integer();
  event.write_seconds = decimal();
  event.sync_seconds = decimal();
  event.total_seconds = decimal();
  event.sync_files = integer();
  event.longest_sync_seconds = decimal();
  event.average_sync_seconds = decimal();
  event.distance_bytes = integer() * kKilobyte;
  event.estimate_bytes = integer() * kKilobyte;
  if (form.lsns) {
    event.lsn = integer();
    event.redo_lsn = integer();
  }
  return event;
}

// TABLE: the English labels, for a line of a version to come. The number stands behind a label that
// ends in '=', else before it.
struct LabelledInteger {
  std::string_view label;
  std::optional<std::int64_t> CheckpointEvent::*member;
  std::int64_t unit = 1;
};
constexpr std::array kLabelledIntegers{
    LabelledInteger{" buffers (", &CheckpointEvent::buffers_written},
    LabelledInteger{" SLRU buffers", &CheckpointEvent::slru_buffers_written},
    LabelledInteger{" WAL file(s) added", &CheckpointEvent::wal_files_added},
    LabelledInteger{" removed", &CheckpointEvent::wal_files_removed},
    LabelledInteger{" recycled", &CheckpointEvent::wal_files_recycled},
    LabelledInteger{" sync files=", &CheckpointEvent::sync_files},
    LabelledInteger{" distance=", &CheckpointEvent::distance_bytes, kKilobyte},
    LabelledInteger{" estimate=", &CheckpointEvent::estimate_bytes, kKilobyte},
    LabelledInteger{"; lsn=", &CheckpointEvent::lsn},
    LabelledInteger{" redo lsn=", &CheckpointEvent::redo_lsn},
};
struct LabelledSeconds {
  std::string_view label;
  std::optional<double> CheckpointEvent::*member;
};
constexpr std::array kLabelledSeconds{
    LabelledSeconds{" write=", &CheckpointEvent::write_seconds},
    LabelledSeconds{" sync=", &CheckpointEvent::sync_seconds},
    LabelledSeconds{" total=", &CheckpointEvent::total_seconds},
    LabelledSeconds{" longest=", &CheckpointEvent::longest_sync_seconds},
    LabelledSeconds{" average=", &CheckpointEvent::average_sync_seconds},
};

const NumberToken* LabelledNumber(std::string_view message, const MessageShape& shape,
                                  std::string_view label) {
  const std::size_t at = message.find(label);
  if (at == std::string_view::npos) return nullptr;
  for (std::size_t i = 0; i < shape.count; ++i) {
    const NumberToken& token = shape.tokens[i];
    if (label.back() == '=' ? token.begin == at + label.size() : token.end == at) return &token;
  }
  return nullptr;
}

std::optional<Complete> ParseByLabels(std::string_view message, const MessageShape& shape) {
  Complete complete;
  complete.unknown_clauses = true;
  for (const LabelledInteger& row : kLabelledIntegers) {
    const NumberToken* token = LabelledNumber(message, shape, row.label);
    const auto kind =
        row.label.ends_with("lsn=") ? NumberToken::Kind::kLsn : NumberToken::Kind::kInteger;
    if (token != nullptr && token->kind == kind && token->integer <= INT64_MAX / row.unit) {
      complete.numbers.*row.member = token->integer * row.unit;
    }
  }
  for (const LabelledSeconds& row : kLabelledSeconds) {
    const NumberToken* token = LabelledNumber(message, shape, row.label);
    if (token != nullptr && token->kind == NumberToken::Kind::kDecimal) {
      complete.numbers.*row.member = token->Decimal();
    }
  }
  if (!complete.numbers.buffers_written || !complete.numbers.total_seconds) return std::nullopt;
  return complete;
}

}  // namespace

std::optional<EventKind> KindOf(std::string_view words) {
  for (const KindStem& row : kKindStems) {
    if (words.find(row.stem) != std::string_view::npos) return row.kind;
  }
  return std::nullopt;
}

std::optional<CheckpointFlags> ParseFlags(std::string_view text) {
  CheckpointFlags flags;
  while (!text.empty()) {
    if (text.front() == ' ') {
      text.remove_prefix(1);
      continue;
    }
    const std::string_view word = text.substr(0, text.find(' '));
    bool known = false;
    for (const FlagWord& row : kFlagWords) {
      if (row.word != word) continue;
      flags.Add(row.flag);
      known = true;
    }
    if (!known) return std::nullopt;
    text.remove_prefix(word.size());
  }
  return flags;
}

std::optional<Complete> ParseComplete(std::string_view message) {
  if (message.size() > kMaxMessageBytes) return std::nullopt;
  const MessageShape shape = ShapeOf(message);
  if (shape.count < 2 || !shape.tokens[1].percent) return std::nullopt;
  const std::string_view words = message.substr(0, shape.tokens[0].begin);
  if (!AreWords(words)) return std::nullopt;

  std::optional<Complete> complete;
  for (const CompleteShape& form : kCompleteShapes) {
    if (!shape.Is(form.pattern)) continue;
    const std::string_view rest = message.substr(shape.tokens[shape.count - 1].end);
    if (!IsProperEnd(rest, form.lsns)) return std::nullopt;
    // A size in kB that does not fit into a count of bytes is not the server's.
    for (std::size_t i = shape.count - 4; i < shape.count; ++i) {
      const NumberToken& token = shape.tokens[i];
      if (token.kind == NumberToken::Kind::kInteger && token.integer > INT64_MAX / kKilobyte) {
        return std::nullopt;
      }
    }
    complete = Complete{.numbers = NumbersOf(shape, form)};
  }
  if (!complete && (message.starts_with("checkpoint complete:") ||
                    message.starts_with("restartpoint complete:"))) {
    complete = ParseByLabels(message, shape);
  }
  if (!complete) return std::nullopt;
  complete->flags = RepeatedFlags(words);
  complete->kind = KindOf(words);
  return complete;
}

}  // namespace ckpt::logs
