// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ckpt::http {

// One member of an Accept or Accept-Encoding header.
struct AcceptItem {
  std::string value;                                            // lower case: "text/plain", "gzip"
  std::vector<std::pair<std::string, std::string>> parameters;  // before q; names in lower case
  double quality = 1;                                           // 0..1; 0 forbids
};

// The members of such a header, in its order. Members that break the grammar (also by a quality
// outside 0..1) are left out rather than guessed at.
std::vector<AcceptItem> ParseAccept(std::string_view header);

// The index of the offered media type that an Accept header likes best; empty when it accepts none
// of them. Offers are whole content types ("text/plain; version=0.0.4; charset=utf-8"), our
// favourite first. An absent (empty) header accepts everything.
//
// An offer's quality is that of the most specific range that matches it (RFC 9110, 12.5.1). A
// range's parameter must equal the offer's of that name; parameters that the offer does not have
// (`escaping`, say) and `charset` are ignored. Among equal qualities the more specific match wins,
// then the order of the offers.
std::optional<std::size_t> ChooseMediaType(std::string_view accept,
                                           std::span<const std::string_view> offers);

// Whether an Accept-Encoding header prefers gzip to no encoding, or likes both alike. An absent
// header does not.
bool PrefersGzip(std::string_view accept_encoding);

}  // namespace ckpt::http
