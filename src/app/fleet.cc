// SPDX-License-Identifier: Apache-2.0
#include "app/fleet.h"

#include <algorithm>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace ckpt::app {
namespace {

// What the whole wait for one statement may exceed the server's own statement_timeout by.
constexpr std::chrono::milliseconds kNetworkAllowance{500};

std::shared_ptr<const TargetInfo> InfoOf(const config::TargetConfig& target) {
  auto info = std::make_shared<TargetInfo>();
  info->name = target.name;
  info->labels.assign(target.labels.begin(), target.labels.end());
  info->fresh_for =
      std::max<std::chrono::nanoseconds>(target.pulse_interval * 3, std::chrono::seconds(5));
  return info;
}

std::function<double()> RandomSource() {
  return [engine = std::minstd_rand(std::random_device{}())]() mutable {
    return std::uniform_real_distribution<double>(0, 1)(engine);
  };
}

}  // namespace

Fleet::Fleet(ConnectorFactory factory, const Clock* clock, LogSink* log, StateStore* store)
    : factory_(std::move(factory)), clock_(clock), log_(log), store_(store) {}

Fleet::~Fleet() { Stop(); }

std::unique_ptr<TargetWorker> Fleet::MakeWorker(const config::TargetConfig& target,
                                                std::chrono::nanoseconds phase) {
  WorkerOptions options;
  options.pulse_interval = target.pulse_interval;
  options.survey_interval = target.survey_interval;
  options.phase = phase;
  options.poller.target = target.name;
  options.poller.query_timeout = target.statement_timeout + kNetworkAllowance;
  return std::make_unique<TargetWorker>(std::move(options), InfoOf(target), factory_(target),
                                        RandomSource(), clock_, log_, store_);
}

Fleet::Changes Fleet::Apply(const config::ValidatedConfig& config) {
  Changes changes;
  std::vector<std::unique_ptr<TargetWorker>> leaving;
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
    leaving.push_back(std::move(member->second.worker));
    member = members_.erase(member);
  }
  for (const auto& worker : leaving) worker->RequestStop();
  leaving.clear();  // waits
  for (const std::string& name : gone) store_->Remove(name);

  const auto& targets = config.targets();
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const config::TargetConfig& target = targets[i];
    if (members_.contains(target.name)) continue;
    const auto phase = std::chrono::nanoseconds(target.pulse_interval) *
                       static_cast<std::int64_t>(i) / static_cast<std::int64_t>(targets.size());
    auto worker = MakeWorker(target, phase);
    worker->Start();
    members_.emplace(target.name, Member{target, std::move(worker)});
    ++changes.added;
  }
  changes.added -= changes.replaced;
  return changes;
}

void Fleet::Stop() {
  for (auto& [name, member] : members_) member.worker->RequestStop();
  members_.clear();
}

}  // namespace ckpt::app
