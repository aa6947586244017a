// The training loop: data order, optimiser, validation, early stopping, state. See Session::train for the
// contract.
#pragma once

#include <filesystem>

#include "leeway/nn/session.h"

namespace leeway::nn {

[[nodiscard]] TrainResult train_model(const Images& images, const TrainOptions& options,
                                      const std::filesystem::path& out, Progress* progress);

}  // namespace leeway::nn
