// The operators by file.
#pragma once

#include "leeway/nn/onnx/operator.h"

namespace leeway::nn::onnx {

[[nodiscard]] std::span<const Operator> branches_operators();
[[nodiscard]] std::span<const Operator> convolution_operators();
[[nodiscard]] std::span<const Operator> elementwise_operators();
[[nodiscard]] std::span<const Operator> normalization_operators();
[[nodiscard]] std::span<const Operator> places_operators();
[[nodiscard]] std::span<const Operator> quantized_operators();
[[nodiscard]] std::span<const Operator> recurrent_operators();
[[nodiscard]] std::span<const Operator> reductions_operators();
[[nodiscard]] std::span<const Operator> resize_operators();
[[nodiscard]] std::span<const Operator> shapes_operators();
[[nodiscard]] std::span<const Operator> values_operators();

// Used by other operators.
[[nodiscard]] Kernel prepare_identity(Call& call);
[[nodiscard]] Kernel prepare_conv(Call& call);

// Converts negative indices to nonnegative ones, int64.
[[nodiscard]] torch::Tensor nonnegative(const torch::Tensor& indices, std::int64_t size);

// Pads in ONNX's order onto the last dimensions; negative ones crop.
[[nodiscard]] torch::Tensor padded(const torch::Tensor& x, const Integers& pads, const at::Scalar& value);

}  // namespace leeway::nn::onnx
