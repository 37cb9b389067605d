// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "app/deadline_queue.h"
#include "app/fleet.h"
#include "app/state_store.h"
#include "core/clock.h"
#include "http/server.h"

namespace ckpt::app {

// What probes are made with. Everything outlives the server.
struct ProbeContext {
  const StateStore* store = nullptr;
  const Clock* clock = nullptr;
  DeadlineQueue* deadlines = nullptr;
  // Fleet::Collect.
  std::function<Fleet::CollectOutcome(const std::string& target, TargetWorker::Collected done)>
      collect;
};

// Answers GET /probe?target=NAME: polls that target now and tells its metrics alone, without those
// of the exporter's process. The poll may last as long as the scraper waits, less half a second. If
// the server has not answered by then, or not at all, the answer is 200 with pgcheckpoint_up 0.
//
// Errors: 400 without one `target`, or for a `module` other than "full"; 404 for a target that is
// not configured; 503 when too many wait for this one. Runs on the server's thread and does not
// block; the answer is given by the worker's thread or by the one of the deadlines.
void Probe(const ProbeContext& context, const http::Request& request,
           const http::Responder& respond);

}  // namespace ckpt::app
