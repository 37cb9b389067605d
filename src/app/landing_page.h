// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/target_state.h"

namespace ckpt::app {

struct LandingLink {
  std::string path;
  std::string description;
};

// The page at "/": version, what can be asked, and how each target does. Plain HTML without script
// or style of others; everything that comes from outside is escaped.
std::string LandingPage(const std::vector<LandingLink>& links,
                        const std::vector<std::shared_ptr<const TargetState>>& targets,
                        MonotonicTime now);

}  // namespace ckpt::app
