// SPDX-License-Identifier: Apache-2.0
#include "app/inspect.h"

#include <iostream>
#include <string>

#include "app/configuration.h"
#include "config/connection.h"
#include "config/describe.h"
#include "config/load_web_config.h"
#include "core/advice.h"
#include "core/sql_plan.h"
#include "http/server.h"
#include "metrics/describe.h"

namespace ckpt::app {
namespace {

constexpr int kUsage = 2;

int Refuse(const Error& error) {
  std::cerr << "pgcheckpoint_exporter: " << error.message << "\n";
  return kUsage;
}

std::string SqlDescription() {
  std::string out;
  for (int major = 10; major <= 19; ++major) {
    ServerCatalog catalog;
    catalog.version.num = major * 10000;
    catalog.checkpointer_pid = 0;
    for (const CapabilityInfo& info : Capabilities()) {
      catalog.capabilities.Set(info.capability, info.versions.Contains(catalog.version));
    }
    out += "-- PostgreSQL " + std::to_string(major) + ": pulse\n" + PlanPulse(catalog).sql + ";\n";
    out += "-- PostgreSQL " + std::to_string(major) + ": survey\n" + PlanSurvey(catalog).sql +
           ";\n" + PlanRows(catalog).sql + ";\n";
  }
  return out;
}

}  // namespace

int PrintDescription(Describe what) {
  switch (what) {
    case Describe::kNothing: break;
    case Describe::kJson: std::cout << metrics::DescribeJson(); break;
    case Describe::kMarkdown: std::cout << metrics::DescribeMarkdown(); break;
    case Describe::kConfig: std::cout << config::DescribeConfig(); break;
    case Describe::kAdvice: std::cout << DescribeAdvice(); break;
    case Describe::kSql: std::cout << SqlDescription(); break;
  }
  return std::cout.flush() ? 0 : 1;
}

int CheckConfig(const CommandLine& line) {
  const auto config = ConfigurationSource(line.config_file, config::CaptureEnvironment()).Load();
  if (!config.ok()) return Refuse(config.error());
  if (!line.web_config_file.empty()) {
    const auto web = config::LoadWebConfig(line.web_config_file);
    if (!web.ok()) return Refuse(web.error());
    if (const Status usable = http::CheckWebConfig(web.value()); !usable.ok()) {
      return Refuse({ErrorCode::kConfig, line.web_config_file + ": " + usable.error().message});
    }
  }
  std::cout << config.value().file() << ": valid, " << config.value().targets().size()
            << " targets\n";
  return 0;
}

}  // namespace ckpt::app
