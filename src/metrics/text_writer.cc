// SPDX-License-Identifier: Apache-2.0
#include "metrics/text_writer.h"

#include <array>
#include <charconv>
#include <cmath>

namespace ckpt::metrics {
namespace {

// How many bytes the UTF-8 sequence at the beginning of `text` has; 0 if it is none.
std::size_t SequenceLength(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  std::size_t length = 0;
  unsigned char low = 0x80;
  unsigned char high = 0xBF;
  if (first >= 0xC2 && first <= 0xDF) {
    length = 2;
  } else if (first >= 0xE0 && first <= 0xEF) {
    length = 3;
    if (first == 0xE0) low = 0xA0;   // overlong
    if (first == 0xED) high = 0x9F;  // surrogates
  } else if (first >= 0xF0 && first <= 0xF4) {
    length = 4;
    if (first == 0xF0) low = 0x90;   // overlong
    if (first == 0xF4) high = 0x8F;  // beyond U+10FFFF
  }
  if (length == 0 || text.size() < length || byte(1) < low || byte(1) > high) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if (byte(i) < 0x80 || byte(i) > 0xBF) return 0;
  }
  return length;
}

void AppendEscaped(std::string_view text, std::string* out) {
  for (const char c : text) {
    switch (c) {
      case '\\': *out += "\\\\"; break;
      case '"': *out += "\\\""; break;
      case '\n': *out += "\\n"; break;
      default: *out += c;
    }
  }
}

void AppendLabels(const std::vector<prometheus::ClientMetric::Label>& labels,
                  std::string_view bound, std::string* out) {
  if (labels.empty() && bound.empty()) return;
  *out += '{';
  bool first = true;
  for (const auto& label : labels) {
    if (!first) *out += ',';
    first = false;
    out->append(label.name).append("=\"");
    AppendEscaped(ValidUtf8(label.value), out);
    *out += '"';
  }
  if (!bound.empty()) out->append(first ? "le=\"" : ",le=\"").append(bound).append("\"");
  *out += '}';
}

void AppendSample(std::string_view name, std::string_view suffix,
                  const std::vector<prometheus::ClientMetric::Label>& labels, double value,
                  std::string* out, std::string_view bound = {}) {
  out->append(name).append(suffix);
  AppendLabels(labels, bound, out);
  *out += ' ';
  AppendValue(value, out);
  *out += '\n';
}

// Canonical form of a bucket's bound, as Prometheus 3 and OpenMetrics write it (0.0005, 1.0,
// 1e+06), so that a series keeps its identity over an upgrade.
std::string Bound(double value) {
  if (!std::isfinite(value)) return value > 0 ? "+Inf" : "-Inf";
  std::array<char, 32> buffer{};
  // "general" is printf's %g: an exponent only below 1e-4 and from 1e+6 on.
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                 std::chars_format::general);
  std::string text(buffer.data(), end.ptr);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

void AppendHistogram(std::string_view name, const prometheus::ClientMetric& metric,
                     std::string* out) {
  for (const auto& bucket : metric.histogram.bucket) {
    AppendSample(name, "_bucket", metric.label, static_cast<double>(bucket.cumulative_count), out,
                 Bound(bucket.upper_bound));
  }
  AppendSample(name, "_sum", metric.label, metric.histogram.sample_sum, out);
  AppendSample(name, "_count", metric.label, static_cast<double>(metric.histogram.sample_count),
               out);
}

}  // namespace

std::string ValidUtf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = SequenceLength(text);
    if (length == 0) {
      out += "\xEF\xBF\xBD";  // U+FFFD
      text.remove_prefix(1);
    } else {
      out.append(text.substr(0, length));
      text.remove_prefix(length);
    }
  }
  return out;
}

void AppendValue(double value, std::string* out) {
  if (std::isnan(value)) {
    *out += "NaN";
    return;
  }
  if (std::isinf(value)) {
    *out += value > 0 ? "+Inf" : "-Inf";
    return;
  }
  std::array<char, 32> buffer{};
  constexpr double kExact = 9007199254740992.0;  // 2^53: every integer below it is exact
  const auto end = value == std::trunc(value) && std::abs(value) < kExact
                       ? std::to_chars(buffer.data(), buffer.data() + buffer.size(),
                                       static_cast<std::int64_t>(value))
                       : std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  out->append(buffer.data(), end.ptr);
}

void WriteFamily(Format format, const Family& family, const prometheus::MetricFamily& samples,
                 std::string* out) {
  // OpenMetrics names a counter's or info's family without the suffix of its samples.
  std::string_view header = samples.name;
  std::string_view type = MetricTypeName(family.type);
  if (format == Format::kOpenMetrics) {
    if (family.type == MetricType::kCounter) header.remove_suffix(std::size("_total") - 1);
    if (family.type == MetricType::kInfo) header.remove_suffix(std::size("_info") - 1);
  } else if (family.type == MetricType::kInfo) {
    type = MetricTypeName(MetricType::kGauge);
  }
  out->append("# HELP ").append(header).append(" ").append(family.help).append("\n");
  out->append("# TYPE ").append(header).append(" ").append(type).append("\n");
  if (format == Format::kOpenMetrics && family.unit != Unit::kNone) {
    out->append("# UNIT ").append(header).append(" ").append(UnitName(family.unit)).append("\n");
  }
  for (const prometheus::ClientMetric& metric : samples.metric) {
    if (family.type == MetricType::kHistogram) {
      AppendHistogram(samples.name, metric, out);
    } else {
      AppendSample(samples.name, "", metric.label,
                   family.type == MetricType::kCounter ? metric.counter.value : metric.gauge.value,
                   out);
    }
  }
}

}  // namespace ckpt::metrics
