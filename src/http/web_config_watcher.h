// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/web_config.h"
#include "http/server.h"
#include "http/tls_context.h"

namespace ckpt::http {

// A web configuration in force, with what was made from it. Immutable.
struct ActiveWebConfig {
  WebConfig config;
  std::shared_ptr<const TlsContext> tls;  // null: plain HTTP
};

// Keeps the web configuration up to date with its file and the certificate files that it names. A
// change is taken up once two looks in a row find the files the same, so that a file is not read
// while it is being written (a truncated one would be valid, and open to everyone). A bad one is
// reported once and changes nothing. For one thread at a time.
class WebConfigWatcher {
 public:
  // Without `source.load`, the configuration is the empty one for ever. `log` may be empty.
  WebConfigWatcher(WebConfigSource source, LogFunction log);

  // Loads it for the first time. Error (kConfig): as the loader's, or about a certificate.
  Status Load();
  // Looks at the files and reloads if they have changed.
  void Step();

  // Never null; the empty configuration before Load().
  const std::shared_ptr<const ActiveWebConfig>& Current() const { return current_; }
  std::uint64_t reloads() const { return reloads_; }
  std::uint64_t failed_reloads() const { return failed_reloads_; }

 private:
  // Of one file: what stat() tells of its identity and last change; all 0 when it is not there.
  struct Stamp {
    std::uint64_t device = 0, inode = 0, size = 0, changed_ns = 0;
    friend bool operator==(const Stamp&, const Stamp&) = default;
  };
  using Stamps = std::vector<Stamp>;

  Stamps Look() const;
  void Reload();

  WebConfigSource source_;
  LogFunction log_;
  std::shared_ptr<const ActiveWebConfig> current_ = std::make_shared<const ActiveWebConfig>();
  Stamps loaded_;  // when they were last read
  Stamps last_;    // at the last look
  std::uint64_t reloads_ = 0;
  std::uint64_t failed_reloads_ = 0;
};

}  // namespace ckpt::http
