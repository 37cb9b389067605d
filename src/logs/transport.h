// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string_view>

#include "logs/envelope.h"

namespace ckpt::logs {

class LineSink {
 public:
  virtual ~LineSink() = default;
  virtual void OnLine(const TransportLine& line) = 0;
};

// Takes off what a container runtime or syslog has put around the server's lines, and joins what
// they have split. Threading: one thread at a time. Memory is bounded by the limit it was made
// with.
class TransportReader {
 public:
  virtual ~TransportReader() = default;
  // Passes on the server's lines that `line` completes, if any.
  virtual LineVerdict Line(std::string_view line, LineSink& sink) = 0;
  virtual void Reset() = 0;
};

struct Transport {
  std::string_view name;
  bool (*sniff)(std::string_view line);
  std::unique_ptr<TransportReader> (*make)(std::size_t max_line_bytes);
};

bool IsCriLine(std::string_view line);
std::unique_ptr<TransportReader> MakeCriReader(std::size_t max_line_bytes);
bool IsDockerLine(std::string_view line);
std::unique_ptr<TransportReader> MakeDockerReader(std::size_t max_line_bytes);
bool IsSyslogLine(std::string_view line);
std::unique_ptr<TransportReader> MakeSyslogReader(std::size_t max_line_bytes);
bool IsPlainLine(std::string_view line);
std::unique_ptr<TransportReader> MakePlainReader(std::size_t max_line_bytes);

// TABLE: what may carry a log, the most particular first; plain takes everything.
inline constexpr std::array<Transport, 4> kTransports{{
    {"cri", &IsCriLine, &MakeCriReader},
    {"docker", &IsDockerLine, &MakeDockerReader},
    {"syslog", &IsSyslogLine, &MakeSyslogReader},
    {"plain", &IsPlainLine, &MakePlainReader},
}};

}  // namespace ckpt::logs
