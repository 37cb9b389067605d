// SPDX-License-Identifier: Apache-2.0
#include "tail/log_locator.h"

#include <fcntl.h>
#include <glob.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <tuple>

namespace ckpt::tail {
namespace {

// The topmost directory above `path` that this process may not enter, or nothing.
std::optional<std::string> BarredDirectory(const std::string& path) {
  for (std::size_t slash = path.find('/', 1); slash != std::string::npos;
       slash = path.find('/', slash + 1)) {
    const std::string directory = path.substr(0, slash);
    if (::faccessat(AT_FDCWD, directory.c_str(), X_OK, AT_EACCESS) != 0 && errno == EACCES) {
      return directory;
    }
  }
  return std::nullopt;
}

std::string PermissionMessage(const std::string& path) {
  const std::string who = "user id " + std::to_string(::geteuid());
  const std::optional<std::string> directory = BarredDirectory(path);
  if (directory) {
    return "cannot read the log " + path + ": " + who + " may not enter the directory " +
           *directory +
           "; give that user's group access to it (a data directory made by initdb "
           "--allow-group-access), or set log_directory to a directory outside of it";
  }
  return "cannot read the log " + path + ": " + who +
         " has no permission; add that user to the file's group (on Debian: adm) and let the group "
         "read it (log_file_mode = 0640)";
}

LogProblem Missing(const std::string& path) {
  return {LogErrorKind::kMissing,
          "no log file at " + path + "; it will be read from its first byte when it appears"};
}

// Why glob(3), which does not tell, found nothing.
LogProblem NoMatch(const std::string& pattern) {
  const std::size_t slash = pattern.rfind('/', pattern.find_first_of("*?["));
  const std::string directory = slash == std::string::npos ? "." : pattern.substr(0, slash + 1);
  if (::faccessat(AT_FDCWD, directory.c_str(), R_OK | X_OK, AT_EACCESS) == 0 || errno != EACCES) {
    return Missing(pattern);
  }
  return {LogErrorKind::kPermission,
          "cannot look for logs that match " + pattern + ": user id " +
              std::to_string(::geteuid()) + " may not list the directory " + directory +
              "; give that user's group read and search permission on it"};
}

auto AgeOf(const LogFile& file) { return std::tie(file.modified_nanos, file.path); }

}  // namespace

LogProblem ProblemFromErrno(const std::string& path, int error_number) {
  switch (error_number) {
    case ENOENT:
    case ENOTDIR: return Missing(path);
    case EACCES:
    case EPERM: return {LogErrorKind::kPermission, PermissionMessage(path)};
    case ESTALE:
      return {LogErrorKind::kStale,
              "the network file system dropped the log " + path + "; it will be opened again"};
    default:
      return {LogErrorKind::kIo, "cannot read the log " + path + ": " +
                                     std::system_category().message(error_number) +
                                     "; will be tried again"};
  }
}

Located DescribeFile(const std::string& path, const struct stat& status) {
  if (!S_ISREG(status.st_mode)) {
    const char* what = S_ISDIR(status.st_mode)    ? "a directory"
                       : S_ISFIFO(status.st_mode) ? "a pipe"
                       : S_ISSOCK(status.st_mode) ? "a socket"
                                                  : "a device";
    return {.problem = LogProblem{LogErrorKind::kNotRegular,
                                  "the log path " + path + " is " + what +
                                      "; name a regular file, or a glob such as " + path +
                                      (S_ISDIR(status.st_mode) ? "/*.log" : "*.log")}};
  }
  return {.file = LogFile{.path = path,
                          .identity = {status.st_dev, status.st_ino},
                          .size = static_cast<std::uint64_t>(status.st_size),
                          .modified_nanos = std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 +
                                            status.st_mtim.tv_nsec}};
}

Located StatFile(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return {.problem = ProblemFromErrno(path, errno)};
  return DescribeFile(path, status);
}

void SortByAge(std::vector<LogFile>& files) {
  std::sort(files.begin(), files.end(),
            [](const LogFile& a, const LogFile& b) { return AgeOf(a) < AgeOf(b); });
}

std::optional<LogFile> FirstAfter(const std::vector<LogFile>& files, const LogFile& current) {
  for (const LogFile& file : files) {
    if (file.size > 0 && file.identity != current.identity && AgeOf(current) < AgeOf(file)) {
      return file;
    }
  }
  return std::nullopt;
}

std::vector<LogFile> ListDirectory(const std::string& directory, const std::string& suffix) {
  std::vector<LogFile> files;
  std::error_code error;
  for (std::filesystem::directory_iterator it(directory, error), end; !error && it != end;
       it.increment(error)) {
    const std::string path = it->path().string();
    if (!path.ends_with(suffix)) continue;
    Located located = StatFile(path);
    if (located.file) files.push_back(std::move(*located.file));
  }
  SortByAge(files);
  return files;
}

Located PathLocator::Newest() { return StatFile(path_); }

Located PathLocator::After(const LogFile& current) {
  Located located = StatFile(path_);
  if (located.file && (located.file->identity == current.identity || located.file->size == 0)) {
    located.file.reset();
  }
  return located;
}

void KnownSizes::Apply(std::vector<LogFile>& files) {
  std::map<FileIdentity, std::uint64_t> still_there;
  for (LogFile& file : files) {
    if (!learned_) {
      still_there.emplace(file.identity, file.size);
      continue;
    }
    const auto known = sizes_.find(file.identity);
    if (known == sizes_.end() || known->second > file.size) continue;
    still_there.insert(*known);
    file.known_bytes = known->second;
  }
  sizes_ = std::move(still_there);
  learned_ = true;
}

std::vector<LogFile> GlobLocator::Scan(std::optional<LogProblem>& problem) {
  std::vector<LogFile> files;
  glob_t matches{};
  const int status = ::glob(pattern_.c_str(), GLOB_NOSORT, nullptr, &matches);
  for (std::size_t i = 0; status == 0 && i < matches.gl_pathc; ++i) {
    Located located = StatFile(matches.gl_pathv[i]);
    if (located.file) {
      files.push_back(std::move(*located.file));
    } else if (located.problem->kind != LogErrorKind::kMissing) {
      problem = std::move(located.problem);
    }
  }
  ::globfree(&matches);
  if (status == GLOB_NOSPACE) {
    problem = ProblemFromErrno(pattern_, ENOMEM);
    return {};
  }
  if (files.empty()) {
    if (!problem) problem = NoMatch(pattern_);
    // What may not be looked at is not known to be empty.
    if (problem->kind != LogErrorKind::kMissing) return {};
  } else {
    // One match that is no log does not matter while there are others.
    problem.reset();
  }
  known_.Apply(files);
  SortByAge(files);
  return files;
}

Located GlobLocator::Newest() {
  Located located;
  std::vector<LogFile> files = Scan(located.problem);
  if (!files.empty()) located.file = std::move(files.back());
  return located;
}

Located GlobLocator::After(const LogFile& current) {
  Located located;
  located.file = FirstAfter(Scan(located.problem), current);
  return located;
}

std::unique_ptr<LogLocator> MakeLocator(const std::string& path) {
  if (path.find_first_of("*?[") != std::string::npos) return std::make_unique<GlobLocator>(path);
  return std::make_unique<PathLocator>(path);
}

}  // namespace ckpt::tail
