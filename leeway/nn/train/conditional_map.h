// Combines features and predictions in one vector (Long et al., NeurIPS 2018, section 3.2).
#pragma once

#include <torch/torch.h>

#include <cstdint>

namespace leeway::nn {

// vec(p f') of rows f (n,d) and p (n,k): (n, k d), the first class's d numbers first.
[[nodiscard]] torch::Tensor outer_product(const torch::Tensor& f, const torch::Tensor& p);

// Elementwise (R_f f)(R_p p) / sqrt(r), r numbers; R standard normal by seed. Inner products equal those of
// outer_product in expectation.
class RandomMap : public torch::nn::Module {
 public:
  RandomMap(std::int64_t features, std::int64_t classes, std::int64_t numbers, std::uint64_t seed);
  [[nodiscard]] torch::Tensor forward(const torch::Tensor& f, const torch::Tensor& p) const;

 private:
  torch::Tensor of_features_, of_classes_;  // (d,r) and (k,r), buffers
};

}  // namespace leeway::nn
