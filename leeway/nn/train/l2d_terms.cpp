#include "leeway/nn/train/l2d_terms.h"

#include <algorithm>
#include <limits>

#include "leeway/nn/train/kernel_mmd.h"

namespace leeway::nn {
namespace {

// p_ij the share of row j among all others of row i, a_ij what it should be: 1 / the number of i's label where they have the same.
// The loss -mean_i sum_j a_ij log p_ij has by the product of rows i and j the slope (p_ij - a_ij) / (temperature n).
class Contrast : public torch::autograd::Function<Contrast> {
 public:
  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& embeddings,
                               const torch::Tensor& labels) {
    constexpr double temperature = .07;
    const auto n = static_cast<double>(embeddings.size(0));
    const torch::Tensor length = embeddings.norm(2, 1, /*keepdim=*/true).clamp_min_(1e-12);
    const torch::Tensor x = embeddings / length;
    torch::Tensor alike = (labels.unsqueeze(0) == labels.unsqueeze(1)).to(x.scalar_type()).fill_diagonal_(0);
    alike /= alike.sum(1, true);
    const torch::Tensor log_share =
        (x.mm(x.t()) / temperature).fill_diagonal_(-std::numeric_limits<float>::infinity()).log_softmax(1);
    const torch::Tensor share = log_share.exp();
    const torch::Tensor loss = -(alike * log_share.fill_diagonal_(0)).sum() / n;
    const torch::Tensor slope = (share - alike).mul_(1 / (temperature * n));
    context->save_for_backward({x, length, slope + slope.t()});
    return loss;
  }

  static torch::autograd::tensor_list backward(torch::autograd::AutogradContext* context,
                                               const torch::autograd::tensor_list& gradients) {
    const auto saved = context->get_saved_variables();
    const torch::Tensor &x = saved[0], &length = saved[1];
    const torch::Tensor by_x = saved[2].mm(x);  // of which what would lengthen a row changes nothing
    return {torch::addcmul(by_x, x, (by_x * x).sum(1, true), -1).div_(length).mul_(gradients[0]), {}};
  }
};

// A label's rows of a and of b, one after the other, are z. Of products z_i z_j of numbers about their mean, squared distances; of these the sum
// of c_ij k, c = 1 / m^2 within a set and -1 / m^2 between them. By z_i it has the slope sum_j w_ij (z_i - z_j), w = 4 c k', which the
// products become. Up to a width of `least` rows are equal.
double to_weights(torch::Tensor& products, double least) {
  const std::int64_t both = products.size(0), m = both / 2;
  auto* const p = products.data_ptr<double>();
  std::vector<double> squares(static_cast<std::size_t>(both));
  double spread = 0;
  for (std::int64_t i = 0; i < both; ++i) spread += squares[static_cast<std::size_t>(i)] = p[i * both + i];
  // pairs of n rows have squared distances that sum to n times those from the mean, each pair once
  const double width = 2 * spread / static_cast<double>(both - 1);
  if (width <= least) return products.zero_(), 0;
  const KernelSum kernels{.least = 1 / (4 * width), .factor = 2, .count = 5};
  double sum = 0;
  for (std::int64_t i = 0; i < both; ++i)
    for (std::int64_t j = 0; j <= i; ++j) {
      const double squared =
          squares[static_cast<std::size_t>(i)] + squares[static_cast<std::size_t>(j)] - 2 * p[i * both + j];
      const KernelAt k = kernel_at(i == j ? 0 : squared, kernels);
      const double share = ((i < m) == (j < m) ? 1. : -1.) / static_cast<double>(m * m);
      sum += (i == j ? 1 : 2) * share * k.value;
      p[i * both + j] = p[j * both + i] = -4 * share * k.slope;
    }
  return sum;
}

class LabelMmd : public torch::autograd::Function<LabelMmd> {
 public:
  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& a,
                               const torch::Tensor& b, const torch::Tensor& labels) {
    constexpr double rounding = 1e-20;  // between the squares of float64's 1e-16 and of float32's 1e-7
    const auto [sorted, order] =
        labels.cpu().contiguous().sort(/*stable=*/c10::optional<bool>(true), 0, false);
    const auto *const label = sorted.data_ptr<std::int64_t>(), *const row = order.data_ptr<std::int64_t>();
    const std::int64_t n = sorted.numel();
    std::vector<std::int64_t> places, sizes;
    for (std::int64_t first = 0, m = 0; first < n; first += m) {
      m = std::find_if(label + first, label + n, [&](std::int64_t other) { return other != label[first]; }) -
          (label + first);
      places.insert(places.end(), row + first, row + first + m);
      for (std::int64_t i = first; i < first + m; ++i) places.push_back(n + row[i]);
      sizes.push_back(2 * m);
    }
    const torch::Tensor place = torch::tensor(places);
    const torch::Tensor rows = torch::cat({a, b}).cpu().index_select(0, place).to(torch::kFloat64);
    torch::Tensor slopes = torch::empty_like(rows);
    const auto z = rows.split_with_sizes(sizes), slope = slopes.split_with_sizes(sizes);
    double sum = 0;
    for (std::size_t i = 0; i < z.size(); ++i) {
      const torch::Tensor mean = z[i].mean(0, true);
      const torch::Tensor centred = z[i] - mean;  // far from 0 distances would have no digits left
      torch::Tensor weights = centred.mm(centred.t());
      sum += to_weights(weights, rounding * mean.square().sum().item<double>());
      torch::Tensor out = slope[i];
      torch::addmm_out(out, centred * weights.sum(1, true), weights, centred, 1, -1);
    }
    const auto count = static_cast<double>(sizes.size());
    context->save_for_backward(
        {(slopes / count).to(a.scalar_type()).index_select(0, place.argsort()).to(a.device())});
    return torch::full({}, sum / count, a.options());
  }

  static torch::autograd::tensor_list backward(torch::autograd::AutogradContext* context,
                                               const torch::autograd::tensor_list& gradients) {
    const torch::Tensor both = context->get_saved_variables()[0] * gradients[0];
    const std::int64_t n = both.size(0) / 2;
    return {both.slice(0, 0, n), both.slice(0, n), {}};
  }
};

}  // namespace

torch::Tensor supervised_contrast(const torch::Tensor& embeddings, const torch::Tensor& labels) {
  return Contrast::apply(embeddings, labels);
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
  return LabelMmd::apply(a, b, labels);
}

}  // namespace leeway::nn
