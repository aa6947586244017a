// A model that answers differently when asked twice, as records say it.
#pragma once

#include <optional>

#include "leeway/nn/session.h"
#include "leeway/record/average_case.h"

namespace leeway::app {

[[nodiscard]] inline std::optional<record::ModelVariation> variation_of(
    const std::optional<nn::Variation>& found) {
  if (!found) return std::nullopt;
  return record::ModelVariation{found->n, found->largest, found->predictions, found->neighbours};
}

}  // namespace leeway::app
