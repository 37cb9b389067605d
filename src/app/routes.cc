// SPDX-License-Identifier: Apache-2.0
#include "app/routes.h"

#include <cstddef>
#include <memory>
#include <utility>

#include "app/build_info.h"
#include "app/exposition_response.h"
#include "web/api.h"
#include "web/assets.h"
#include "web/page.h"

namespace ckpt::app {
namespace {

http::Response Metrics(const RouteContext& context, const http::Request& request) {
  return ExpositionResponse(ChooseFormat(request), context.store->All(), context.process_state(),
                            context.clock->Monotonic());
}

// Ready: every target has been tried once, so that a first scrape does not find an empty page.
// Tells no names, because it is served without authentication.
http::Response Ready(const RouteContext& context) {
  std::size_t untried = 0;
  const auto states = context.store->All();
  for (const auto& state : states) {
    const PollHealth& health = state->health;
    if (health.pulses == 0 && !health.last_error) ++untried;
  }
  if (untried == 0) return http::TextResponse(200, "ready");
  return http::TextResponse(503, "waiting for the first answer of " + std::to_string(untried) +
                                     " of " + std::to_string(states.size()) + " targets");
}

void Reload(const RouteContext& context, const http::Responder& respond) {
  if (!context.reload) {
    return respond(http::TextResponse(
        403, "the lifecycle API is off; start the exporter with --web.enable-lifecycle"));
  }
  context.reload([respond](const Status& status) {
    respond(status.ok() ? http::TextResponse(200, "configuration loaded")
                        : http::TextResponse(500,
                                             "the configuration is not valid; the one before "
                                             "stays in force:\n" +
                                                 status.error().message));
  });
}

using WebView = web::Answer (*)(const web::Targets&, const web::Parameters&, const web::Now&);

// A view of the room web, as a handler.
http::Handler Show(const RouteContext& context, WebView view) {
  return [context, view](const http::Request& request) {
    web::Answer answer = view(context.store->All(), request.query,
                              {context.clock->Wall(), context.clock->Monotonic()});
    http::Response response;
    response.status = answer.status;
    response.content_type = std::move(answer.content_type);
    response.body = std::move(answer.body);
    response.headers.push_back({"Cache-Control", "no-store"});
    return response;
  };
}

http::Handler ShowPage(const RouteContext& context, web::PageInfo info) {
  return [context, info = std::move(info)](const http::Request& request) {
    web::Answer answer = web::Page(context.store->All(), request.query,
                                   {context.clock->Wall(), context.clock->Monotonic()}, info);
    http::Response response;
    response.status = answer.status;
    response.content_type = std::move(answer.content_type);
    response.body = std::move(answer.body);
    for (const auto& [name, value] : web::kPageHeaders) {
      response.headers.push_back({std::string(name), std::string(value)});
    }
    return response;
  };
}

// A file of the page. Its path changes with its content.
http::Handler ShowAsset(const web::Asset& asset) {
  http::Response response;
  response.content_type = std::string(asset.content_type);
  response.shared_body = std::make_shared<const std::string>(asset.Content());
  response.etag = std::string(asset.etag);
  response.headers.push_back({"Cache-Control", "public, max-age=31536000, immutable"});
  response.headers.push_back({"X-Content-Type-Options", "nosniff"});
  return [response = std::move(response)](const http::Request&) { return response; };
}

}  // namespace

std::vector<http::Route> MakeRoutes(const RouteContext& context) {
  using http::Request;
  std::vector<http::Route> routes;
  routes.push_back(
      {.path = context.telemetry_path,
       .description = "Metrics, as Prometheus text or OpenMetrics",
       .handler = [context](const Request& request) { return Metrics(context, request); }});
  routes.push_back({.path = "/-/healthy",
                    .description = "200 while the process works",
                    .handler = [](const Request&) { return http::TextResponse(200, "healthy"); },
                    .needs_auth = false});
  routes.push_back({.path = "/-/ready",
                    .description = "200 once every target has been tried",
                    .handler = [context](const Request&) { return Ready(context); },
                    .needs_auth = false});
  routes.push_back({.path = "/probe",
                    .description = "Metrics of one target, polled for this request",
                    .handler = http::AsyncHandler(
                        [context](const Request& request, const http::Responder& respond) {
                          Probe(context.probe, request, respond);
                        }),
                    .on_landing_page = false});
  routes.push_back(
      {.methods = {http::Method::kPost},
       .path = "/-/reload",
       .description = "Loads the configuration anew",
       .handler = http::AsyncHandler(
           [context](const Request&, const http::Responder& respond) { Reload(context, respond); }),
       .on_landing_page = false});

  routes.push_back({.path = "/api/v1/targets",
                    .description = "What each target is and does now, as JSON",
                    .handler = Show(context, web::TargetsJson)});
  routes.push_back({.path = "/api/v1/events",
                    .description = "The last checkpoints of a target, as JSON",
                    .handler = Show(context, web::EventsJson)});
  routes.push_back({.path = "/api/v1/advice",
                    .description = "What should be changed, why and at what cost, as JSON",
                    .handler = Show(context, web::AdviceJson)});
  routes.push_back({.path = "/api/v1/timeline",
                    .description = "The sampled series of a target, as JSON",
                    .handler = Show(context, web::TimelineJson)});

  // The page lists the other routes from this same table, relative to itself.
  web::PageInfo info{.version = VersionText(), .links = {}};
  for (const http::Route& route : routes) {
    if (route.on_landing_page) info.links.emplace_back(route.path.substr(1), route.description);
  }
  routes.push_back(
      {.path = "/", .description = "This page", .handler = ShowPage(context, std::move(info))});
  for (const web::Asset& asset : web::Assets()) {
    routes.push_back({.path = "/" + std::string(asset.path),
                      .description = "A file of the page",
                      .handler = ShowAsset(asset),
                      .on_landing_page = false});
  }
  return routes;
}

}  // namespace ckpt::app
