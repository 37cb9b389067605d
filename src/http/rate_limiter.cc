// SPDX-License-Identifier: Apache-2.0
#include "http/rate_limiter.h"

#include <algorithm>
#include <chrono>

namespace ckpt::http {

void RateLimiter::Configure(const WebRateLimit& limit, MonotonicTime now) {
  if (limit.interval == limit_.interval && limit.burst == limit_.burst) return;
  limit_ = limit;
  tokens_ = limit.burst;
  filled_ = now;
}

bool RateLimiter::Allow(MonotonicTime now) {
  if (limit_.interval.count() <= 0) return true;
  const std::chrono::duration<double> passed = now - filled_;
  tokens_ = std::min<double>(limit_.burst,
                             tokens_ + passed / std::chrono::duration<double>(limit_.interval));
  filled_ = now;
  if (tokens_ < 1) return false;
  tokens_ -= 1;
  return true;
}

}  // namespace ckpt::http
