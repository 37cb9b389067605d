// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace ckpt::app {

// What was built: the project's version, the source revision ("unknown" outside a checkout), the
// compiler. Texts live as long as the process.
std::string_view BuildVersion();
std::string_view BuildRevision();
std::string_view BuildCompiler();

// One line for --version.
std::string VersionText();

}  // namespace ckpt::app
