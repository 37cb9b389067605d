// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/sql_plan.h"
#include "testing/postgres_catalog.h"

namespace ckpt::testing {

// What is known of a server of version `major` to a role that may read everything.
inline ServerCatalog FullCatalog(int major) {
  ServerCatalog catalog;
  catalog.version = {major * 10000};
  for (const CapabilityInfo& info : Capabilities()) {
    catalog.capabilities.Set(info.capability, info.versions.Contains(catalog.version));
  }
  catalog.checkpointer_pid = 4242;
  catalog.statements_schema = "public";
  static const PostgresCatalog servers;
  catalog.columns = servers.QualifiedColumns(major);
  return catalog;
}

}  // namespace ckpt::testing
