// The last operators of a TorchScript program: a softmax over the classes is undone, as it is for ONNX (io/onnx_head.h).
#pragma once

#include <torch/csrc/jit/api/function_impl.h>
#include <torch/script.h>

#include <memory>

namespace leeway::nn {

// The program's `forward` without the softmax over dimension 1 or the last that makes its result, or the first of the two
// that it returns (changes of type, copies and the like behind it do not count). Null where its graph, with all calls
// inlined, does not end in one. The function takes (module, images).
[[nodiscard]] std::shared_ptr<torch::jit::GraphFunction> without_softmax(const torch::jit::Module& module);

// Whether rows (n,k), k >= 2, are probabilities: nothing below 0, sums within 1e-3 of 1.
[[nodiscard]] bool are_probabilities(const torch::Tensor& rows);

// log p; of p below the smallest normal number of its type the logarithm of that, with gradient 0.
[[nodiscard]] torch::Tensor logarithms(const torch::Tensor& probabilities);

}  // namespace leeway::nn
