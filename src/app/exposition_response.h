// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/target_state.h"
#include "http/message.h"
#include "metrics/exposition.h"

namespace ckpt::app {

// The format that the client of this request likes best; text if it accepts neither, because that
// serves it better than an error.
metrics::Format ChooseFormat(const http::Request& request);

// An exposition as an answer.
http::Response ExpositionResponse(metrics::Format format,
                                  std::vector<std::shared_ptr<const TargetState>> targets,
                                  std::optional<metrics::ProcessState> process, MonotonicTime now);

}  // namespace ckpt::app
