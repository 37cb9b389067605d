// SPDX-License-Identifier: Apache-2.0
#include "http/web_config_watcher.h"

#include <sys/stat.h>

#include <utility>

namespace ckpt::http {
namespace {

Result<std::shared_ptr<const ActiveWebConfig>> Activate(WebConfig config) {
  auto active = std::make_shared<ActiveWebConfig>();
  active->config = std::move(config);
  if (active->config.tls) {
    Result<std::shared_ptr<const TlsContext>> tls = TlsContext::Make(*active->config.tls);
    if (!tls) return tls.error();
    active->tls = std::move(tls).value();
  }
  return std::shared_ptr<const ActiveWebConfig>(std::move(active));
}

}  // namespace

Status CheckWebConfig(const WebConfig& config) {
  const auto active = Activate(config);
  if (!active) return active.error();
  return Success{};
}

WebConfigWatcher::WebConfigWatcher(WebConfigSource source, LogFunction log)
    : source_(std::move(source)), log_(std::move(log)) {}

WebConfigWatcher::Stamps WebConfigWatcher::Look() const {
  std::vector<std::string> paths{source_.path};
  if (current_->config.tls) {
    const WebTlsConfig& tls = *current_->config.tls;
    paths.insert(paths.end(), {tls.cert_file, tls.key_file, tls.client_ca_file});
  }
  Stamps stamps;
  for (const std::string& path : paths) {
    struct stat status {};
    Stamp stamp;
    if (!path.empty() && stat(path.c_str(), &status) == 0) {
      constexpr std::uint64_t kNanoseconds = 1'000'000'000;
      stamp = {status.st_dev, status.st_ino, static_cast<std::uint64_t>(status.st_size),
               static_cast<std::uint64_t>(status.st_ctim.tv_sec) * kNanoseconds +
                   static_cast<std::uint64_t>(status.st_ctim.tv_nsec)};
    }
    stamps.push_back(stamp);
  }
  return stamps;
}

Status WebConfigWatcher::Load() {
  if (!source_.load) return Success{};
  Result<WebConfig> config = source_.load();
  if (!config) return config.error();
  auto active = Activate(std::move(config).value());
  if (!active) return active.error();
  current_ = std::move(active).value();
  loaded_ = last_ = Look();
  return Success{};
}

void WebConfigWatcher::Step() {
  if (!source_.load) return;
  Stamps now = Look();
  const bool settled = now == last_;
  last_ = std::move(now);
  if (settled && last_ != loaded_) Reload();
}

void WebConfigWatcher::Reload() {
  loaded_ = last_;  // a bad file is tried again when it changes again
  const auto keep = [this](const std::string& why) {
    ++failed_reloads_;
    if (log_) log_(LogLevel::kError, "web configuration not reloaded, the old one stays: " + why);
  };
  Result<WebConfig> config = source_.load();
  if (!config) return keep(config.error().message);
  if (config.value().tls.has_value() != current_->config.tls.has_value()) {
    return keep("TLS cannot be switched on or off while running; restart for that");
  }
  auto active = Activate(std::move(config).value());
  if (!active) return keep(active.error().message);
  current_ = std::move(active).value();
  ++reloads_;
  loaded_ = last_ = Look();  // it may name other files now
  if (log_) log_(LogLevel::kInfo, "web configuration reloaded from " + source_.path);
}

}  // namespace ckpt::http
