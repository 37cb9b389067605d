// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ckpt::report {

// For a terminal: control characters, which a server or a log may have in its names, become '?'.
std::string Printable(std::string_view text);

// Breaks a paragraph at blanks so that no line exceeds `width`, and puts `indent` blanks before
// every line but the first. A word longer than that stays whole.
std::string Wrap(std::string_view text, std::size_t indent, std::size_t width = 96);

// For a Markdown table or paragraph: also no line ends, and | < > & ` * _ are escaped.
std::string Markdown(std::string_view text);

}  // namespace ckpt::report
