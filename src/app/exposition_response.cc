// SPDX-License-Identifier: Apache-2.0
#include "app/exposition_response.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "http/accept.h"

namespace ckpt::app {

metrics::Format ChooseFormat(const http::Request& request) {
  constexpr std::array kFormats{metrics::Format::kText, metrics::Format::kOpenMetrics};
  constexpr std::array<std::string_view, 2> kOffers{
      metrics::ContentType(metrics::Format::kText),
      metrics::ContentType(metrics::Format::kOpenMetrics)};
  return kFormats[http::ChooseMediaType(request.HeaderValue("accept"), kOffers).value_or(0)];
}

http::Response ExpositionResponse(metrics::Format format,
                                  std::vector<std::shared_ptr<const TargetState>> targets,
                                  std::optional<metrics::ProcessState> process, MonotonicTime now) {
  metrics::Exposition exposition(format, std::move(targets), process, now);
  http::Response response;
  response.content_type = std::string(metrics::ContentType(format));
  response.body = exposition.All();
  response.headers.push_back({"Vary", "Accept"});
  return response;
}

}  // namespace ckpt::app
