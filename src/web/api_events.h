// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/event_ring.h"
#include "web/json.h"

namespace ckpt::web {

// One event as /api/v1/events tells it.
Json EventJson(const StoredEvent& stored);

}  // namespace ckpt::web
