// SPDX-License-Identifier: Apache-2.0
#include "app/routes.h"

#include <array>
#include <memory>
#include <utility>

#include "app/landing_page.h"
#include "http/accept.h"
#include "metrics/exposition.h"
#include "web/api.h"

namespace ckpt::app {
namespace {

http::Response Metrics(const RouteContext& context, const http::Request& request) {
  constexpr std::array kFormats{metrics::Format::kText, metrics::Format::kOpenMetrics};
  constexpr std::array<std::string_view, 2> kOffers{
      metrics::ContentType(metrics::Format::kText),
      metrics::ContentType(metrics::Format::kOpenMetrics)};
  // A client that accepts neither is better served with text than with an error.
  const std::size_t chosen =
      http::ChooseMediaType(request.HeaderValue("accept"), kOffers).value_or(0);
  metrics::Exposition exposition(kFormats[chosen], context.store->All(), context.process_state(),
                                 context.clock->Monotonic());
  http::Response response;
  response.content_type = std::string(kOffers[chosen]);
  response.body = exposition.All();
  response.headers.push_back({"Vary", "Accept"});
  return response;
}

// Ready: every target has been tried once, so that a first scrape does not find an empty page.
http::Response Ready(const RouteContext& context) {
  for (const auto& state : context.store->All()) {
    const PollHealth& health = state->health;
    if (health.pulses == 0 && !health.last_error) {
      return http::TextResponse(503, "waiting for the first answer of " + state->info->name);
    }
  }
  return http::TextResponse(200, "ready");
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
                    .handler = [](const Request&) { return http::TextResponse(200, "healthy"); }});
  routes.push_back({.path = "/-/ready",
                    .description = "200 once every target has been tried",
                    .handler = [context](const Request&) { return Ready(context); }});

  routes.push_back({.path = "/api/v1/targets",
                    .description = "What each target is and does now, as JSON",
                    .handler = Show(context, web::TargetsJson)});
  routes.push_back({.path = "/api/v1/events",
                    .description = "The last checkpoints of a target, as JSON",
                    .handler = Show(context, web::EventsJson)});
  routes.push_back({.path = "/api/v1/timeline",
                    .description = "The sampled series of a target, as JSON",
                    .handler = Show(context, web::TimelineJson)});

  // The page lists the other routes from this same table.
  std::vector<LandingLink> links;
  for (const http::Route& route : routes) {
    if (route.on_landing_page) links.push_back({route.path, route.description});
  }
  routes.push_back({.path = "/",
                    .description = "This page",
                    .handler = [context, links = std::move(links)](const Request&) {
                      http::Response response;
                      response.content_type = "text/html; charset=utf-8";
                      response.body =
                          LandingPage(links, context.store->All(), context.clock->Monotonic());
                      return response;
                    }});
  return routes;
}

}  // namespace ckpt::app
