// The terms of learning to diversify (Wang et al., ICCV 2021), functions of embeddings (n,d).
#pragma once

#include <torch/torch.h>

namespace leeway::nn {

// Supervised contrast at a temperature of .07 over rows of length 1: minus the mean over rows of the mean, over the other rows with
// its label, of the logarithm of their share among all other rows. Every label must occur twice.
[[nodiscard]] torch::Tensor supervised_contrast(const torch::Tensor& embeddings, const torch::Tensor& labels);

// Mean over rows and numbers of (mean - x)^2 / exp(log_variance) + log_variance.
[[nodiscard]] torch::Tensor gaussian_misfit(const torch::Tensor& x, const torch::Tensor& mean,
                                            const torch::Tensor& log_variance);

// (1/2) mean_i sum_j ((mean_ij - x_p(i)j)^2 - (mean_ij - x_ij)^2) / exp(log_variance_ij): an upper bound on the information that rows of
// x have of their own mean (CLUB: Cheng et al., ICML 2020), p a permutation.
[[nodiscard]] torch::Tensor information_bound(const torch::Tensor& x, const torch::Tensor& mean,
                                              const torch::Tensor& log_variance,
                                              const torch::Tensor& permutation);

// The biased MMD^2 between a label's rows of a and of b with the kernel sum_i exp(-D / (w 2^(i - 2))), i = 0, ..., 4, D the squared distance
// and w its mean over all pairs of different rows of both, without gradient; 0 where all rows are equal. Its mean over the labels there
// are. Computed in float64. To be differentiated once.
[[nodiscard]] torch::Tensor mmd_by_label(const torch::Tensor& a, const torch::Tensor& b,
                                         const torch::Tensor& labels);

}  // namespace leeway::nn
