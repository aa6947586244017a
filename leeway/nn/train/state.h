// Saves the state of an unfinished training run in a state file (io/safetensors.h): "algorithm.NAME" tensors,
// the best epoch's weights "best.NAME", metadata "training". Also reuses the weights of an identical training
// run.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "leeway/core/array.h"
#include "leeway/data/training_data.h"
#include "leeway/nn/train.h"
#include "leeway/nn/train/algorithm.h"

namespace leeway::nn {

struct Course : Training {  // its finished epochs
  ArrayMap best = {};       // weights of the best one
  std::size_t pass = 1;     // over the data, from 1
  std::size_t place = 0;    // steps of that pass that were made
};

// Replaces the file atomically; does nothing without a text.
void save_state(const std::filesystem::path& path, const TrainingText& text, const Course& course,
                const Tensors& algorithm);

// The course to resume, with the algorithm restored. Nothing without a file, or if it differs from `planned`:
// then `note` says why, and the algorithm may be partly restored.
struct Restored {
  std::optional<Course> course;
  std::string note;
};
[[nodiscard]] Restored restore_state(const std::filesystem::path& path, const TrainingText& text,
                                     const Training& planned, Algorithm& algorithm);

// The result of an earlier training with the same plan, where `out` is one.
[[nodiscard]] std::optional<TrainResult> reuse(const data::TrainingData& data, const TrainOptions& options,
                                               const std::filesystem::path& out);

}  // namespace leeway::nn
