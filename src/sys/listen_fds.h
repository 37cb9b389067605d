// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/environment.h"
#include "core/result.h"

namespace ckpt::sys {

// A listening socket that systemd opened for us (--web.systemd-socket).
struct ListenSocket {
  int fd = -1;       // close-on-exec; whoever takes it closes it
  std::string name;  // FileDescriptorName= of the socket unit; "unknown" without one
};

// The sockets passed by LISTEN_FDS, LISTEN_PID and LISTEN_FDNAMES, as sd_listen_fds(3) has them.
// Empty when there are none or they are meant for another process. Call it once, early: descriptors
// are set close-on-exec. Errors (kConfig): a variable that makes no sense, or a descriptor that is
// not a listening stream socket.
Result<std::vector<ListenSocket>> TakeListenSockets(const Environment& environment);

}  // namespace ckpt::sys
