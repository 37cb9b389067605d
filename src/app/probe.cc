// SPDX-License-Identifier: Apache-2.0
#include "app/probe.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "app/exposition_response.h"

namespace ckpt::app {
namespace {

constexpr std::string_view kModule = "full";

// Without a header of the scraper's; Prometheus's own default.
constexpr double kDefaultTimeout = 10;
constexpr double kLongestTimeout = 60;
// For the way back to the scraper.
constexpr double kMargin = 0.5;

std::chrono::nanoseconds TimeToPoll(const http::Request& request) {
  const double wanted =
      std::min(request.ScrapeTimeoutSeconds().value_or(kDefaultTimeout), kLongestTimeout);
  // A very short timeout is better served late than with nothing.
  const double seconds = std::max(wanted - kMargin, wanted / 2);
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::duration<double>(seconds));
}

// Empty: the request is as it should be.
std::optional<std::string> Fault(const http::Request& request) {
  int targets = 0;
  for (const auto& [name, value] : request.query) {
    if (name == "target") {
      ++targets;
    } else if (name != "module") {
      return "there is no parameter but `target` and `module`";
    } else if (value != kModule) {
      return "there is no such module; the only one is `full`";
    }
  }
  if (targets == 1) return std::nullopt;
  return targets == 0 ? "name a configured target, as in /probe?target=NAME"
                      : "`target` stands more than once";
}

// What is known of the target, as of a poll that has just succeeded or failed.
http::Response Told(const ProbeContext& context, const std::string& target, metrics::Format format,
                    bool polled) {
  std::shared_ptr<const TargetState> state = context.store->Find(target);
  if (state == nullptr) return http::TextResponse(404, "the target has been removed");
  if (!polled) {
    // Samples of an older pulse are not an answer to this probe.
    auto down = std::make_shared<TargetState>(*state);
    down->pulse.reset();
    state = std::move(down);
  }
  return ExpositionResponse(format, {std::move(state)}, std::nullopt, context.clock->Monotonic());
}

}  // namespace

void Probe(const ProbeContext& context, const http::Request& request,
           const http::Responder& respond) {
  if (const std::optional<std::string> fault = Fault(request)) {
    return respond(http::TextResponse(400, *fault));
  }
  const std::string target(request.QueryValue("target").value_or(""));
  const metrics::Format format = ChooseFormat(request);
  const auto tell = [context, target, format, respond](bool polled) {
    respond(Told(context, target, format, polled));
  };
  const DeadlineQueue::Key deadline = context.deadlines->Add(
      context.clock->Monotonic() + TimeToPoll(request), [tell] { tell(false); });
  const Fleet::CollectOutcome outcome =
      context.collect(target, [tell, deadline, deadlines = context.deadlines](bool polled) {
        deadlines->Cancel(deadline);
        tell(polled);
      });
  if (outcome == Fleet::CollectOutcome::kAsked) return;
  context.deadlines->Cancel(deadline);
  respond(
      outcome == Fleet::CollectOutcome::kBusy
          ? http::TextResponse(503, "too many probes wait for this target")
          : http::TextResponse(404, "no such target is configured; /api/v1/targets lists them"));
}

}  // namespace ckpt::app
