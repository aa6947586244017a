// The state of an unfinished training, in a file beside its result: safetensors with what the algorithm keeps
// ("algorithm.NAME"), the weights of the best epoch ("best.NAME") and, as metadata "training", its course so far.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "leeway/core/array.h"
#include "leeway/nn/train.h"
#include "leeway/nn/train/algorithm.h"

namespace leeway::nn {

struct Course : Training {  // its finished epochs
  ArrayMap best = {};       // weights of the best one
  std::size_t pass = 1;     // over the data, from 1
  std::size_t place = 0;    // steps of that pass that were made
};

// Replaces the file atomically; without a text there is none.
void save_state(const std::filesystem::path& path, const TrainingText& text, const Course& course,
                const Tensors& algorithm);

// The course to go on with, the algorithm restored; nothing where there is no file, or where it is not of `planned`: then
// `note` says why, and the algorithm may have taken a part of it.
struct Restored {
  std::optional<Course> course;
  std::string note;
};
[[nodiscard]] Restored restore_state(const std::filesystem::path& path, const TrainingText& text,
                                     const Training& planned, Algorithm& algorithm);

}  // namespace leeway::nn
