// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <prometheus/metric_family.h>

#include <string>
#include <string_view>

#include "core/family.h"
#include "metrics/exposition.h"

namespace ckpt::metrics {

// Appends one family in Prometheus text format 0.0.4 or OpenMetrics 1.0.0. prometheus-cpp has a
// writer for the first alone; it prints 16 digits and does not canonicalise `le`, so both are here.
// REQUIRES: at least one sample.
void WriteFamily(Format format, const Family& family, const prometheus::MetricFamily& samples,
                 std::string* out);

// A sample value: whole numbers in full, others in the shortest form that reads back the same.
void AppendValue(double value, std::string* out);

// `text` with invalid UTF-8 replaced, since one bad byte would cost a scraper the whole page.
std::string ValidUtf8(std::string_view text);

}  // namespace ckpt::metrics
