// A file of weights that an equal training made before.
#pragma once

#include <filesystem>
#include <optional>

#include "leeway/data/training_data.h"
#include "leeway/nn/train.h"

namespace leeway::nn {

// The result of an earlier training with the same plan, where `out` is one.
[[nodiscard]] std::optional<TrainResult> reuse(const data::TrainingData& data, const TrainOptions& options,
                                               const std::filesystem::path& out);

}  // namespace leeway::nn
