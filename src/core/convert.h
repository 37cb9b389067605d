// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "core/facts.h"
#include "core/numbers.h"

namespace ckpt {

// Puts one column's text into the member that its fact names. NULL empties it. Returns 1 if the
// text could not be understood, else 0.
template <class Record>
int Convert(const std::optional<std::string>& text, Scale scale, const Field<Record>& field,
            Record* record) {
  if (const auto* member = std::get_if<OptionalText Record::*>(&field)) {
    record->** member = text;
    return 0;
  }
  if (const auto* member = std::get_if<OptionalInt Record::*>(&field)) {
    OptionalInt& value = record->**member;
    value.reset();
    if (!text) return 0;
    if (scale == Scale::kLsn) {
      value = ParseLsn(*text);
    } else if (scale == Scale::kBool) {
      if (*text == "t" || *text == "true") value = 1;
      if (*text == "f" || *text == "false") value = 0;
    } else {
      value = ParseInt(*text);
    }
    return value ? 0 : 1;
  }
  OptionalReal& value = record->*std::get<OptionalReal Record::*>(field);
  value.reset();
  if (!text) return 0;
  value = ParseReal(*text);
  if (value && scale == Scale::kMilliseconds) *value /= 1000;
  return value ? 0 : 1;
}

}  // namespace ckpt
