// Models with one output a row, which speaks for the positive class of two, as models of two classes.
//
//   logit v:       (0, v)               prob v:  (log(1 - v), log v)
//
// as core/outputs.h has it of files; gradients follow. A probability of exactly 0 or 1 has a logarithm of the smallest
// normal number in place of that of 0, and no gradient there.
#pragma once

#include <torch/torch.h>

#include <string>

#include "leeway/core/outputs.h"

namespace leeway::nn {

// Whether logits of `rows` images are one number a row: (rows) or (rows,1).
[[nodiscard]] bool is_single_output(const torch::Tensor& logits, std::int64_t rows);

// (rows) or (rows,1) to (rows,2). Error (named `name`) where `binary` does not say what the number is, and for
// probabilities more than .001 outside [0,1].
[[nodiscard]] torch::Tensor two_classes(const torch::Tensor& single, Binary binary, const std::string& name);

}  // namespace leeway::nn
