// Models from files: what a file is, is told by its content.
#pragma once

#include <torch/torch.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "leeway/core/safetensors.h"
#include "leeway/nn/model.h"

namespace leeway::nn {

[[nodiscard]] std::unique_ptr<Model> load_model(const ModelSource& source);

// Session::weights_of_unknown of session.h.
[[nodiscard]] std::optional<WeightsFile> unknown_weights(const ModelSource& source);

// Named tensors of a checkpoint of PyTorch, safetensors or npz, and what a safetensors file says beside them. Error for
// TorchScript and ONNX, whose tensors are a program's.
[[nodiscard]] Safetensors read_named_tensors(const std::filesystem::path& path);

// The number of classes that the weights have; Error where the notes beside them say another.
void take_classes(ModelInfo& info, std::size_t found);

// A TorchScript module, in evaluation mode and without the optimisations that would make a first run differ
// from later ones. It may return logits, or (logits, features). It is a program: unless `source` trusts it, it is read and
// run on threads that can only compute (io/confinement.h), and Error where the machine cannot confine them, and on another
// device than the CPU, whose driver does more than that. A softmax at
// its end is taken off (io/torchscript_head.h); where `source` says the shape of images, a few made up ones are tried:
// results that are probabilities all the same are replaced by their logarithms. What it prints is dropped.
[[nodiscard]] std::unique_ptr<Model> load_torchscript(ModelInfo info, const ModelSource& source);

// An ONNX graph, run on LibTorch's operators (leeway/nn/onnx): any number of rows, whatever batch the file was made
// for; images as (n,c,h,w), (n,h,w,c), (n,h,w) or flat rows, as its input says. Logits and features: io/onnx_head.h. `images`:
// the shape of those at hand, for a file that takes flat rows.
[[nodiscard]] std::unique_ptr<Model> load_onnx(ModelInfo info, const InputShape& images,
                                               torch::Device device = torch::kCPU);

}  // namespace leeway::nn
