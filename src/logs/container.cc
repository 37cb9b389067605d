// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string>

#include "logs/ascii.h"
#include "logs/transport.h"

namespace ckpt::logs {
namespace {

class PlainReader : public TransportReader {
 public:
  LineVerdict Line(std::string_view line, LineSink& sink) override {
    sink.OnLine({line, std::nullopt, std::nullopt});
    return LineVerdict::kTaken;
  }
  void Reset() override {}
};

// The pieces of one line of one stream, which a runtime has split at its buffer's end.
class Joiner {
 public:
  explicit Joiner(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  void Piece(std::string_view text, std::optional<UnixSeconds> received, bool last,
             LineSink& sink) {
    if (joined_.empty() && last) {
      sink.OnLine({text, received, std::nullopt});
      return;
    }
    joined_.append(text.substr(0, max_bytes_ - joined_.size()));
    if (!last) return;
    sink.OnLine({joined_, received, std::nullopt});
    joined_ = {};
  }

  void Reset() { joined_ = {}; }

 private:
  std::size_t max_bytes_;
  std::string joined_;
};

struct CriHead {
  std::optional<UnixSeconds> received;
  bool is_stdout = false;
  bool last = true;
  std::size_t text = 0;
};

// "2026-11-30T21:00:00.123456789Z stderr F text"; P marks a piece that goes on in the next line.
std::optional<CriHead> ParseCriHead(std::string_view line) {
  if (!LooksLikeTimestamp(line) || line[10] != 'T') return std::nullopt;
  const auto time = ParseTimestamp(line, nullptr);
  if (!time) return std::nullopt;
  CriHead head;
  head.received = time->time;
  std::string_view rest = line.substr(time->length);
  head.is_stdout = rest.starts_with(" stdout ");
  if (!head.is_stdout && !rest.starts_with(" stderr ")) return std::nullopt;
  rest.remove_prefix(8);
  // The tag may have further parts behind a colon.
  const std::size_t space = std::min(rest.find(' '), rest.size());
  std::string_view tag = rest.substr(0, space);
  tag = tag.substr(0, tag.find(':'));
  if (tag != "F" && tag != "P") return std::nullopt;
  head.last = tag == "F";
  head.text = line.size() - rest.size() + std::min(space + 1, rest.size());
  return head;
}

class CriReader : public TransportReader {
 public:
  explicit CriReader(std::size_t max_line_bytes) : out_(max_line_bytes), err_(max_line_bytes) {}

  LineVerdict Line(std::string_view line, LineSink& sink) override {
    const auto head = ParseCriHead(line);
    if (!head) return line.empty() ? LineVerdict::kTaken : LineVerdict::kMalformed;
    (head->is_stdout ? out_ : err_)
        .Piece(line.substr(head->text), head->received, head->last, sink);
    return LineVerdict::kTaken;
  }

  void Reset() override {
    out_.Reset();
    err_.Reset();
  }

 private:
  Joiner out_;
  Joiner err_;
};

void AppendUtf8(unsigned code, std::string* out) {
  const auto byte = [out](unsigned value) { out->push_back(static_cast<char>(value)); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xC0U | (code >> 6U));
    byte(0x80U | (code & 0x3FU));
  } else {
    byte(0xE0U | (code >> 12U));
    byte(0x80U | ((code >> 6U) & 0x3FU));
    byte(0x80U | (code & 0x3FU));
  }
}

// Reads the JSON string whose opening quote is before text, into out. Returns the bytes it took
// with its closing quote; 0 if it does not end. By hand, because a JSON parser would cost a busy
// log several times more than all the rest.
std::size_t Unescape(std::string_view text, std::string* out) {
  out->clear();
  std::size_t at = 0;
  while (true) {
    const std::size_t stop = text.find_first_of("\"\\", at);
    if (stop == std::string_view::npos || stop + 1 >= text.size()) return 0;
    out->append(text.substr(at, stop - at));
    if (text[stop] == '"') return stop + 1;
    at = stop + 2;
    switch (const char c = text[stop + 1]) {
      case 'n': out->push_back('\n'); break;
      case 't': out->push_back('\t'); break;
      case 'r': out->push_back('\r'); break;
      case 'b': out->push_back('\b'); break;
      case 'f': out->push_back('\f'); break;
      case 'u': {
        unsigned code = 0;
        if (text.size() < at + 4) return 0;
        for (const char hex : text.substr(at, 4)) {
          const char upper = hex >= 'a' && hex <= 'f' ? static_cast<char>(hex - 'a' + 'A') : hex;
          if (!IsUpperHex(upper)) return 0;
          code = code * 16 + static_cast<unsigned>(IsDigit(upper) ? upper - '0' : upper - 'A' + 10);
        }
        AppendUtf8(code, out);
        at += 4;
        break;
      }
      default: out->push_back(c);
    }
  }
}

constexpr std::string_view kDockerHead = "{\"log\":\"";

// Docker's json-file: {"log":"text\n","stream":"stderr","time":"2026-..."}. A piece of a line that
// was split has no \n.
class DockerReader : public TransportReader {
 public:
  explicit DockerReader(std::size_t max_line_bytes) : out_(max_line_bytes), err_(max_line_bytes) {}

  LineVerdict Line(std::string_view line, LineSink& sink) override {
    if (line.empty()) return LineVerdict::kTaken;
    if (!IsDockerLine(line)) return LineVerdict::kMalformed;
    const std::size_t taken = Unescape(line.substr(kDockerHead.size()), &text_);
    if (taken == 0) return LineVerdict::kMalformed;
    const std::string_view rest = line.substr(kDockerHead.size() + taken);
    constexpr std::string_view kTime = "\"time\":\"";
    std::optional<UnixSeconds> received;
    if (const std::size_t at = rest.find(kTime); at != std::string_view::npos) {
      if (const auto time = ParseTimestamp(rest.substr(at + kTime.size()), nullptr)) {
        received = time->time;
      }
    }
    const bool is_stdout = rest.find("\"stream\":\"stdout\"") != std::string_view::npos;
    std::string_view text = text_;
    const bool last = text.ends_with('\n');
    if (last) text.remove_suffix(1);
    if (text.ends_with('\r')) text.remove_suffix(1);
    (is_stdout ? out_ : err_).Piece(text, received, last, sink);
    return LineVerdict::kTaken;
  }

  void Reset() override {
    out_.Reset();
    err_.Reset();
  }

 private:
  std::string text_;
  Joiner out_;
  Joiner err_;
};

}  // namespace

bool IsPlainLine(std::string_view /*line*/) { return true; }

std::unique_ptr<TransportReader> MakePlainReader(std::size_t /*max_line_bytes*/) {
  return std::make_unique<PlainReader>();
}

bool IsCriLine(std::string_view line) { return ParseCriHead(line).has_value(); }

std::unique_ptr<TransportReader> MakeCriReader(std::size_t max_line_bytes) {
  return std::make_unique<CriReader>(max_line_bytes);
}

bool IsDockerLine(std::string_view line) { return line.starts_with(kDockerHead); }

std::unique_ptr<TransportReader> MakeDockerReader(std::size_t max_line_bytes) {
  return std::make_unique<DockerReader>(max_line_bytes);
}

}  // namespace ckpt::logs
