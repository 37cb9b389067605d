// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "core/clock.h"
#include "core/environment.h"

namespace ckpt::sys {

// Tells systemd how the service is, by the datagram protocol of sd_notify(3). Without NOTIFY_SOCKET
// every call does nothing and succeeds. When to say what (Type=notify): Ready once HTTP listens
// with a valid configuration, whether or not PostgreSQL is up; Reloading, then Ready again, around
// a reload; Watchdog only while the poll loops make progress; Stopping first thing of a stop.
//
// Each call sends one message and does not block. True: sent, or nobody to send to. Thread-safe.
class ServiceNotifier {
 public:
  explicit ServiceNotifier(const Environment& environment);

  bool Ready(std::string_view status) const;
  bool Reloading(const Clock& clock) const;
  bool Stopping() const;
  bool Watchdog() const;
  // One line for `systemctl status`; line ends in it become blanks.
  bool Status(std::string_view status) const;

  // How often systemd wants to hear Watchdog(), at the latest; aim at half of it. Empty: never, or
  // meant for another process.
  std::optional<std::chrono::microseconds> watchdog_interval() const { return watchdog_interval_; }
  bool enabled() const { return !socket_.empty(); }

 private:
  bool Send(const std::string& message) const;

  std::string socket_;  // a path, or '@' and the name of an abstract socket; empty: nobody listens
  std::optional<std::chrono::microseconds> watchdog_interval_;
};

}  // namespace ckpt::sys
