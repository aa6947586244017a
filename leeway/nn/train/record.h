// What is written down about a training: everything its bits depend on, and what came of it. No LibTorch
// here.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "leeway/core/result.h"
#include "leeway/nn/train.h"

namespace leeway::nn {

// Options with the algorithm's parameters completed, digests of the data and of the starting weights, the
// number of threads and the version of LibTorch: two trainings with equal plans end in the same bits.
[[nodiscard]] Json training_plan(const data::TrainingData& data, const TrainOptions& options, int threads,
                                 const std::string& torch_version);

// The keys in which two plans differ: "epochs 3, now 5; seed 0, now 1".
[[nodiscard]] std::string differences(const Json& before, const Json& now);

// With `seconds` or without (weights files hold none, so that equal trainings give equal files).
[[nodiscard]] Json epochs_to_json(const std::vector<Epoch>& epochs, bool seconds);
[[nodiscard]] std::vector<Epoch> epochs_from_json(const Json& json);

}  // namespace leeway::nn
