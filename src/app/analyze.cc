// SPDX-License-Identifier: Apache-2.0
#include "app/analyze.h"

#include <zlib.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <iostream>
#include <map>
#include <memory>
#include <utility>

#include "core/result.h"

namespace ckpt::app {
namespace {

constexpr int kUsage = 2;
constexpr std::size_t kChunk = std::size_t{1} << 17U;
constexpr std::size_t kMostBench = std::size_t{64} << 20U;

// Calls `take` with each piece of a file, unpacked where it is gzip.
template <class Take>
Status ReadFile(const std::string& path, Take take) {
  struct Close {
    void operator()(gzFile file) const { gzclose(file); }
  };
  errno = 0;
  const std::unique_ptr<gzFile_s, Close> file(gzopen(path.c_str(), "rb"));
  if (!file) return Error{ErrorCode::kConfig, path + ": " + std::strerror(errno), ""};
  std::vector<char> buffer(kChunk);
  for (;;) {
    errno = 0;
    const int size = gzread(file.get(), buffer.data(), static_cast<unsigned>(buffer.size()));
    if (size < 0) {
      int code = 0;
      const char* message = gzerror(file.get(), &code);
      return Error{ErrorCode::kConfig,
                   path + ": " + (code == Z_ERRNO ? std::strerror(errno) : message), ""};
    }
    if (size == 0) return Success{};
    take(std::string_view(buffer.data(), static_cast<std::size_t>(size)));
  }
}

int Fail(const std::string& message) {
  std::cerr << "pgcheckpoint_exporter: " << message << "\n";
  return kUsage;
}

}  // namespace

CLI::App* AddAnalyze(CLI::App* app, AnalyzeOptions* options) {
  CLI::App* command =
      app->add_subcommand("analyze", "Report the checkpoints of finished server logs.");
  command
      ->add_option("LOG", options->logs,
                   "Server logs in any format and language, plain or gzip, in the order of time.")
      ->required();
  command->add_option("--pgbench", options->bench_file, "Output of `pgbench -P` to lay over them.");
  command->add_option("--pgbench-start", options->bench_start,
                      "Unix time at which pgbench began. Default: the first checkpoint's start.");
  command
      ->add_option("--timezone-offset", options->timezone_offset,
                   "Hours east of UTC of the log's times, where they do not say UTC.")
      ->check(CLI::Range(-16.0, 16.0));
  command
      ->add_option("--max-wal-size", options->settings.max_wal_size,
                   "What max_wal_size was, such as 1GB; with it sizes can be advised.")
      ->transform(CLI::AsSizeValue(false));
  command->add_option("--checkpoint-timeout", options->settings.checkpoint_timeout,
                      "What checkpoint_timeout was, in seconds. Default 300.");
  command->add_option("--completion-target", options->settings.checkpoint_completion_target,
                      "What checkpoint_completion_target was. Default 0.9.");
  using report::AnalysisFormat;
  command->add_option("--format", options->format, "text, markdown, json, html or openmetrics.")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, AnalysisFormat>{{"text", AnalysisFormat::kText},
                                                {"markdown", AnalysisFormat::kMarkdown},
                                                {"json", AnalysisFormat::kJson},
                                                {"html", AnalysisFormat::kHtml},
                                                {"openmetrics", AnalysisFormat::kOpenMetrics}}));
  return command;
}

int Analyze(const AnalyzeOptions& options) {
  std::optional<std::int32_t> offset;
  if (options.timezone_offset) {
    offset = static_cast<std::int32_t>(std::lround(*options.timezone_offset * 3600));
  }
  report::LogAnalyzer analyzer(offset);
  for (const std::string& path : options.logs) {
    analyzer.NextFile();
    const Status read =
        ReadFile(path, [&analyzer](std::string_view bytes) { analyzer.Feed(bytes); });
    if (!read.ok()) return Fail(read.error().message);
  }
  report::LogAnalysis analysis = analyzer.Finish();
  analysis.settings = options.settings;
  if (options.settings.max_wal_size) {
    Settings& settings = analysis.settings;
    if (!settings.checkpoint_timeout) settings.checkpoint_timeout = 300;
    if (!settings.checkpoint_completion_target) settings.checkpoint_completion_target = 0.9;
  }
  if (analysis.checkpoints.empty()) {
    return Fail("no checkpoint in these logs; was log_checkpoints on?");
  }

  std::vector<report::BenchSample> bench;
  if (!options.bench_file.empty()) {
    std::string text;
    const Status read = ReadFile(options.bench_file, [&text](std::string_view bytes) {
      if (text.size() + bytes.size() <= kMostBench) text += bytes;
    });
    if (!read.ok()) return Fail(read.error().message);
    bench = report::ReadBench(text);
    if (bench.empty()) return Fail(options.bench_file + ": no line of pgbench -P in it");
  }
  const UnixSeconds start =
      options.bench_start > 0 ? options.bench_start : analysis.first.value_or(0);
  std::cout << report::AnalysisReport(analysis, bench, start, options.format) << std::flush;
  return std::cout ? 0 : kUsage;
}

}  // namespace ckpt::app
