// leeway adapt: recomputes a model's batch normalization statistics on other images (nn/model.h). Never uses
// their labels. Keys: leeway schema adapt.
// Errors (Error): those of Model::adapt and Model::save. Interrupted on request: nothing is written. Cost: a
// forward pass for each layer of batch normalization.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/progress.h"
#include "leeway/describe/envelope.h"
#include "leeway/describe/view.h"
#include "leeway/io/images.h"
#include "leeway/nn/model.h"

namespace leeway::tasks {

inline constexpr std::string_view adapt_schema = "leeway.adapt/3";

struct AdaptOptions {
  std::string method = "batchnorm";
};

struct AdaptedModel {
  std::string model, data, out;  // files, as they were given; empty: none
  std::size_t n = 0;
  double mean_shift = 0, variance_ratio = 1;
  std::vector<nn::AdaptedLayer> layers;
};

using Adapt = RecordOf<adapt_schema, AdaptOptions, AdaptedModel>;

void fields(AdaptOptions& options, Fields& f);
void fields(AdaptedModel& model, Fields& f);

// How many layers have new statistics, and how far these are from the old ones; which layer moved most.
[[nodiscard]] std::string headline_of(const Adapt& record);
[[nodiscard]] std::vector<std::string> findings_of(const Adapt& record);

struct AdaptTask {
  const nn::Model& model;
  const Images& images;
  std::filesystem::path out;  // .safetensors
  AdaptOptions options = {};
  std::uint64_t seed = 0;  // recorded; the statistics do not depend on it
};

// Without what the caller knows: command, inputs, the files' names.
[[nodiscard]] Adapt adapt(const AdaptTask& task, Progress* progress = nullptr);

[[nodiscard]] View view(const Adapt& record);

}  // namespace leeway::tasks
