// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>
#include <string>
#include <utility>

namespace ckpt {

inline constexpr char kRedacted[] = "<redacted>";

// A text that must not be shown: a password, or a connection string that may hold one. It converts
// to nothing and has no operator<< and no fmt formatter, so that printing one does not compile;
// Reveal() is the one way out and is easy to search for.
// A plain value: no thread safety of its own. The memory is wiped when it is destroyed or replaced.
class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string text) : text_(std::move(text)) {}
  Secret(const Secret&) = default;
  Secret(Secret&& other) noexcept : text_(std::move(other.text_)) { other.Wipe(); }
  Secret& operator=(const Secret& other) {
    if (this != &other) {
      Wipe();
      text_ = other.text_;
    }
    return *this;
  }
  Secret& operator=(Secret&& other) noexcept {
    if (this != &other) {
      Wipe();
      text_ = std::move(other.text_);
      other.Wipe();
    }
    return *this;
  }
  ~Secret() { Wipe(); }

  const std::string& Reveal() const { return text_; }
  bool empty() const { return text_.empty(); }
  friend bool operator==(const Secret&, const Secret&) = default;

  // GoogleTest would otherwise dump the bytes of the object.
  friend void PrintTo(const Secret&, std::ostream* out) { *out << kRedacted; }

 private:
  void Wipe() {
    volatile char* bytes = text_.data();
    for (std::size_t i = 0; i < text_.size(); ++i) bytes[i] = 0;
    text_.clear();
  }
  std::string text_;
};

}  // namespace ckpt
