// SPDX-License-Identifier: Apache-2.0
#include "config/diagnostics.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace ckpt::config {
namespace {

using std::string_view;

constexpr std::size_t kLongestName = 64;

// Edits that turn `a` into `b`: insert, delete, replace, swap neighbours (optimal alignment).
std::size_t EditDistance(string_view a, string_view b) {
  std::vector<std::size_t> before_last;
  std::vector<std::size_t> last(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::vector<std::size_t> row(b.size() + 1);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({row[j - 1] + 1, last[j] + 1, last[j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
    before_last = std::exchange(last, std::move(row));
  }
  return last.back();
}

bool IsNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.';
}

}  // namespace

std::string Diagnostic::Place() const {
  std::string text = file;
  if (at.line > 0) {
    text.append(":").append(std::to_string(at.line));
    text.append(":").append(std::to_string(at.column));
  }
  return text;
}

std::string Diagnostic::ToString() const { return Place() + ": " + message; }

void Diagnostics::Add(string_view file, Position at, std::string message) {
  if (++count_ <= kMost) list_.push_back({std::string(file), at, std::move(message)});
}

Error Diagnostics::ToError() const {
  std::vector<const Diagnostic*> sorted;
  for (const Diagnostic& diagnostic : list_) sorted.push_back(&diagnostic);
  std::stable_sort(sorted.begin(), sorted.end(), [](const Diagnostic* a, const Diagnostic* b) {
    return std::tie(a->file, a->at.line, a->at.column) <
           std::tie(b->file, b->at.line, b->at.column);
  });
  std::string text;
  for (const Diagnostic* diagnostic : sorted) {
    if (!text.empty()) text += '\n';
    text += diagnostic->ToString();
  }
  if (count_ > list_.size()) {
    text.append("\nand ").append(std::to_string(count_ - list_.size())).append(" more");
  }
  return Error{ErrorCode::kConfig, std::move(text)};
}

std::string DidYouMean(string_view text, const std::vector<string_view>& candidates) {
  if (text.size() > kLongestName) return "";
  string_view best;
  std::size_t best_distance = std::min<std::size_t>(3, text.size() / 2 + 1);
  for (const string_view candidate : candidates) {
    const std::size_t shorter = std::min(text.size(), candidate.size());
    if (std::max(text.size(), candidate.size()) - shorter >= best_distance) continue;
    const std::size_t distance = EditDistance(text, candidate);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  if (best.empty()) return "";
  return std::string("; did you mean `").append(best).append("`?");
}

std::string QuoteKey(string_view key) {
  const bool is_name = !key.empty() && key.size() <= kLongestName &&
                       std::all_of(key.begin(), key.end(), IsNameCharacter);
  if (!is_name) return "(not a name; is there a blank after the colon?)";
  return std::string("`").append(key).append("`");
}

}  // namespace ckpt::config
