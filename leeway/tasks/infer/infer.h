// leeway infer: a model's outputs on images, written as an outputs file. Class names come from the images'
// file, else from the model. Keys: leeway schema infer.
// Errors (Error): those of Predictor::outputs (nn/predictor.h). Interrupted on request. Cost: a forward pass.
// Same bits for any number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "leeway/core/array.h"
#include "leeway/core/numbers.h"
#include "leeway/core/progress.h"
#include "leeway/data/training_data.h"
#include "leeway/describe/envelope.h"
#include "leeway/describe/view.h"
#include "leeway/io/images.h"
#include "leeway/io/outputs.h"
#include "leeway/nn/predictor.h"
#include "leeway/tasks/model_reading.h"

namespace leeway::tasks {

// The rows of an index,split file that one of its words names.
struct InferredSplit {
  std::string split;  // train, val or test
  std::size_t n = 0;
  Measured accuracy;  // of images with labels
};

struct InferredSet {
  std::string model, data, out;  // files, as they were given; empty: none
  std::size_t n = 0, k = 0;
  std::size_t parameters = 0;           // numbers that the model holds
  std::optional<std::size_t> features;  // their dimension
  Measured accuracy;                    // of images with labels
  std::optional<nn::Variation> stochastic;
  std::string index, split;           // the rows alone that were asked for; empty: all
  std::vector<InferredSplit> splits;  // of --index without --split
};

struct Infer {
  Envelope envelope = envelope_of("leeway.infer/2");
  ModelReading options;
  std::vector<InferredSet> results;  // by model, by data
};

void fields(Infer& record, Fields& f);

// What was computed, and the accuracy where there are labels; of several sets where it is least.
[[nodiscard]] std::string headline_of(const Infer& record);

struct InferTask {
  const nn::Predictor& model;
  const Images& images;
  std::string data = {};      // the file or set that they are from, which may name classes; empty: none
  ModelReading options = {};  // how the model was read, for the record
  std::uint64_t seed = 0;     // likewise: nothing here is random
};

struct Inferred {
  Infer record;  // without what the caller knows: command, inputs, the files' names, `stochastic`
  Outputs outputs;
};
[[nodiscard]] Inferred infer(const InferTask& task, Progress* progress = nullptr);

void add_set(Infer& all, Infer one);

// Accuracy on the rows of each word of the split that has any, in the order train, val, test.
[[nodiscard]] std::vector<InferredSplit> accuracy_by_split(const Outputs& outputs,
                                                           const data::RowSplit& split);

// The rows named of every array whose first dimension is n; others are left out.
[[nodiscard]] ArrayMap take_rows(const ArrayMap& arrays, std::size_t n, std::span<const std::size_t> rows);

// An outputs file (.npz). What the images' file says of its rows besides labels goes on: `norms` and `groups` of `of_images`.
void write_outputs(const std::filesystem::path& path, const Outputs& outputs, const ArrayMap& of_images = {});

[[nodiscard]] View view(const Infer& record);

}  // namespace leeway::tasks
