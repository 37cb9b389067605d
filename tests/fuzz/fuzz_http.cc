// SPDX-License-Identifier: Apache-2.0
// What the web server itself reads of a request, once Beast has split it: the first line is a
// target or an Authorization header, the second an Accept header, the third an If-None-Match.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "http/accept.h"
#include "http/basic_auth.h"
#include "http/listen.h"
#include "http/message.h"
#include "http/target.h"

namespace {

std::string_view TakeLine(std::string_view& rest) {
  const std::size_t end = rest.find('\n');
  const std::string_view line = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  return line;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ckpt::http;  // NOLINT(google-build-using-namespace)
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  const std::string_view first = TakeLine(rest);
  const std::string_view accept = TakeLine(rest);
  const ckpt::Result<Target> target = ParseTarget(first);
  if (target.ok() && target.value().path.substr(0, 1) != "/") std::abort();
  ParseBasicAuthorization(first);
  (void)ParseListenAddress(first);
  constexpr std::array<std::string_view, 2> kOffers{"text/plain; version=0.0.4",
                                                    "application/openmetrics-text; version=1.0.0"};
  const auto chosen = ChooseMediaType(accept, kOffers);
  if (chosen && *chosen >= kOffers.size()) std::abort();
  for (const AcceptItem& item : ParseAccept(accept)) {
    if (!(item.quality >= 0 && item.quality <= 1)) std::abort();
  }
  PrefersGzip(accept);
  EtagMatches(TakeLine(rest), "\"tag\"");
  return 0;
}
