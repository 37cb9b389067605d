// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include <nlohmann/json.hpp>

// Making JSON; for the .cc files of this room only.
namespace ckpt::web {

// Keeps members in the order in which they were added.
using Json = nlohmann::ordered_json;

// With a line end. Bytes that are not UTF-8, which SQL_ASCII databases can hand out, become U+FFFD.
inline std::string Text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

// What is not known is left out.
template <class T>
void Put(Json& object, std::string_view name, const std::optional<T>& value) {
  if (!value) return;
  if constexpr (std::is_floating_point_v<T>) {
    if (!std::isfinite(*value)) return;
  }
  object[std::string(name)] = *value;
}

// A number of a record, under its name in the answer.
template <class Record>
struct NumberField {
  std::string_view name;
  std::variant<std::optional<double> Record::*, std::optional<std::int64_t> Record::*> member;
};

template <class Record, std::size_t kSize>
void PutNumbers(Json& object, const Record& record,
                const std::array<NumberField<Record>, kSize>& fields) {
  for (const auto& field : fields) {
    std::visit([&](const auto member) { Put(object, field.name, record.*member); }, field.member);
  }
}

}  // namespace ckpt::web
