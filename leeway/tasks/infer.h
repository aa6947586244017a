// A model's outputs on images. Class names come from the images' file, else from the model.
// Errors (Error): those of Predictor::outputs (nn/predictor.h). Interrupted on request. Cost: a forward pass.
// Same bits for any number of threads.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "leeway/core/array.h"
#include "leeway/core/images.h"
#include "leeway/core/outputs.h"
#include "leeway/core/progress.h"
#include "leeway/data/training_data.h"
#include "leeway/nn/predictor.h"
#include "leeway/record/infer.h"

namespace leeway::tasks {

struct InferTask {
  const nn::Predictor& model;
  const Images& images;
  std::string data = {};  // the file or set that they are from, which may name classes; empty: none
  record::ModelReading options = {};  // how the model was read, for the record
  std::uint64_t seed = 0;             // likewise: nothing here is random
};

struct Inferred {
  record::Infer record;  // without what the caller knows: command, inputs, the files' names, `stochastic`
  Outputs outputs;
};
[[nodiscard]] Inferred infer(const InferTask& task, Progress* progress = nullptr);

// One more set of a record.
void add_set(record::Infer& all, record::Infer one);

// Accuracy on the rows of each word of the split that has any, in the order train, val, test.
[[nodiscard]] std::vector<record::InferredSplit> accuracy_by_split(const Outputs& outputs,
                                                                   const data::RowSplit& split);

// The rows named of every array whose first dimension is n; others are left out.
[[nodiscard]] ArrayMap take_rows(const ArrayMap& arrays, std::size_t n, std::span<const std::size_t> rows);

// An outputs file (.npz). What the images' file says of its rows besides labels goes on: `norms` and `groups` of `of_images`.
void write_outputs(const std::filesystem::path& path, const Outputs& outputs, const ArrayMap& of_images = {});

}  // namespace leeway::tasks
