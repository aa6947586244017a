// What leeway inspect computes: what a model's file holds, what it expects, what a pass through it costs on this machine, and
// on labelled images its accuracy.
//
// Errors (Error): those of Model::outputs (nn/predictor.h). A model without gradients, one that answers differently twice, and
// another normalization that suits it better are warnings. Cost: passes of 16 images for a second, and one of the labelled
// images. Seconds are measured; all else has the same bits for any number of threads.
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

// The record without `command` and `inputs`, which the caller knows.
[[nodiscard]] record::Inspect inspect(const InspectTask& task, Progress* progress = nullptr);

}  // namespace leeway::tasks
