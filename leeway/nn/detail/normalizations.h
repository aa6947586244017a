// Normalizations that models are commonly trained with, and whether one of them suits a model better than its own.
#pragma once

#include <optional>
#include <vector>

#include "leeway/nn/model.h"

namespace leeway::nn {

// Those for images of that many channels.
[[nodiscard]] std::vector<NamedNormalization> common_normalizations(std::size_t channels);

// Model::other_normalization.
[[nodiscard]] std::optional<OtherNormalization> other_normalization(const Model& model, const Images& images);

}  // namespace leeway::nn
