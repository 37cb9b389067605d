// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ckpt::sys {

// glibc gives each thread an arena of its own, up to eight a core, and keeps what they free. With a
// thread a target that would be most of the process. Call LimitArenas first thing in main.
// False: not glibc, or refused.
bool LimitArenas(int most);

// Gives freed memory back to the system; for after a rare large answer or a reload. Takes up to
// some milliseconds; thread-safe. True if any was given back.
bool ReleaseFreeMemory();

}  // namespace ckpt::sys
