// The biased MMD of two sets of features with a sum of Gaussian kernels, and its gradient.
#pragma once

#include <torch/torch.h>

namespace leeway::nn {

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

}  // namespace leeway::nn
