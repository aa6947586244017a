// The state of an unfinished training, in a file beside its result: safetensors with the weights of the last
// epoch
// ("weights.NAME"), those of the best ("best.NAME"), Adam's moments ("first.I", "second.I") and, as metadata
// "state", JSON.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "leeway/core/array.h"
#include "leeway/core/result.h"
#include "leeway/nn/model/architecture.h"
#include "leeway/nn/session.h"
#include "leeway/nn/train/adam.h"

namespace leeway::nn {

struct Course {
  std::vector<Epoch> epochs;  // finished ones
  std::size_t best_epoch = 0;
  ArrayMap best;  // weights of the best epoch
};

// Replaces the file atomically.
void save_state(const std::filesystem::path& path, const Json& plan, const Course& course,
                const Network& network, const Adam& adam);

// The course to go on with, weights and moments restored; nothing where there is no file, or where it does
// not fit: then `note` says why.
struct Restored {
  std::optional<Course> course;
  std::string note;
};
[[nodiscard]] Restored restore_state(const std::filesystem::path& path, const Json& plan, Network& network,
                                     Adam& adam);

}  // namespace leeway::nn
