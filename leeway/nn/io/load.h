// Models from files, by content.
#pragma once

#include <torch/torch.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "leeway/core/safetensors.h"
#include "leeway/nn/model.h"

namespace leeway::nn {

[[nodiscard]] std::unique_ptr<Model> load_model(const ModelSource& source);

// Session::weights_of_unknown of session.h.
[[nodiscard]] std::optional<WeightsFile> unknown_weights(const ModelSource& source);

// Named tensors and metadata of a checkpoint, safetensors or npz file. Error for TorchScript and ONNX.
struct NamedTensors : Safetensors {
  std::string note;  // which of several networks these are (io/checkpoint.h); empty: the file has one
};
[[nodiscard]] NamedTensors read_named_tensors(const std::filesystem::path& path);

// Sets the number of classes; Error if it differs from FILE.toml.
void take_classes(ModelInfo& info, std::size_t found);

// A TorchScript module that returns logits or (logits, features), in evaluation mode, without optimizations
// that make the first run differ. Unless trusted, it is read and run on confined threads (io/confinement.h);
// Error if the machine cannot, or for devices other than the CPU. A final softmax is removed; if `source`
// gives an image shape and test images still give probabilities, their logarithms are used. Printed output is
// dropped.
[[nodiscard]] std::unique_ptr<Model> load_torchscript(ModelInfo info, const ModelSource& source);

// An ONNX graph on LibTorch (leeway/nn/onnx), for any number of rows; images as (n,c,h,w), (n,h,w,c), (n,h,w)
// or flat rows of shape `images`. Logits and features: io/onnx_head.h.
[[nodiscard]] std::unique_ptr<Model> load_onnx(ModelInfo info, const InputShape& images,
                                               torch::Device device = torch::kCPU);

}  // namespace leeway::nn
