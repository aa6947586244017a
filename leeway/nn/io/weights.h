// Weights by name: files of named tensors into networks, and networks into safetensors.
//
// Saved metadata (strings): "architecture", "input" (c,h,w; of rows their one or two sizes), "classes", "scale", "mean", "std" (numbers
// separated by commas), "training" (JSON).
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "leeway/core/array.h"
#include "leeway/nn/model/architecture.h"
#include "leeway/nn/predictor.h"

namespace leeway::nn {

// Copies tensors into the parameters and buffers of the same names. `name` opens error messages: Error for
// tensors that are missing (with the nearest of the unknown), unknown, or of another shape, naming them. The
// counters num_batches_tracked may be missing.
void copy_weights(const ArrayMap& tensors, Network& network, const std::string& name);

// How far the tensors are those of a network: whole: names and shapes; names: these alone; none.
enum class Fit { none, names, whole };
[[nodiscard]] Fit fit_of(const ArrayMap& tensors, const Network& network);

[[nodiscard]] ArrayMap weights_of(const Network& network);

// Written atomically.
void save_weights(const std::filesystem::path& path, const ModelInfo& info, const Network& network);

[[nodiscard]] std::map<std::string, std::string> metadata_of(const ModelInfo& info);

// What metadata says, over what `info` holds already; Error for values that make no sense.
[[nodiscard]] ModelInfo with_metadata(ModelInfo info, const std::map<std::string, std::string>& metadata);

}  // namespace leeway::nn
