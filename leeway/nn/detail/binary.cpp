#include "leeway/nn/detail/binary.h"

#include <fmt/format.h>

#include "leeway/core/message.h"
#include "leeway/core/probabilities.h"
#include "leeway/nn/detail/tensors.h"

namespace leeway::nn {
namespace {

constexpr double tolerance = 1e-3;  // of rounding, as in probabilities of files

void check_probabilities(const torch::Tensor& values, const std::string& name) {
  const torch::Tensor plain = values.detach();
  const torch::Tensor outside = (plain < -tolerance) | (plain > 1 + tolerance);
  if (!outside.any().item<bool>()) return;
  refuse(name, "probabilities in [0,1] (--binary prob)",
         fmt::format("{:.6g}", plain.masked_select(outside)[0].item<double>()));
}

}  // namespace

torch::Tensor logarithms(const torch::Tensor& probabilities) {
  const torch::Tensor zero = probabilities.le(0);
  return probabilities.masked_fill(zero, 1).log().masked_fill(zero, log_of_zero);
}

bool is_single_output(const torch::Tensor& logits, std::int64_t rows) {
  return logits.dim() > 0 && logits.dim() <= 2 && logits.size(0) == rows && logits.numel() == rows;
}

torch::Tensor two_classes(const torch::Tensor& single, Binary binary, const std::string& name) {
  if (binary == Binary::refuse)
    refuse(name, "at least two classes (for the positive class of two: --binary logit or --binary prob)",
           fmt::format("outputs of shape {}", text_of(single.sizes())));
  const torch::Tensor v = single.view({-1, 1});
  if (binary == Binary::logit) return torch::cat({torch::zeros_like(v), v}, 1);
  check_probabilities(v, name);
  return logarithms(torch::cat({1 - v, v}, 1));
}

}  // namespace leeway::nn
