#include "leeway/nn/train/l2d_terms.h"

#include <limits>

#include "leeway/nn/train/kernel_mmd.h"

namespace leeway::nn {

torch::Tensor supervised_contrast(const torch::Tensor& embeddings, const torch::Tensor& labels) {
  constexpr double temperature = .07;
  const torch::Tensor x = torch::nn::functional::normalize(embeddings);
  const torch::Tensor same =
      (labels.unsqueeze(0) == labels.unsqueeze(1)).to(x.scalar_type()).fill_diagonal_(0);
  const torch::Tensor self = torch::eye(x.size(0), labels.options()).to(torch::kBool);
  const torch::Tensor log_share = (x.mm(x.t()) / temperature)
                                      .masked_fill(self, -std::numeric_limits<float>::infinity())
                                      .log_softmax(1)
                                      .masked_fill(self, 0);
  return -(same / same.sum(1, true) * log_share).sum() / static_cast<double>(x.size(0));
}

torch::Tensor gaussian_misfit(const torch::Tensor& x, const torch::Tensor& mean,
                              const torch::Tensor& log_variance) {
  return torch::addcmul(log_variance, (mean - x).square(), (-log_variance).exp()).mean();
}

torch::Tensor information_bound(const torch::Tensor& x, const torch::Tensor& mean,
                                const torch::Tensor& log_variance, const torch::Tensor& permutation) {
  const torch::Tensor other = (mean - x.index_select(0, permutation)).square();
  return (((other - (mean - x).square()) * (-log_variance).exp()).sum(1)).mean() / 2;
}

torch::Tensor mmd_by_label(const torch::Tensor& a, const torch::Tensor& b, const torch::Tensor& labels) {
  constexpr double rounding = 1e-20;  // between the squares of float64's 1e-16 and of float32's 1e-7
  const torch::Tensor present = std::get<0>(torch::_unique(labels));
  torch::Tensor sum = torch::zeros({}, a.options().dtype(torch::kFloat64));
  for (std::int64_t i = 0; i < present.numel(); ++i) {
    const torch::Tensor rows = (labels == present[i]).nonzero().flatten();
    const torch::Tensor x = a.index_select(0, rows).to(torch::kFloat64),
                        y = b.index_select(0, rows).to(torch::kFloat64);
    const torch::Tensor both = torch::cat({x, y}).detach(), mean = both.mean(0, /*keepdim=*/true);
    // the squared distances of all pairs of n rows sum to n times those from the mean
    const double width =
        2 * (both - mean).square().sum().item<double>() / static_cast<double>(both.size(0) - 1);
    if (width <= rounding * mean.square().sum().item<double>()) continue;
    sum = sum + kernel_mmd(x, y, {.least = 1 / (4 * width), .factor = 2, .count = 5});
  }
  return (sum / static_cast<double>(present.numel())).to(a.scalar_type());
}

}  // namespace leeway::nn
