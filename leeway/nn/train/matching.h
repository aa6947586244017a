// Distances between two sets of features, and training that minimizes them between environments.
#pragma once

#include <torch/torch.h>

#include <vector>

#include "leeway/nn/train/algorithm.h"

namespace leeway::nn {

// The biased MMD of two sets of features with a sum of Gaussian kernels, and its gradient.

// k(D) = sum_{i < count} exp(-g_i D), g_0 = least, g_(i+1) = factor g_i, factor 2 or 10.
struct KernelSum {
  double least = 1;
  int factor = 2, count = 1;
};

// mean k(a,a') + mean k(b,b') - 2 mean k(a,b) of squared distances between rows of a (m,d) and b (n,d),
// float64, equal rows included; 0 if a = b. Errors: distances 1e-15 of the largest from the mean of b,
// kernels 1e-10. Differentiable once. Threads: those of matrix products.
[[nodiscard]] torch::Tensor kernel_mmd(const torch::Tensor& a, const torch::Tensor& b,
                                       const KernelSum& kernels);

// Between rows of a (m,d) and b (n,d), in float64 because of cancellation.

// |mean a - mean b|^2 / d + |cov a - cov b|^2 / d^2, unbiased covariances, Frobenius norm.
[[nodiscard]] torch::Tensor coral_distance(const torch::Tensor& a, const torch::Tensor& b);
// |cov a - cov b|^2 / (4 d^2)
[[nodiscard]] torch::Tensor deep_coral_distance(const torch::Tensor& a, const torch::Tensor& b);
// mean k(a,a') + mean k(b,b') - 2 mean k(a,b), equal rows included; k = sum_g exp(-g |x - y|^2), g = .001,
// .01, ..., 1000.
[[nodiscard]] torch::Tensor mmd_distance(const torch::Tensor& a, const torch::Tensor& b);

// mean_e CE_e + weight P(Z_1, ..., Z_E): mean cross-entropy and features of environment e. All environments
// share one pass and its batch statistics.
class Matching : public Algorithm {
 public:
  using Distance = torch::Tensor (*)(const torch::Tensor&, const torch::Tensor&);
  Matching(const AlgorithmSetting& setting, Distance chosen) : Algorithm(setting), distance_(chosen) {}
  Objective objective(const Minibatches& batches) override;

 protected:
  // P; default: mean distance over all pairs, 0 for one environment.
  [[nodiscard]] virtual torch::Tensor penalty(const std::vector<torch::Tensor>& features,
                                              std::size_t step) const;
  [[nodiscard]] torch::Tensor between(const torch::Tensor& a, const torch::Tensor& b) const {
    return distance_(a.to(torch::kFloat64), b.to(torch::kFloat64)).to(a.scalar_type());
  }

 private:
  Distance distance_;
};

[[nodiscard]] Parameter matching_weight();
[[nodiscard]] Requirements matching_needs(const Parameters& parameters);

}  // namespace leeway::nn
