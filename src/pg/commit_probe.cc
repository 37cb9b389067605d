// SPDX-License-Identifier: Apache-2.0
#include "pg/commit_probe.h"

#include <algorithm>

namespace ckpt::pg {
namespace {

constexpr int kMostPatience = 16;

constexpr char kCommit[] =
    "SELECT pg_catalog.pg_logical_emit_message(true, 'pgcheckpoint_exporter', '')";

}  // namespace

CommitProbe::CommitProbe(std::chrono::milliseconds interval,
                         std::chrono::milliseconds query_timeout, const Clock* clock)
    : interval_(interval),
      query_timeout_(query_timeout),
      clock_(clock),
      next_(clock->Monotonic() + interval) {}

Result<std::optional<double>> CommitProbe::Step(Session* session) {
  const MonotonicTime begin = clock_->Monotonic();
  if (begin < next_) return std::optional<double>();
  Result<RowSet> answer = session->QueryPrepared(kCommit, query_timeout_);
  const MonotonicTime end = clock_->Monotonic();
  const bool slow = !answer.ok() || end - begin > kSlow;
  patience_ = slow ? std::min(patience_ * 2, kMostPatience) : std::max(patience_ / 2, 1);
  next_ = end + interval_ * patience_;
  if (!answer.ok()) return answer.error();
  return std::optional<double>(std::chrono::duration<double>(end - begin).count());
}

}  // namespace ckpt::pg
