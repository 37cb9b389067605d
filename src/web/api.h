// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "web/answer.h"

// The JSON of /api/v1; docs/api.md is its contract. Pure functions of published states; they may be
// called from any thread and never hold a secret. Members that are not known are left out; only in
// the columns of the timeline they are null. Times are Unix seconds by the server's clock, sizes
// bytes, durations seconds, ratios 0..1. What a client got wrong is answered 400 or 404 with
// {"error": "..."}.
namespace ckpt::web {

// Every target, or the one of `target`: what it is and what it does now.
Answer TargetsJson(const Targets& targets, const Parameters& parameters, const Now& now);

// The last checkpoints of one target, newest last. `limit` (1 to 10000, default 100); `from` and
// `to` keep those that overlap with that time.
Answer EventsJson(const Targets& targets, const Parameters& parameters, const Now& now);

// The sampled series of one target, one column each, in the order of kTimelineSeries. `from` and
// `to` (default: the last hour), `points` (1 to 5000, default 600) at most.
Answer TimelineJson(const Targets& targets, const Parameters& parameters, const Now& now);

// What should be changed on every target, or on the one of `target`; docs/advice.md tells the
// rules. A target without `advice` was not judged yet.
Answer AdviceJson(const Targets& targets, const Parameters& parameters, const Now& now);

}  // namespace ckpt::web
