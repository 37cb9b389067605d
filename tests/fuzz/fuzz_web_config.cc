// SPDX-License-Identifier: Apache-2.0
// A web configuration file.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "config/load_web_config.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const ckpt::Result<ckpt::WebConfig> config = ckpt::config::ParseWebConfig(text, "/etc/web.yml");
  if (!config.ok() && config.error().message.empty()) std::abort();
  return 0;
}
