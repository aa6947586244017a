// The members of the family of operators, by the file that holds them.
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

// What other operators come to.
[[nodiscard]] Kernel prepare_identity(Call& call);
[[nodiscard]] Kernel prepare_conv(Call& call);

}  // namespace leeway::nn::onnx
