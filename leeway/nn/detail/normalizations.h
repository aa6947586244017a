// Common normalizations, and the search for one that suits a model better.
#pragma once

#include <optional>
#include <vector>

#include "leeway/nn/model.h"

namespace leeway::nn {

[[nodiscard]] std::vector<NamedNormalization> common_normalizations(std::size_t channels);

// Model::other_normalization.
[[nodiscard]] std::optional<OtherNormalization> other_normalization(const Model& model, const Images& images);

}  // namespace leeway::nn
