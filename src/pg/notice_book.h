// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "core/session.h"

namespace ckpt::pg {

// What was said on one connection and not yet taken: the newest kMost, older ones are dropped.
// Threading: the thread that uses the connection (libpq calls back in it).
class NoticeBook {
 public:
  static constexpr std::size_t kMost = 16;

  void Add(Notice notice) {
    if (notices_.size() == kMost) notices_.pop_front();
    notices_.push_back(std::move(notice));
    last_farewell_ = EndsSession(notices_.back()) ? notices_.back() : Notice{};
  }
  std::vector<Notice> Take() {
    std::vector<Notice> taken(notices_.begin(), notices_.end());
    notices_.clear();
    return taken;
  }
  // Why the server said it ends the connection; an empty message if it did not say.
  const Notice& last_farewell() const { return last_farewell_; }

 private:
  static bool EndsSession(const Notice& notice) { return notice.sqlstate.starts_with("57P"); }

  std::deque<Notice> notices_;
  Notice last_farewell_;
};

}  // namespace ckpt::pg
