// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "report/advice_report.h"
#include "report/log_analysis.h"

namespace ckpt::report {

enum class AnalysisFormat { kText, kMarkdown, kJson, kHtml, kOpenMetrics };

// The report of finished logs. Text and Markdown end with the advice that needs no live server.
// OpenMetrics has one sample a checkpoint, timestamped with its end, in the order that
// `promtool tsdb create-blocks-from openmetrics` takes. HTML is one file without any reference to
// others; everything that came from the log is escaped. `bench` is laid over the time of the log
// from `bench_start` on.
std::string AnalysisReport(const LogAnalysis& analysis, const std::vector<BenchSample>& bench,
                           UnixSeconds bench_start, AnalysisFormat format);

// How latency was while checkpoints ran against while none ran; empty without samples on both
// sides.
struct BenchOverlay {
  double running_mean = 0, running_worst = 0;
  double idle_mean = 0, idle_worst = 0;
  std::size_t running = 0, idle = 0;  // samples
};
std::optional<BenchOverlay> Overlay(const LogAnalysis& analysis,
                                    const std::vector<BenchSample>& bench, UnixSeconds bench_start);

}  // namespace ckpt::report
