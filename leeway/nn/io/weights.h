// Loads named tensors into networks, and saves networks as safetensors.
//
// Metadata strings: "architecture", "input" (c,h,w; rows: one or two sizes), "classes", "scale", "mean",
// "std" (comma-separated), "training" (JSON), "class_names" (JSON list).
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "leeway/core/array.h"
#include "leeway/nn/model/architecture.h"
#include "leeway/nn/predictor.h"

namespace leeway::nn {

// Copies tensors by name into parameters and buffers. Error, opened by `name`: missing tensors (with the
// nearest unknown), unknown ones, other shapes. num_batches_tracked may be missing.
void copy_weights(const ArrayMap& tensors, Network& network, const std::string& name);

// How well tensors fit a network: names and shapes (whole), names alone, none.
enum class Fit { none, names, whole };
[[nodiscard]] Fit fit_of(const ArrayMap& tensors, const Network& network);

[[nodiscard]] ArrayMap weights_of(const Network& network);

[[nodiscard]] std::map<std::string, std::string> metadata_of(const ModelInfo& info);

// Atomic; the file carries a digest of its content (io/safetensors.h).
void save_weights(const std::filesystem::path& path, const ModelInfo& info, const Network& network);

// Metadata merged over `info`; Error for invalid values.
[[nodiscard]] ModelInfo with_metadata(ModelInfo info, const std::map<std::string, std::string>& metadata);

}  // namespace leeway::nn
