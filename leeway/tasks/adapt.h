// Recomputes a model's batch normalization statistics on other images (nn/model.h). Never uses their labels.
// Errors (Error): those of Model::adapt and Model::save. Interrupted on request: nothing is written. Cost: a
// forward pass for each layer of batch normalization.
#pragma once

#include <cstdint>
#include <filesystem>

#include "leeway/core/images.h"
#include "leeway/core/progress.h"
#include "leeway/nn/model.h"
#include "leeway/record/adapt.h"

namespace leeway::tasks {

struct AdaptTask {
  const nn::Model& model;
  const Images& images;
  std::filesystem::path out;  // .safetensors
  record::AdaptOptions options = {};
  std::uint64_t seed = 0;  // recorded; the statistics do not depend on it
};

// Without what the caller knows: command, inputs, the files' names.
[[nodiscard]] record::Adapt adapt(const AdaptTask& task, Progress* progress = nullptr);

}  // namespace leeway::tasks
