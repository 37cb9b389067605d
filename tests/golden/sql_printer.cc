// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <string_view>

#include "golden/fixture.h"

// For record.py. `discover` prints the statements that need nothing; `plan` reads what they told
// from standard input and prints the statements for that server. JSON both ways.
int main(int argc, char** argv) {
  using nlohmann::json;
  const std::string_view what = argc == 2 ? argv[1] : "";
  if (what == "discover") {
    std::cout << json{{"capabilities", ckpt::CapabilitiesSql()}, {"columns", ckpt::ColumnsSql()}};
    return 0;
  }
  if (what == "plan") {
    const ckpt::ServerCatalog catalog = ckpt::golden::CatalogOf(json::parse(std::cin));
    std::cout << json{{"pulse", ckpt::PlanPulse(catalog).sql},
                      {"survey", ckpt::PlanSurvey(catalog).sql},
                      {"rows", ckpt::PlanRows(catalog).sql}};
    return 0;
  }
  std::cerr << "usage: golden_sql discover | plan <catalog.json\n";
  return 2;
}
