// Features and predictions as one vector (Long et al., NeurIPS 2018, section 3.2).
#pragma once

#include <torch/torch.h>

#include <cstdint>

namespace leeway::nn {

// vec(p f') of rows f (n,d) and p (n,k): (n, k d), the d numbers of the first class first.
[[nodiscard]] torch::Tensor outer_product(const torch::Tensor& f, const torch::Tensor& p);

// (R_f f)(R_p p) / sqrt(r), number by number, of r numbers; R standard normal, a function of the seed. Its products of two rows are in
// the mean over R those of outer_product.
class RandomMap : public torch::nn::Module {
 public:
  RandomMap(std::int64_t features, std::int64_t classes, std::int64_t numbers, std::uint64_t seed);
  [[nodiscard]] torch::Tensor forward(const torch::Tensor& f, const torch::Tensor& p) const;

 private:
  torch::Tensor of_features_, of_classes_;  // (d,r) and (k,r), buffers
};

}  // namespace leeway::nn
