// The list of described records (fields.h); docs/schema is written from it.
#pragma once

#include <span>
#include <string_view>

#include "leeway/record/fields.h"

namespace leeway::record {

struct Record {
  std::string_view schema;  // "leeway.pa/2"
  std::string_view title;
  void (*describe)(Fields&);
};

[[nodiscard]] std::span<const Record> records();

}  // namespace leeway::record
