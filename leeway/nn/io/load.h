// Models from files, by content.
#pragma once

#include <torch/torch.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "leeway/nn/detail/torch_model.h"
#include "leeway/nn/io/checkpoint.h"
#include "leeway/nn/model.h"

namespace leeway::nn {

[[nodiscard]] std::unique_ptr<Model> load_model(const ModelSource& source);

// Session::weights_of_unknown of session.h.
[[nodiscard]] std::optional<WeightsFile> unknown_weights(const ModelSource& source);

// Of a checkpoint, safetensors or npz file. Error for programs.
[[nodiscard]] NamedTensors read_named_tensors(const std::filesystem::path& path);

// "ONNX", "TorchScript" or "a .pt2 archive": formats of programs, in messages.
[[nodiscard]] std::string words_for_format(const std::string& format);

// Sets the number of classes; Error if it differs from FILE.toml.
void take_classes(ModelInfo& info, std::size_t found);

// What runs the program of a file: normalized images to outputs, from several threads at once.
struct LoadedProgram {
  ModelInfo info;
  ForwardFunction forward;
};

// A TorchScript module that returns logits or (logits, features), in evaluation mode, without optimizations
// that make the first run differ. A final softmax is removed; if `images` is known and test images still give
// probabilities, their logarithms are used. Printed output is dropped. `before_running` is called after the
// file is opened and before anything of it is executed.
[[nodiscard]] LoadedProgram load_torchscript(ModelInfo info, const InputShape& images, torch::Device device,
                                             const std::function<void()>& before_running);

// An ONNX graph on LibTorch (leeway/nn/onnx), for any number of rows; images as (n,c,h,w), (n,h,w,c), (n,h,w)
// or flat rows of shape `images`. Logits and features: io/onnx_head.h.
[[nodiscard]] LoadedProgram load_onnx(ModelInfo info, const InputShape& images, torch::Device device,
                                      const std::function<void()>& before_running);

// An archive of torch.export, otherwise like load_onnx.
[[nodiscard]] LoadedProgram load_pt2(ModelInfo info, const InputShape& images, torch::Device device,
                                     const std::function<void()>& before_running);

// The one of these that info.format names.
[[nodiscard]] LoadedProgram load_program(ModelInfo info, const InputShape& images, torch::Device device,
                                         const std::function<void()>& before_running);

}  // namespace leeway::nn
