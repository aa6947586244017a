// Loss terms of learning to diversify (Wang et al., ICCV 2021), functions of embeddings (n,d).
#pragma once

#include <torch/torch.h>

namespace leeway::nn {

// Supervised contrastive loss, temperature .07, rows scaled to length 1: minus the mean log share of rows
// with the same label among all other rows. Every label must occur twice.
[[nodiscard]] torch::Tensor supervised_contrast(const torch::Tensor& embeddings, const torch::Tensor& labels);

// Mean over rows and numbers of (mean - x)^2 / exp(log_variance) + log_variance.
[[nodiscard]] torch::Tensor gaussian_misfit(const torch::Tensor& x, const torch::Tensor& mean,
                                            const torch::Tensor& log_variance);

// (1/2) mean_i sum_j ((mean_ij - x_p(i)j)^2 - (mean_ij - x_ij)^2) / exp(log_variance_ij), p a permutation:
// upper bound on the information of x about its mean (CLUB: Cheng et al., ICML 2020).
[[nodiscard]] torch::Tensor information_bound(const torch::Tensor& x, const torch::Tensor& mean,
                                              const torch::Tensor& log_variance,
                                              const torch::Tensor& permutation);

// Mean over labels of the biased MMD^2 between a label's rows of a and b; kernel sum_i exp(-D / (w 2^(i-2))),
// i = 0, ..., 4; D: squared distance; w: its mean over pairs of different rows, without gradient. 0 if all
// rows are equal. In float64; differentiable once.
[[nodiscard]] torch::Tensor mmd_by_label(const torch::Tensor& a, const torch::Tensor& b,
                                         const torch::Tensor& labels);

}  // namespace leeway::nn
