// SPDX-License-Identifier: Apache-2.0
#include "tail/current_logfiles.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <utility>
#include <variant>

#include "tail/unique_fd.h"

namespace ckpt::tail {
namespace {

// Three lines, each of a format's name and a path: more than this is not what PostgreSQL writes.
constexpr std::size_t kMaxBytes = std::size_t{3} * (4096 + 16);

std::variant<std::string, LogProblem> ReadSmallFile(const std::string& path) {
  // Describes the file before it is opened: opening a device can have effects.
  Located located = StatFile(path);
  if (located.problem) return std::move(*located.problem);
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!fd) return ProblemFromErrno(path, errno);
  std::string text(kMaxBytes + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t got = ::read(fd.get(), text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return ProblemFromErrno(path, errno);
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  if (size > kMaxBytes) {
    return LogProblem{LogErrorKind::kConfig,
                      path + " is too long to be PostgreSQL's; check the data directory's path"};
  }
  text.resize(size);
  return text;
}

std::string Join(const std::vector<std::string>& words) {
  std::string joined;
  for (const std::string& word : words) joined += (joined.empty() ? "" : ", ") + word;
  return joined;
}

}  // namespace

Result<std::vector<CurrentLogfile>> ParseCurrentLogfiles(std::string_view text) {
  std::vector<CurrentLogfile> entries;
  while (!text.empty()) {
    const std::size_t newline = text.find('\n');
    const std::string_view line = text.substr(0, newline);
    text.remove_prefix(newline == std::string_view::npos ? text.size() : newline + 1);
    if (line.empty()) continue;
    const std::size_t space = line.find(' ');
    if (space == std::string_view::npos || space == 0 || space + 1 == line.size() ||
        line.find('\0') != std::string_view::npos) {
      return Error{ErrorCode::kParse, "current_logfiles line " +
                                          std::to_string(entries.size() + 1) +
                                          " is not a log format, a space and a path"};
    }
    entries.push_back({std::string(line.substr(0, space)), std::string(line.substr(space + 1))});
  }
  return entries;
}

Located CurrentLogfilesLocator::Current() const {
  const std::string list_path = data_directory_ + "/current_logfiles";
  auto text = ReadSmallFile(list_path);
  if (LogProblem* problem = std::get_if<LogProblem>(&text)) {
    if (problem->kind == LogErrorKind::kMissing) {
      problem->message = "no " + list_path +
                         ": the server has not run there with logging_collector = on; name the log "
                         "file itself if something else writes it";
    }
    return {.problem = std::move(*problem)};
  }
  const auto entries = ParseCurrentLogfiles(std::get<std::string>(text));
  if (!entries) {
    return {.problem =
                LogProblem{LogErrorKind::kConfig, data_directory_ + "/" + entries.error().message}};
  }
  for (const std::string& format : formats_) {
    for (const CurrentLogfile& entry : entries.value()) {
      if (entry.format != format) continue;
      return StatFile(entry.path.front() == '/' ? entry.path : data_directory_ + "/" + entry.path);
    }
  }
  std::vector<std::string> written;
  for (const CurrentLogfile& entry : entries.value()) written.push_back(entry.format);
  return {.problem =
              LogProblem{LogErrorKind::kConfig,
                         list_path + " lists " + (written.empty() ? "nothing" : Join(written)) +
                             " but " + Join(formats_) +
                             " is wanted; add it to log_destination or ask for another "
                             "format"}};
}

std::vector<LogFile> CurrentLogfilesLocator::Siblings(const LogFile& file) {
  const std::filesystem::path path(file.path);
  std::vector<LogFile> files =
      ListDirectory(path.parent_path().string(), path.extension().string());
  known_.Apply(files);
  return files;
}

Located CurrentLogfilesLocator::Newest() {
  Located newest = Current();
  if (newest.file) {
    for (const LogFile& file : Siblings(*newest.file)) {
      if (file.identity == newest.file->identity) newest.file = file;
    }
  }
  return newest;
}

Located CurrentLogfilesLocator::After(const LogFile& current) {
  Located listed = Current();
  if (!listed.file) return listed;
  if (listed.file->identity == current.identity) return {};
  const std::vector<LogFile> files = Siblings(*listed.file);
  if (std::optional<LogFile> next = FirstAfter(files, current)) return {.file = std::move(next)};
  // Times tell nothing where the directory may not be listed, or where somebody wrote to an old
  // log; the server's own word does.
  if (listed.file->size == 0) return {};
  for (const LogFile& file : files) {
    if (file.identity == listed.file->identity) return {.file = file};
  }
  return listed;
}

}  // namespace ckpt::tail
