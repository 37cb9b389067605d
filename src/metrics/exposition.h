// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/target_state.h"
#include "metrics/catalog.h"

namespace ckpt::metrics {

enum class Format : std::uint8_t { kText, kOpenMetrics };

// The exact Content-Type of a format.
constexpr std::string_view ContentType(Format format) {
  return format == Format::kText ? "text/plain; version=0.0.4; charset=utf-8"
                                 : "application/openmetrics-text; version=1.0.0; charset=utf-8";
}

// One scrape, told family by family, so that memory is that of the largest family and not of the
// whole page, however many targets there are.
//
// Holds its states for as long as it lives; they are immutable, so nothing is locked. Not
// thread-safe itself. Cannot fail: bytes of a server that are not UTF-8 are replaced.
class Exposition {
 public:
  // Targets in the order in which their samples shall stand. `process` may be left out, as /probe
  // does. `now` decides which targets are fresh.
  Exposition(Format format, std::vector<std::shared_ptr<const TargetState>> targets,
             std::optional<ProcessState> process, MonotonicTime now);

  // Appends the next family that has samples; false when everything has been said.
  bool Next(std::string* out);

  // Everything at once.
  std::string All();

 private:
  Format format_;
  std::vector<std::shared_ptr<const TargetState>> targets_;
  std::optional<ProcessState> process_;
  MonotonicTime now_;
  std::size_t next_ = 0;
  bool ended_ = false;
};

}  // namespace ckpt::metrics
