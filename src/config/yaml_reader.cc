// SPDX-License-Identifier: Apache-2.0
#include "config/yaml_reader.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <istream>
#include <streambuf>
#include <unordered_map>
#include <utility>

#include "config/small_file.h"

namespace ckpt::config {
namespace {

using std::string_view;

Position FromMark(const YAML::Mark& mark) { return {mark.line + 1, mark.column + 1}; }

// Thrown through the parser to end it at the first thing that must not be; caught in ParseYaml.
struct Refused {
  Position at;
  std::string message;
};

class ViewBuffer : public std::streambuf {
 public:
  explicit ViewBuffer(string_view text) {
    char* begin = const_cast<char*>(text.data());  // NOLINT: streambuf reads only
    setg(begin, begin, begin + text.size());
  }
};

// Builds the tree from the parser's events, which, unlike yaml-cpp's own nodes, show duplicate keys
// and aliases. One document, one thread.
class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(string_view text, string_view file, Diagnostics& diagnostics,
              const YamlLimits& limits)
      : text_(text), file_(file), diagnostics_(diagnostics), limits_(limits) {}

  YamlNode TakeRoot() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) throw Refused{FromMark(mark), "only one YAML document is read"};
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    RefuseAnchor(mark, anchor);
    Add(MakeNode(YamlNode::Kind::kNull, mark));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    throw Refused{FromMark(mark), "aliases are not read; use `defaults`, or quote the text"};
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    RefuseAnchor(mark, anchor);
    RefuseTag(mark, tag);
    RefuseOpenQuote(mark);
    YamlNode node = MakeNode(YamlNode::Kind::kScalar, mark);
    node.text = value;
    node.quoted = tag == "!";
    Add(std::move(node));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    RefuseAnchor(mark, anchor);
    RefuseTag(mark, tag);
    Open(MakeNode(YamlNode::Kind::kSequence, mark));
  }
  void OnSequenceEnd() override { Close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    RefuseAnchor(mark, anchor);
    RefuseTag(mark, tag);
    Open(MakeNode(YamlNode::Kind::kMapping, mark));
  }
  void OnMapEnd() override { Close(); }

 private:
  // A collection that is being read, and for a mapping the key whose value comes next.
  struct Level {
    YamlNode node;
    std::optional<YamlEntry> key;
    std::unordered_map<std::string, Position> seen;
  };

  YamlNode MakeNode(YamlNode::Kind kind, const YAML::Mark& mark) {
    if (++nodes_ > limits_.nodes) throw Refused{FromMark(mark), "too many values in one file"};
    YamlNode node;
    node.kind = kind;
    node.at = FromMark(mark);
    return node;
  }
  static void RefuseAnchor(const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (anchor != 0) {
      throw Refused{FromMark(mark), "anchors are not read; use `defaults`, or quote the text"};
    }
  }
  static void RefuseTag(const YAML::Mark& mark, const std::string& tag) {
    if (!tag.empty() && tag != "?" && tag != "!") {
      throw Refused{FromMark(mark), "tags are not read; quote the text if it begins with !"};
    }
  }

  // yaml-cpp takes the end of the file for a closing quote if a line end precedes it.
  void RefuseOpenQuote(const YAML::Mark& mark) const {
    auto i = static_cast<std::size_t>(mark.pos);
    if (i >= text_.size() || (text_[i] != '\'' && text_[i] != '"')) return;
    const char quote = text_[i];
    for (++i; i < text_.size(); ++i) {
      const char next = i + 1 < text_.size() ? text_[i + 1] : '\0';
      if (quote == '"' && text_[i] == '\\') {
        ++i;
      } else if (text_[i] == quote) {
        if (quote == '"' || next != quote) return;
        ++i;  // two single quotes are one
      }
    }
    throw Refused{FromMark(mark), "a quote is not closed"};
  }

  void Open(YamlNode node) {
    if (static_cast<int>(levels_.size()) >= limits_.depth) {
      throw Refused{node.at, "nested too deeply"};
    }
    if (!levels_.empty() && AwaitsKey(levels_.back())) {
      throw Refused{node.at, "a key must be a plain word"};
    }
    levels_.push_back({std::move(node), std::nullopt, {}});
  }
  void Close() {
    YamlNode node = std::move(levels_.back().node);
    levels_.pop_back();
    Add(std::move(node));
  }
  static bool AwaitsKey(const Level& level) {
    return level.node.kind == YamlNode::Kind::kMapping && !level.key;
  }

  void Add(YamlNode node) {
    if (levels_.empty()) {
      root_ = std::move(node);
      return;
    }
    Level& level = levels_.back();
    if (level.node.kind == YamlNode::Kind::kSequence) {
      level.node.items.push_back(std::move(node));
    } else if (!level.key) {
      if (node.kind != YamlNode::Kind::kScalar) {
        throw Refused{node.at, "a key must be a plain word"};
      }
      level.key = YamlEntry{std::move(node.text), node.at, {}};
    } else {
      YamlEntry entry = std::move(*level.key);
      level.key.reset();
      const auto [first, is_new] = level.seen.emplace(entry.key, entry.at);
      if (is_new) {
        // What is not there has the place of whatever comes next.
        if (node.kind == YamlNode::Kind::kNull && node.at.line != entry.at.line) node.at = entry.at;
        entry.value = std::move(node);
        level.node.entries.push_back(std::move(entry));
      } else {
        diagnostics_.Add(file_, entry.at,
                         "duplicate key " + QuoteKey(entry.key) + ", first given at line " +
                             std::to_string(first->second.line));
      }
    }
  }

  string_view text_;
  std::string file_;
  Diagnostics& diagnostics_;
  YamlLimits limits_;
  YamlNode root_;
  std::vector<Level> levels_;
  std::size_t nodes_ = 0;
  int documents_ = 0;
};

