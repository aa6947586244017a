// The cases of tests/reference/agreement_distances.json.
#pragma once

#include <fstream>
#include <string>
#include <vector>

#include "leeway/agreement/distance.h"
#include "leeway/core/result.h"

namespace leeway::agreement {

struct ReferenceCase {
  std::string name;
  Sample clean, shifted;
  Json json;
};

[[nodiscard]] inline Array matrix_from(const Json& rows) {
  std::vector<double> values;
  for (const auto& row : rows)
    for (const auto& value : row) values.push_back(value.get<double>());
  return make_array<double>({rows.size(), rows[0].size()}, std::move(values));
}

[[nodiscard]] inline std::vector<ReferenceCase> reference_cases() {
  std::ifstream file(LEEWAY_REFERENCE "/agreement_distances.json");
  std::vector<ReferenceCase> cases;
  for (auto& json : Json::parse(file)) {
    const auto sample = [&](const char* name, std::size_t side) {
      return Sample{name, matrix_from(json["logits"][side]), matrix_from(json["features"][side]),
                    json["labels"][side].get<std::vector<std::int64_t>>()};
    };
    cases.push_back({json["name"], sample("clean", 0), sample("shifted", 1), json});
  }
  return cases;
}

}  // namespace leeway::agreement
