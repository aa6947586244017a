#include "leeway/nn/train/l2d_terms.h"

#include <limits>

#include "leeway/nn/train/kernel_mmd.h"

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
  return torch::addcmul(log_variance, (mean - x).square(), (-log_variance).exp()).mean();
}

torch::Tensor information_bound(const torch::Tensor& x, const torch::Tensor& mean,
                                const torch::Tensor& log_variance, const torch::Tensor& permutation) {
  const torch::Tensor other = (mean - x.index_select(0, permutation)).square();
  return (((other - (mean - x).square()) * (-log_variance).exp()).sum(1)).mean() / 2;
}

torch::Tensor scaled_mmd(const torch::Tensor& a, const torch::Tensor& b) {
  const torch::Tensor x = a.to(torch::kFloat64), y = b.to(torch::kFloat64);
  const double width = [&] {
    const torch::NoGradGuard no_grad;
    const torch::Tensor all = torch::cat({x, y});
    // pairs of n rows have squared distances that sum to n times those from the mean, each pair once
    return 2 * (all - all.mean(0)).square().sum().item<double>() / static_cast<double>(all.size(0) - 1);
  }();
  if (width == 0) return torch::zeros({}, a.options());
  return kernel_mmd(x, y, {.least = 1 / (4 * width), .factor = 2, .count = 5}).to(a.scalar_type());
}

torch::Tensor mmd_by_label(const torch::Tensor& a, const torch::Tensor& b, const torch::Tensor& labels) {
  // rows of a label one after the other
  const auto [sorted, order] = labels.cpu().contiguous().sort(/*stable=*/c10::optional<bool>(true), 0, false);
  const torch::Tensor rows = order.to(a.device());
  const torch::Tensor x = a.index_select(0, rows).to(torch::kFloat64),
                      y = b.index_select(0, rows).to(torch::kFloat64);
  const auto* const label = sorted.data_ptr<std::int64_t>();
  std::vector<std::int64_t> sizes;
  for (std::int64_t i = 0; i < sorted.numel(); ++i)
    i > 0 && label[i] == label[i - 1] ? void(++sizes.back()) : sizes.push_back(1);
  const auto of_x = x.split_with_sizes(sizes), of_y = y.split_with_sizes(sizes);
  std::vector<torch::Tensor> found;
  for (std::size_t i = 0; i < sizes.size(); ++i) found.push_back(scaled_mmd(of_x[i], of_y[i]));
  return torch::stack(found).mean().to(a.scalar_type());
}

}  // namespace leeway::nn