// The position of the first byte that is not UTF-8 or is a control character YAML forbids.
std::optional<Position> FirstBadByte(string_view text) {
  Position at{1, 1};
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    std::size_t length = 1;
    bool good = lead >= 0x20 || lead == '\n' || lead == '\t' || lead == '\r';
    if (lead >= 0x80) {
      length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
      good = lead >= 0xC2 && lead <= 0xF4 && i + length <= text.size();
      for (std::size_t j = 1; good && j < length; ++j) {
        good = (static_cast<unsigned char>(text[i + j]) & 0xC0U) == 0x80;
      }
    }
    if (!good || lead == 0x7F) return at;
    if (lead == '\n') {
      ++at.line;
      at.column = 1;
    } else {
      at.column += static_cast<int>(length);
    }
    i += length;
  }
  return std::nullopt;
}

// yaml-cpp's words for what is wrong. Some versions append the offending text, which may be a
// secret, so only the part before it is kept.
std::string ParserMessage(const YAML::ParserException& exception) {
  const string_view message = exception.msg;
  if (message.find("anchor") != string_view::npos) {
    return "aliases are not read; use `defaults`, or quote the text";
  }
  return "not valid YAML: " + std::string(message.substr(0, message.find(':')));
}

}  // namespace

std::optional<YamlNode> ParseYaml(string_view text, string_view file, Diagnostics& diagnostics,
                                  const YamlLimits& limits) {
  if (text.size() > limits.bytes) {
    diagnostics.Add(file, {}, "larger than " + std::to_string(limits.bytes) + " bytes");
    return std::nullopt;
  }
  if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);
  if (const std::optional<Position> bad = FirstBadByte(text)) {
    diagnostics.Add(file, *bad, "not UTF-8 text");
    return std::nullopt;
  }
  try {
    ViewBuffer buffer(text);
    std::istream stream(&buffer);
    YAML::Parser parser(stream);
    TreeBuilder builder(text, file, diagnostics, limits);
    while (parser.HandleNextDocument(builder)) {
    }
    return builder.TakeRoot();
  } catch (const Refused& refused) {
    diagnostics.Add(file, refused.at, refused.message);
  } catch (const YAML::ParserException& exception) {
    diagnostics.Add(file, FromMark(exception.mark), ParserMessage(exception));
  } catch (const std::exception&) {
    diagnostics.Add(file, {}, "not valid YAML");
  }
  return std::nullopt;
}

std::optional<YamlNode> ReadYamlFile(const std::string& path, Diagnostics& diagnostics,
                                     const YamlLimits& limits) {
  const Result<std::string> text = ReadSmallFile(path, limits.bytes);
  if (!text.ok()) {
    diagnostics.Add(path, {}, text.error().message);
    return std::nullopt;
  }
  return ParseYaml(text.value(), path, diagnostics, limits);
}

}  // namespace ckpt::config
