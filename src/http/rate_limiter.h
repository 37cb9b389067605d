// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/clock.h"
#include "core/web_config.h"

namespace ckpt::http {

// A token bucket over all requests of a server: full at first, one token back every interval. For
// one thread at a time.
class RateLimiter {
 public:
  // Starts anew with a full bucket if the limit is another one than before.
  void Configure(const WebRateLimit& limit, MonotonicTime now);
  // Takes a token. False: there is none. Without a limit always true.
  bool Allow(MonotonicTime now);

 private:
  WebRateLimit limit_;
  double tokens_ = 0;
  MonotonicTime filled_;  // when tokens_ was right
};

}  // namespace ckpt::http
