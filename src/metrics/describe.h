// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ckpt::metrics {

// The catalogue as docs/metrics.md: one table row a metric.
std::string DescribeMarkdown();

// The catalogue as JSON, for checks of dashboards and rules: an array of
// {name, type, unit, help, labels, source, per_target}.
std::string DescribeJson();

}  // namespace ckpt::metrics
