// What leeway adapt computes: a model whose batch normalization has the statistics of other images (nn/model.h). Labels of the
// images are never looked at.
//
// Errors (Error): those of Model::adapt and Model::save. Interrupted, where `progress` asks to stop: nothing is written. Cost:
// a forward pass for each layer of batch normalization.
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
