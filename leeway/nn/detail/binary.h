// Converts models with one output per row, for the positive class of two, to models of two classes.
//
//   logit v:       (0, v)               prob v:  (log(1 - v), log v)
//
// Probabilities become logarithms(), as those of a file do.
#pragma once

#include <torch/torch.h>

#include <string>

#include "leeway/core/outputs.h"

namespace leeway::nn {

// log p; of p = 0 the number log_of_zero (core/probabilities.h), without gradient.
[[nodiscard]] torch::Tensor logarithms(const torch::Tensor& probabilities);

// Whether logits of `rows` images are one number a row: (rows) or (rows,1).
[[nodiscard]] bool is_single_output(const torch::Tensor& logits, std::int64_t rows);

// (rows) or (rows,1) to (rows,2). Error, opened by `name`: Binary::refuse, or probabilities more than .001
// outside [0,1].
[[nodiscard]] torch::Tensor two_classes(const torch::Tensor& single, Binary binary, const std::string& name);

}  // namespace leeway::nn
