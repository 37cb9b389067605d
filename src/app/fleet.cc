// SPDX-License-Identifier: Apache-2.0
#include "app/fleet.h"

#include <algorithm>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "tail/file_follower.h"

namespace ckpt::app {
namespace {

// What the whole wait for one statement may exceed the server's own statement_timeout by.
constexpr std::chrono::milliseconds kNetworkAllowance{500};

// How long a new configuration waits for the workers that it ends.
constexpr std::chrono::seconds kLeaving{1};

std::shared_ptr<const TargetInfo> InfoOf(const config::TargetConfig& target) {
  auto info = std::make_shared<TargetInfo>();
  info->name = target.name;
  info->labels.assign(target.labels.begin(), target.labels.end());
  info->fresh_for =
      std::max<std::chrono::nanoseconds>(target.pulse_interval * 3, std::chrono::seconds(5));
  info->survey_fresh_for =
      std::max<std::chrono::nanoseconds>(target.survey_interval * 3, std::chrono::seconds(5));
  if (target.recovery_time_objective) {
    info->advice_limits.recovery_time_objective =
        std::chrono::duration<double>(*target.recovery_time_objective).count();
  }
  if (target.wal_disk_size) {
    info->advice_limits.wal_disk_bytes = static_cast<double>(*target.wal_disk_size);
  }
  return info;
}

// The name of a format in logs::kLogFormats; empty where it is to be found out.
std::string FormatName(const config::TargetConfig& target) {
  if (target.log_format == config::LogFormat::kAuto) return "";
  return std::string(config::kLogFormatWords[static_cast<std::size_t>(target.log_format)]);
}

std::optional<std::string> LinePrefix(const config::TargetConfig& target) {
  if (target.log_line_prefix.empty()) return std::nullopt;
  return target.log_line_prefix;
}

std::function<double()> RandomSource() {
  return [engine = std::minstd_rand(std::random_device{}())]() mutable {
    return std::uniform_real_distribution<double>(0, 1)(engine);
  };
}

}  // namespace

Fleet::Fleet(ConnectorFactory factory, const Clock* clock, LogSink* log, LogWorker* log_worker,
             StateStore* store)
    : factory_(std::move(factory)),
      clock_(clock),
      log_(log),
      log_worker_(log_worker),
      store_(store) {}

Fleet::~Fleet() {
  Stop(std::chrono::milliseconds(0));
  leaving_.clear();  // waits
}

std::unique_ptr<TargetWorker> Fleet::MakeWorker(const config::TargetConfig& target,
                                                std::chrono::nanoseconds phase) {
  WorkerOptions options;
  options.pulse_interval = target.pulse_interval;
  options.survey_interval = target.survey_interval;
  options.phase = phase;
  options.connect_timeout = target.connect_timeout;
  options.poller.target = target.name;
  options.poller.query_timeout = target.statement_timeout + kNetworkAllowance;
  options.poller.statements = target.pg_stat_statements;
  options.events_kept = static_cast<std::size_t>(target.events_kept);
  if (target.commit_probe_enabled) options.commit_probe = target.commit_probe_interval;
  const auto read_last = static_cast<std::uint64_t>(target.log_read_last);
  if (target.log_follow == config::LogFollow::kSql) {
    options.sql_log = {read_last, FormatName(target), LinePrefix(target)};
  } else if (target.log_follow == config::LogFollow::kFile) {
    options.log = std::make_shared<LogMailbox>();
    tail::FileFollowerOptions follower;
    follower.read_last = read_last;
    auto source =
        std::make_unique<tail::FileFollower>(tail::MakeLocator(target.log_path), *clock_, follower);
    log_worker_->Add(target.name,
                     std::make_unique<LogFollower>(target.name, std::move(source),
                                                   FormatName(target), LinePrefix(target), log_),
                     options.log);
  }
  return std::make_unique<TargetWorker>(std::move(options), InfoOf(target), factory_(target),
                                        RandomSource(), clock_, log_, store_);
}

Fleet::Changes Fleet::Apply(const config::ValidatedConfig& config, const std::string& only) {
  Changes changes;
  std::set<std::string> gone;
  for (auto member = members_.begin(); member != members_.end();) {
    const config::TargetConfig* wanted = config.Find(member->first);
    if (wanted != nullptr && *wanted == member->second.config) {
      ++changes.kept;
      ++member;
      continue;
    }
    if (wanted == nullptr) {
      gone.insert(member->first);
      ++changes.removed;
    } else {
      ++changes.replaced;
    }
    log_worker_->Remove(member->first);
    member->second.worker->RequestStop();
    const std::lock_guard<std::mutex> lock(mutex_);
    leaving_.push_back(std::move(member->second.worker));
    member = members_.erase(member);
  }
  const auto deadline = std::chrono::steady_clock::now() + kLeaving;
  for (const auto& worker : leaving_) worker->WaitEnded(deadline);
  Reap();
  for (const std::string& name : gone) store_->Remove(name);

  const auto& targets = config.targets();
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const config::TargetConfig& target = targets[i];
    if (members_.contains(target.name) || (!only.empty() && target.name != only)) continue;
    const auto phase = std::chrono::nanoseconds(target.pulse_interval) *
                       static_cast<std::int64_t>(i) / static_cast<std::int64_t>(targets.size());
    auto worker = MakeWorker(target, phase);
    worker->Start();
    const std::lock_guard<std::mutex> lock(mutex_);
    members_.emplace(target.name, Member{target, std::move(worker)});
    ++changes.added;
  }
  changes.added -= changes.replaced;
  return changes;
}

Fleet::CollectOutcome Fleet::Collect(const std::string& target, TargetWorker::Collected done) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto member = members_.find(target);
  if (member == members_.end()) return CollectOutcome::kUnknownTarget;
  return member->second.worker->Collect(std::move(done)) ? CollectOutcome::kAsked
                                                         : CollectOutcome::kBusy;
}

std::vector<std::string> Fleet::Stuck(MonotonicTime now) const {
  std::vector<std::string> stuck;
  for (const auto& [name, member] : members_) {
    if (member.worker->Stuck(now)) stuck.push_back(name);
  }
  return stuck;
}

void Fleet::Reap() {
  const auto now = std::chrono::steady_clock::now();
  std::erase_if(leaving_, [now](const auto& worker) { return worker->WaitEnded(now); });
}

bool Fleet::Stop(std::chrono::milliseconds patience) {
  for (auto& [name, member] : members_) {
    log_worker_->Remove(name);
    member.worker->RequestStop();
  }
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (auto& [name, member] : members_) leaving_.push_back(std::move(member.worker));
    members_.clear();
  }
  const auto deadline = std::chrono::steady_clock::now() + patience;
  for (const auto& worker : leaving_) worker->WaitEnded(deadline);
  Reap();
  return leaving_.empty();
}

}  // namespace ckpt::app
