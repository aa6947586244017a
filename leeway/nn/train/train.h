// The training loop: steps, validation, early stopping, state. See Session::train for the contract.
#pragma once

#include <filesystem>

#include "leeway/nn/train.h"

namespace leeway::nn {

[[nodiscard]] TrainResult train_model(const data::TrainingData& data, const TrainOptions& options,
                                      const std::filesystem::path& out, Progress* progress);

}  // namespace leeway::nn
