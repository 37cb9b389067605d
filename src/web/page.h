// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "web/answer.h"

namespace ckpt::web {

// What the page says of the exporter itself.
struct PageInfo {
  std::string version;
  // Path, relative to the page, and description of what else can be asked.
  std::vector<std::pair<std::string, std::string>> links;
};

// Headers that go with the page: it loads nothing from elsewhere, runs no inline script, takes no
// text as markup, and is shown in no frame.
inline constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kPageHeaders{{
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
     "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
     "require-trusted-types-for 'script'"},
    {"X-Content-Type-Options", "nosniff"},
    {"Referrer-Policy", "no-referrer"},
    {"Cache-Control", "no-store"},
}};

// The live page: the one target there is, or that `target` names, else the list of all, those in
// trouble first. It tells everything but the charts without JavaScript; page/live.js fetches it
// again and again and puts the parts marked data-live in place. All links are relative, so that it
// works below any path of a proxy. Everything that comes from outside is escaped.
// 404 with the list of all for a target that does not exist.
Answer Page(const Targets& targets, const Parameters& parameters, const Now& now,
            const PageInfo& info);

}  // namespace ckpt::web
