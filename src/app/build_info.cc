// SPDX-License-Identifier: Apache-2.0
#include "app/build_info.h"

namespace ckpt::app {

std::string_view BuildVersion() { return CKPT_VERSION; }
std::string_view BuildRevision() { return CKPT_REVISION; }
std::string_view BuildCompiler() { return CKPT_COMPILER; }

std::string VersionText() {
  std::string text = "pgcheckpoint_exporter, version ";
  text.append(BuildVersion()).append(" (revision ").append(BuildRevision());
  return text.append(", ").append(BuildCompiler()).append(")");
}

}  // namespace ckpt::app
