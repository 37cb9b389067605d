// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/secret.h"

namespace ckpt {

// `text` without what must not be shown, for error texts of libraries that may quote their input:
//   * each of `secrets`, also percent-encoded;
//   * the value of password=, sslpassword= and the like, in any quoting libpq accepts;
//   * the password part of a connection URI, also of one that is not well formed.
// In doubt it removes too much: never too little.
std::string Redact(std::string_view text, std::span<const Secret> secrets = {});

// True if the libpq keyword's value is a secret.
bool IsSecretKeyword(std::string_view keyword);

}  // namespace ckpt
