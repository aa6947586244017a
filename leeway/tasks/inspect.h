// A model file's content, expected inputs, cost of a pass on this machine, and accuracy on labelled images.
// Errors (Error): those of Model::outputs (nn/predictor.h). Warnings: no gradients, different outputs in two
// passes, a better normalization. Cost: passes of 16 images for a second, and one of the labelled images. All
// but the seconds has the same bits for any number of threads.
#pragma once

#include <cstdint>

#include "leeway/core/images.h"
#include "leeway/core/progress.h"
#include "leeway/nn/model.h"
#include "leeway/record/inspect.h"

namespace leeway::tasks {

struct InspectTask {
  const nn::Model& model;
  const Images* images = nullptr;  // null: there are none, and made up ones pass
  record::InspectOptions options = {};
  std::uint64_t seed = 0;  // for the record: nothing here is random
};

// Of a file of tensors that does not say its architecture (Session::weights_of_unknown). The record without `command` and `inputs`.
[[nodiscard]] record::Inspect inspect(const nn::WeightsFile& file, const record::InspectOptions& options,
                                      std::uint64_t seed = 0);

[[nodiscard]] record::Inspect inspect(const InspectTask& task, Progress* progress = nullptr);

}  // namespace leeway::tasks
