// SPDX-License-Identifier: Apache-2.0
#include "metrics/exposition.h"

#include <prometheus/client_metric.h>
#include <prometheus/metric_family.h>
#include <prometheus/metric_type.h>

#include "metrics/text_writer.h"

namespace ckpt::metrics {
namespace {

// Builds prometheus-cpp's plain types, which the writers then print.
class FamilyBuilder : public SampleSink {
 public:
  FamilyBuilder(const Family& family, MonotonicTime now, prometheus::MetricFamily* out)
      : SampleSink(now), family_(family), out_(out) {
    out_->name = FullName(family);
    out_->help = std::string(family.help);
    switch (family.type) {
      case MetricType::kCounter: out_->type = prometheus::MetricType::Counter; break;
      case MetricType::kHistogram: out_->type = prometheus::MetricType::Histogram; break;
      case MetricType::kGauge:
      case MetricType::kInfo: out_->type = prometheus::MetricType::Gauge; break;
    }
  }

  // The labels that every sample of a target has. Null: none.
  void SetTarget(const TargetInfo* info) { info_ = info; }

  using SampleSink::Add;
  void Add(double value, std::span<const std::string_view> label_values) override {
    prometheus::ClientMetric& metric = NewMetric(label_values);
    if (out_->type == prometheus::MetricType::Counter) {
      metric.counter.value = value;
    } else {
      metric.gauge.value = value;
    }
  }

  void AddHistogram(std::span<const double> upper_bounds, std::span<const std::uint64_t> counts,
                    double sum, std::span<const std::string_view> label_values) override {
    prometheus::ClientMetric& metric = NewMetric(label_values);
    std::uint64_t cumulative = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      cumulative += counts[i];
      prometheus::ClientMetric::Bucket bucket;
      bucket.cumulative_count = cumulative;
      bucket.upper_bound =
          i < upper_bounds.size() ? upper_bounds[i] : std::numeric_limits<double>::infinity();
      metric.histogram.bucket.push_back(bucket);
    }
    metric.histogram.sample_count = cumulative;
    metric.histogram.sample_sum = sum;
  }

 private:
  prometheus::ClientMetric& NewMetric(std::span<const std::string_view> label_values) {
    prometheus::ClientMetric& metric = out_->metric.emplace_back();
    metric.label.reserve(label_values.size() + (info_ != nullptr ? 1 + info_->labels.size() : 0));
    if (info_ != nullptr) {
      metric.label.push_back({"target", info_->name});
      for (const auto& [key, value] : info_->labels) metric.label.push_back({key, value});
    }
    for (std::size_t i = 0; i < label_values.size() && i < LabelCount(family_); ++i) {
      metric.label.push_back({std::string(LabelKey(family_, i)), std::string(label_values[i])});
    }
    return metric;
  }

  const Family& family_;
  prometheus::MetricFamily* out_;
  const TargetInfo* info_ = nullptr;
};

}  // namespace

Exposition::Exposition(Format format, std::vector<std::shared_ptr<const TargetState>> targets,
                       std::optional<ProcessState> process, MonotonicTime now)
    : format_(format), targets_(std::move(targets)), process_(process), now_(now) {}

bool Exposition::Next(std::string* out) {
  const std::vector<Entry>& catalog = Catalog();
  while (next_ < catalog.size()) {
    const Entry& entry = catalog[next_++];
    prometheus::MetricFamily samples;
    FamilyBuilder builder(*entry.family, now_, &samples);
    if (entry.collect_process) {
      if (process_) entry.collect_process(*process_, builder);
    } else {
      for (const auto& target : targets_) {
        if (entry.needs_fresh && !target->Fresh(now_)) continue;
        builder.SetTarget(target->info.get());
        entry.collect(*target, builder);
      }
    }
    if (samples.metric.empty()) continue;
    WriteFamily(format_, *entry.family, samples, out);
    return true;
  }
  if (!ended_) {
    ended_ = true;
    if (format_ == Format::kOpenMetrics) {
      *out += "# EOF\n";
      return true;
    }
  }
  return false;
}

std::string Exposition::All() {
  std::string out;
  while (Next(&out)) {
  }
  return out;
}

}  // namespace ckpt::metrics
