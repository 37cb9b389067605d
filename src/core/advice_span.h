// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/server_identity.h"
#include "core/settings.h"

namespace ckpt {

// From when on events count as the recent past for advice: an hour, or eight checkpoint_timeouts,
// and never from before the server's start. `now` and the answer by the server's clock.
UnixSeconds AdviceSince(const ServerIdentity& server, const Settings& settings, UnixSeconds now);

}  // namespace ckpt
