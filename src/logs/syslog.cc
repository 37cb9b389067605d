// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <deque>
#include <string>

#include "logs/ascii.h"
#include "logs/transport.h"

namespace ckpt::logs {
namespace {

// The server splits messages at 900 bytes; a chunk well below that is whole.
constexpr std::size_t kMinSplitBytes = 700;
// Messages of so many processes may be in pieces at a time.
constexpr std::size_t kMaxOpenMessages = 64;
constexpr std::size_t kMaxOpenBytes = 16384;

constexpr std::array<std::string_view, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

struct Head {
  std::optional<UnixSeconds> received;
  std::int64_t pid = 0;
  // "[sequence-chunk]"; with syslog_sequence_numbers off only the chunk, or nothing.
  std::optional<std::int64_t> sequence;
  std::int64_t chunk = 1;
  std::string_view text;
};

// "<134>", which the wire has and files have not.
std::string_view SkipPriority(std::string_view line) {
  if (!line.starts_with('<')) return line;
  const std::size_t close = line.substr(0, 6).find('>');
  if (close == std::string_view::npos || !ParseDecimal(line.substr(1, close - 1))) return line;
  return line.substr(close + 1);
}

// Takes the time from the front of line: "Nov 30 21:32:48", which has no year and no zone and so
// tells no time, or RFC 3339 as rsyslog prints it by default today.
bool TakeTime(std::string_view* line, std::optional<UnixSeconds>* received) {
  if (LooksLikeTimestamp(*line) && (*line)[10] == 'T') {
    const auto time = ParseTimestamp(*line, nullptr);
    if (!time) return false;
    *received = time->time;
    line->remove_prefix(time->length);
  } else {
    constexpr std::size_t kLength = 15;
    if (line->size() <= kLength || (*line)[9] != ':' || (*line)[12] != ':') return false;
    if (std::find(kMonths.begin(), kMonths.end(), line->substr(0, 3)) == kMonths.end()) {
      return false;
    }
    line->remove_prefix(kLength);
  }
  if (!line->starts_with(' ')) return false;
  line->remove_prefix(1);
  return true;
}

// "host postgres[14330]: " or, on the wire, "postgres[14330]: ".
bool TakeTag(std::string_view* line, std::int64_t* pid) {
  const std::size_t end = line->substr(0, 300).find("]: ");
  if (end == std::string_view::npos) return false;
  const std::size_t open = line->substr(0, end).rfind('[');
  if (open == std::string_view::npos || open == 0) return false;
  const auto value = ParseDecimal(line->substr(open + 1, end - open - 1));
  if (!value) return false;
  const auto words = line->substr(0, open);
  if (std::count(words.begin(), words.end(), ' ') > 1) return false;
  *pid = *value;
  line->remove_prefix(end + 3);
  return true;
}

void TakeChunk(Head* head) {
  if (!head->text.starts_with('[')) return;
  const std::size_t close = head->text.substr(0, 44).find("] ");
  if (close == std::string_view::npos) return;
  const std::string_view inner = head->text.substr(1, close - 1);
  const std::size_t dash = inner.find('-');
  const auto chunk = ParseDecimal(dash == std::string_view::npos ? inner : inner.substr(dash + 1));
  if (!chunk) return;
  if (dash != std::string_view::npos) {
    head->sequence = ParseDecimal(inner.substr(0, dash));
    if (!head->sequence) return;
  }
  head->chunk = *chunk;
  head->text.remove_prefix(close + 2);
}

std::optional<Head> ParseHead(std::string_view line) {
  Head head;
  line = SkipPriority(line);
  if (!TakeTime(&line, &head.received) || !TakeTag(&line, &head.pid)) return std::nullopt;
  head.text = line;
  TakeChunk(&head);
  return head;
}

// Puts together what the server has split: a message's first chunk carries the prefix, a chunk that
// begins with a tab (rsyslog writes #011) goes on after a newline in the text, any other without a
// prefix goes on in the middle of a line. A first chunk is passed on at once, and again with what
// follows it: a message that was cut is not understood, so it is not counted twice.
class SyslogReader : public TransportReader {
 public:
  LineVerdict Line(std::string_view line, LineSink& sink) override {
    const auto head = ParseHead(line);
    if (!head) return line.empty() ? LineVerdict::kTaken : LineVerdict::kMalformed;
    // syslog_split_messages=off: newlines are in the message, which rsyslog writes as #012.
    std::string_view text = head->text;
    bool first = head->chunk <= 1;
    while (true) {
      const std::size_t newline = text.find("#012");
      Piece(*head, first, text.substr(0, newline), sink);
      if (newline == std::string_view::npos) break;
      text.remove_prefix(newline + 4);
      if (text.empty()) break;
      first = true;
    }
    return LineVerdict::kTaken;
  }

  void Reset() override { open_.clear(); }

 private:
  struct Open {
    std::int64_t pid;
    std::optional<std::int64_t> sequence;
    std::string text;
  };

  void Piece(const Head& head, bool first, std::string_view text, LineSink& sink) {
    if (text.starts_with("#011")) {
      tabbed_.assign("\t").append(text.substr(4));
      text = tabbed_;
    }
    const auto open = std::find_if(open_.begin(), open_.end(),
                                   [&](const Open& entry) { return entry.pid == head.pid; });
    if (!first && open != open_.end() && open->sequence == head.sequence &&
        !text.starts_with('\t') && !FindMarker(text)) {
      if (open->text.size() + text.size() > kMaxOpenBytes) return;
      open->text.append(text);
      sink.OnLine({open->text, head.received, head.pid});
      return;
    }
    if (open != open_.end()) open_.erase(open);
    if (text.size() >= kMinSplitBytes) {
      if (open_.size() == kMaxOpenMessages) open_.pop_front();
      open_.push_back({head.pid, head.sequence, std::string(text.substr(0, kMaxOpenBytes))});
    }
    sink.OnLine({text, head.received, head.pid});
  }

  std::deque<Open> open_;  // oldest first
  std::string tabbed_;
};

}  // namespace

bool IsSyslogLine(std::string_view line) { return ParseHead(line).has_value(); }

std::unique_ptr<TransportReader> MakeSyslogReader(std::size_t /*max_line_bytes*/) {
  return std::make_unique<SyslogReader>();
}

}  // namespace ckpt::logs
