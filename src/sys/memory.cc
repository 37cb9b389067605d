// SPDX-License-Identifier: Apache-2.0
#include "sys/memory.h"

#include <cstdlib>  // defines __GLIBC__

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace ckpt::sys {

#if defined(__GLIBC__)
bool LimitArenas(int most) { return mallopt(M_ARENA_MAX, most) == 1; }

bool ReleaseFreeMemory() { return malloc_trim(0) == 1; }
#else
bool LimitArenas(int) { return false; }

bool ReleaseFreeMemory() { return false; }
#endif

}  // namespace ckpt::sys
