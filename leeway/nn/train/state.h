// The state of an unfinished training, in a file beside its result: safetensors with what the algorithm keeps
// ("algorithm.NAME"), the weights of the best epoch ("best.NAME") and, as metadata "state", JSON.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "leeway/core/array.h"
#include "leeway/core/result.h"
#include "leeway/nn/train.h"
#include "leeway/nn/train/algorithm.h"

namespace leeway::nn {

struct Course {
  std::vector<Epoch> epochs;  // finished ones
  std::size_t best_epoch = 0;
  ArrayMap best;  // weights of the best epoch
};

// Replaces the file atomically.
void save_state(const std::filesystem::path& path, const Json& plan, const Course& course,
                const Tensors& algorithm);

// The course to go on with, the algorithm restored; nothing where there is no file, or where it does not fit: then `note`
// says why, and the algorithm may have taken a part of it.
struct Restored {
  std::optional<Course> course;
  std::string note;
};
[[nodiscard]] Restored restore_state(const std::filesystem::path& path, const Json& plan,
                                     Algorithm& algorithm);

}  // namespace leeway::nn
