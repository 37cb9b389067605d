// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "report/log_analysis.h"

namespace ckpt::report {

// How long a checkpoint took, in seconds: what the log says, else the sum of its phases.
double TotalSeconds(const CheckpointEvent& event);

// Checkpoints of a finished log as OpenMetrics with timestamps, for
// `promtool tsdb create-blocks-from openmetrics`.
std::string AnalysisOpenMetrics(const LogAnalysis& analysis);

}  // namespace ckpt::report
