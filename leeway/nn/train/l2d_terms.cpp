#include "leeway/nn/train/l2d_terms.h"

#include <limits>

namespace leeway::nn {

torch::Tensor supervised_contrast(const torch::Tensor& embeddings, const torch::Tensor& labels) {
  constexpr double temperature = .07;
  const torch::Tensor x = torch::nn::functional::normalize(embeddings);
  const torch::Tensor self = torch::eye(x.size(0), torch::kBool).to(x.device());
  const torch::Tensor log_share = (x.mm(x.t()) / temperature)
                                      .masked_fill(self, -std::numeric_limits<float>::infinity())
                                      .log_softmax(1)
                                      .masked_fill(self, 0);
  const torch::Tensor alike =
      (labels.unsqueeze(0) == labels.unsqueeze(1)).logical_and(self.logical_not()).to(x.scalar_type());
  return -((alike * log_share).sum(1) / alike.sum(1)).mean();
}

torch::Tensor gaussian_misfit(const torch::Tensor& x, const torch::Tensor& mean,
                              const torch::Tensor& log_variance) {
  return ((mean - x).square() * (-log_variance).exp() + log_variance).mean();
}

torch::Tensor information_bound(const torch::Tensor& x, const torch::Tensor& mean,
                                const torch::Tensor& log_variance, const torch::Tensor& permutation) {
  const torch::Tensor other = (mean - x.index_select(0, permutation)).square();
  return (((other - (mean - x).square()) * (-log_variance).exp()).sum(1)).mean() / 2;
}

torch::Tensor scaled_mmd(const torch::Tensor& a, const torch::Tensor& b) {
  const torch::Tensor all = torch::cat({a, b}).to(torch::kFloat64);
  const auto n = static_cast<double>(all.size(0));
  const torch::Tensor squares = torch::cdist(all, all, 2, /*compute_mode: differences*/ 2).square();
  const double width = squares.sum().item<double>() / (n * n - n);
  if (width == 0) return torch::zeros({}, a.options());
  torch::Tensor kernel = torch::zeros_like(squares);
  for (const double factor : {.25, .5, 1., 2., 4.}) kernel = kernel + (squares / (-width * factor)).exp();
  const auto block = [&](bool first, bool second) {
    const auto part = [&](const torch::Tensor& of, std::int64_t dimension, bool front) {
      return front ? of.slice(dimension, 0, a.size(0)) : of.slice(dimension, a.size(0));
    };
    return part(part(kernel, 0, first), 1, second).mean();
  };
  return (block(true, true) + block(false, false) - 2 * block(true, false)).to(a.scalar_type());
}

torch::Tensor mmd_by_label(const torch::Tensor& a, const torch::Tensor& b, const torch::Tensor& labels) {
  const torch::Tensor present = std::get<0>(at::_unique(labels.cpu()));
  torch::Tensor sum = torch::zeros({}, a.options());
  for (std::int64_t i = 0; i < present.numel(); ++i) {
    const torch::Tensor rows = (labels == present[i].item<std::int64_t>()).nonzero().flatten();
    sum = sum + scaled_mmd(a.index_select(0, rows), b.index_select(0, rows));
  }
  return sum / static_cast<double>(present.numel());
}

}  // namespace leeway::nn
