// SPDX-License-Identifier: Apache-2.0
#include "logs/checkpoint_message.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "logs/ascii.h"
#include "logs/complete_line.h"
#include "logs/message_shape.h"

namespace ckpt::logs {
namespace {

using Parsed = std::optional<CheckpointMessage>;

constexpr std::size_t kMaxStartingBytes = 200;
constexpr std::size_t kMaxHintBytes = 400;

// TABLE: English texts without a number, or with one that does not matter. `whole`: the message is
// this text; else it begins with it.
struct FixedText {
  std::string_view text;
  bool whole;
  CheckpointMessage message;
};
const std::array<FixedText, 17> kFixedTexts{{
    {"checkpoint skipped because system is idle", true, CheckpointSkipped{}},
    {"skipping restartpoint, ", false, RestartpointSkipped{}},
    {"database system was interrupted", false, Interrupted{}},
    {"database system was shut down ", false, WasShutDown{}},
    {"database system was not properly shut down; automatic recovery in progress", true,
     NotProperlyShutDown{}},
    {"all server processes terminated; reinitializing", true, Reinitializing{}},
    {"entering standby mode", true, ArchiveRecovery{}},
    {"starting archive recovery", true, ArchiveRecovery{}},
    {"starting point-in-time recovery ", false, ArchiveRecovery{}},
    {"starting backup recovery ", false, ArchiveRecovery{}},
    {"redo is not required", true, RedoNotRequired{}},
    {"database system is ready to accept connections", true, ServerReady{}},
    {"database system is ready to accept read only connections", true, ServerReady{true}},
    {"database system is ready to accept read-only connections", true, ServerReady{true}},
    {"shutting down", true, ShuttingDown{}},
    {"database system is shut down", true, ShutDown{}},
    // A restore from a base backup also replays WAL without having crashed.
    {"restored log file ", false, ArchiveRecovery{}},
}};

// TABLE: stems of the word for redo, in the letter case in which messages have it.
constexpr std::array<std::string_view, 14> kRedoStems{
    "redo",     "REDO",   "Redo", "RDO",    "ré-exécution", "r?-ex?cution", "rejeu",
    "ripetizi", "ponowi", "重做", "გამეორ", "повтор",       "refazer",      "memulai kembali"};

constexpr std::string_view kTooFrequently = "checkpoints are occurring too frequently (";

// The LSN that follows `lead`, if the message ends there or goes on after a space.
std::optional<NumberToken> LsnAfter(std::string_view message, std::string_view lead) {
  if (!message.starts_with(lead)) return std::nullopt;
  const MessageShape shape = ShapeOf(message);
  if (shape.count == 0 || shape.tokens[0].kind != NumberToken::Kind::kLsn ||
      shape.tokens[0].begin != lead.size()) {
    return std::nullopt;
  }
  return shape.tokens[0];
}

Parsed ParseStarting(std::string_view message) {
  if (message.size() > kMaxStartingBytes) return std::nullopt;
  const std::size_t colon = message.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto flags = ParseFlags(message.substr(colon + 1));
  if (!flags) return std::nullopt;
  const std::string_view words = message.substr(0, colon);
  if (words == "checkpoint starting" || words == "restartpoint starting") {
    return Starting{KindOf(words), *flags};
  }
  // In other languages: some words, a colon, and a set of flags that a server can print. Flags that
  // only ever accompany others, and a single English word, are somebody else's message.
  CheckpointFlags only_wait;
  only_wait.Add(CheckpointFlag::kWait);
  if (flags->bits == 0 || *flags == only_wait || words.empty()) return std::nullopt;
  bool one_ascii_word = true;
  for (const char c : words) {
    if (IsDigit(c) || c == ':' || c == '"' || c == '\'' || c == '=') return std::nullopt;
    if (!IsAscii(c) || c == ' ' || c == '?') one_ascii_word = false;
  }
  if (one_ascii_word) return std::nullopt;
  return Starting{KindOf(words), *flags};
}

Parsed ParseTooFrequent(std::string_view message, std::string_view hint) {
  if (message.starts_with(kTooFrequently)) {
    const std::string_view rest = message.substr(kTooFrequently.size());
    const std::size_t digits = std::min(rest.find(' '), rest.size());
    const auto seconds = ParseDecimal(rest.substr(0, digits));
    if (!seconds ||
        (rest.substr(digits) != " seconds apart)" && rest.substr(digits) != " second apart)")) {
      return std::nullopt;
    }
    return TooFrequent{*seconds};
  }
  if (!IsMaxWalSizeHint(hint)) return std::nullopt;
  if (const auto seconds = OnlyInteger(message)) return TooFrequent{*seconds};
  return std::nullopt;
}

Parsed ParseEnglishLsn(std::string_view message) {
  if (const auto lsn = LsnAfter(message, "recovery restart point at ")) {
    if (lsn->end == message.size()) return RecoveryRestartPoint{lsn->integer};
  }
  if (const auto lsn = LsnAfter(message, "redo starts at ")) {
    if (lsn->end == message.size()) return RedoStarts{lsn->integer};
  }
  if (const auto lsn = LsnAfter(message, "redo done at ")) {
    if (lsn->end == message.size()) return RedoDone{lsn->integer, std::nullopt};
  }
  return std::nullopt;
}

// Messages of recovery by their numbers alone; they cover the English ones too.
Parsed ParseRecoveryShape(std::string_view message) {
  if (message.size() > kMaxHintBytes) return std::nullopt;
  const MessageShape shape = ShapeOf(message);
  const auto tail = [&] { return message.substr(shape.tokens[shape.count - 1].end); };
  // "redo done at X/X system usage: CPU: user: N.NN s, system: N.NN s, elapsed: N.NN s".
  if (shape.Is("l222")) {
    return RedoDone{shape.tokens[0].integer, shape.tokens[3].Decimal()};
  }
  if (shape.Is("2l") && tail().empty()) {
    return RedoInProgress{shape.tokens[0].Decimal(), shape.tokens[1].integer};
  }
  if (shape.Is("l")) {
    const bool says_redo = std::any_of(
        kRedoStems.begin(), kRedoStems.end(),
        [&](std::string_view stem) { return message.find(stem) != std::string_view::npos; });
    return LsnMention{shape.tokens[0].integer, says_redo};
  }
  if (shape.Is("t")) return TimeMention{};
  return std::nullopt;
}

bool EndsInFlag(std::string_view message) {
  const std::size_t space = message.rfind(' ');
  if (space == std::string_view::npos) return false;
  const std::string_view word = message.substr(space + 1);
  return std::any_of(kFlagWords.begin(), kFlagWords.end(),
                     [&](const FlagWord& row) { return row.word == word; });
}

bool MayHoldLsn(std::string_view message) {
  for (std::size_t slash = message.find('/'); slash != std::string_view::npos;
       slash = message.find('/', slash + 1)) {
    if (slash > 0 && IsUpperHex(message[slash - 1]) && slash + 1 < message.size() &&
        IsUpperHex(message[slash + 1])) {
      return true;
    }
  }
  return false;
}

bool MayHoldPercentage(std::string_view message) {
  const std::size_t percent = message.find('%');
  return percent != std::string_view::npos && percent > 0 && IsDigit(message[percent - 1]);
}

}  // namespace

std::optional<std::int64_t> OnlyInteger(std::string_view text) {
  const MessageShape shape = ShapeOf(text);
  if (!shape.Is("i")) return std::nullopt;
  return shape.tokens[0].integer;
}

bool IsMaxWalSizeHint(std::string_view hint) {
  constexpr std::string_view kName = "max_wal_size";
  if (hint.size() > kMaxHintBytes) return false;
  const std::size_t at = hint.find(kName);
  if (at == std::string_view::npos || at == 0) return false;
  const std::size_t end = at + kName.size();
  if (end >= hint.size()) return false;
  // "..." or the quotation marks of a language, at times with a space, or their ASCII remains. SQL
  // has ' or nothing there.
  const auto quotes = [](char c, char next) {
    const char mark = c == ' ' ? next : c;
    return mark == '"' || !IsAscii(mark) || mark == '<' || mark == '>' || mark == '?';
  };
  return quotes(hint[at - 1], at > 1 ? hint[at - 2] : '\0') &&
         quotes(hint[end], end + 1 < hint.size() ? hint[end + 1] : '\0') &&
         hint.find_first_of("=;") == std::string_view::npos;
}

std::optional<CheckpointMessage> ParseCheckpointMessage(std::string_view message,
                                                        std::string_view hint) {
  for (const FixedText& row : kFixedTexts) {
    if (row.whole ? message == row.text : message.starts_with(row.text)) return row.message;
  }
  if (MayHoldPercentage(message)) {
    if (auto complete = ParseComplete(message)) return *complete;
    return std::nullopt;
  }
  if (auto starting = ParseStarting(message)) return starting;
  if (auto too_frequent = ParseTooFrequent(message, hint)) return too_frequent;
  if (auto english = ParseEnglishLsn(message)) return english;
  return ParseRecoveryShape(message);
}

bool MayBeCheckpointMessage(std::string_view message) {
  if (message.empty()) return false;
  for (const FixedText& row : kFixedTexts) {
    if (message.starts_with(row.text)) return true;
  }
  return message.starts_with(kTooFrequently) || message.starts_with("checkpoint starting:") ||
         message.starts_with("restartpoint starting:") || EndsInFlag(message) ||
         MayHoldPercentage(message) || MayHoldLsn(message);
}

}  // namespace ckpt::logs
