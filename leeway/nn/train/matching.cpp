#include "leeway/nn/train/matching.h"

#include <algorithm>
#include <cmath>

namespace leeway::nn {
namespace {

// e^factor
double powered(double e, int factor) {
  const double square = e * e;
  if (factor == 2) return square;
  const double fourth = square * square;
  return fourth * fourth * square;
}

// k(D) and -k'(D), D a squared distance. Powers of one exponential: for seven kernels rounding reaches 1e-10.
struct KernelAt {
  double value, slope;
};
KernelAt kernel_at(double squared, const KernelSum& kernels) {
  double e = std::exp(-kernels.least * std::max(squared, 0.)), g = kernels.least;
  KernelAt k{e, g * e};
  for (int step = 1; step < kernels.count && e > 0; ++step) {
    e = powered(e, kernels.factor), g *= kernels.factor;
    k.value += e, k.slope += g * e;
  }
  return k;
}

// Squared distances become `scale` times the slope of the mean of k, which is returned.
double to_slopes(torch::Tensor& squares, const KernelSum& kernels, double scale) {
  double sum = 0;
  auto* const d = squares.data_ptr<double>();
  const std::int64_t n = squares.numel();
  for (std::int64_t i = 0; i < n; ++i) {
    const KernelAt k = kernel_at(d[i], kernels);
    sum += k.value;
    d[i] = -scale / static_cast<double>(n) * k.slope;
  }
  return sum / static_cast<double>(n);
}

class KernelMmd : public torch::autograd::Function<KernelMmd> {
 public:
  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& a,
                               const torch::Tensor& b, double least, std::int64_t factor,
                               std::int64_t count) {
    const KernelSum kernels{least, static_cast<int>(factor), static_cast<int>(count)};
    // |x|^2 + |y|^2 - 2 x y about a mean: far from 0 it would have no digits left
    const torch::Tensor mean = b.mean(0, /*keepdim=*/true), x = a - mean, y = b - mean;
    const torch::Tensor xx = x.square().sum(1, true), yy = y.square().sum(1, true);
    const auto squares = [](const torch::Tensor& one, const torch::Tensor& norms, const torch::Tensor& other,
                            const torch::Tensor& other_norms) {
      return (norms + other_norms.t()).addmm_(one, other.t(), 1, -2);
    };
    torch::Tensor within_x = squares(x, xx, x, xx), within_y = squares(y, yy, y, yy),
                  between = squares(x, xx, y, yy);
    // 2 (x_i - y_j) is the slope of a distance; a pair within a set is there twice
    const double value = to_slopes(within_x, kernels, 4) + to_slopes(within_y, kernels, 4) -
                         2 * to_slopes(between, kernels, -4);
    context->save_for_backward({x, y, within_x, within_y, between});
    return torch::full({}, value, a.options());
  }

  static torch::autograd::tensor_list backward(torch::autograd::AutogradContext* context,
                                               const torch::autograd::tensor_list& gradients) {
    const auto saved = context->get_saved_variables();
    const torch::Tensor &x = saved[0], &y = saved[1];
    // sum_j own_ij (x_i - x_j) + sum_j across_ij (x_i - y_j)
    const auto pull = [&](const torch::Tensor& own, const torch::Tensor& across, const torch::Tensor& one,
                          const torch::Tensor& other) {
      return (one * (own.sum(1, true) + across.sum(1, true)))
          .addmm_(own, one, 1, -1)
          .addmm_(across, other, 1, -1)
          .mul_(gradients[0]);
    };
    return {pull(saved[2], saved[4], x, y), pull(saved[3], saved[4].t(), y, x), {}, {}, {}};
  }
};

torch::Tensor covariance(const torch::Tensor& x) {
  const torch::Tensor centred = x - x.mean(0, /*keepdim=*/true);
  return centred.t().mm(centred) / static_cast<double>(x.size(0) - 1);
}

double width_of(const torch::Tensor& x) { return static_cast<double>(x.size(1)); }

}  // namespace

torch::Tensor kernel_mmd(const torch::Tensor& a, const torch::Tensor& b, const KernelSum& kernels) {
  return KernelMmd::apply(a.cpu(), b.cpu(), kernels.least, static_cast<std::int64_t>(kernels.factor),
                          static_cast<std::int64_t>(kernels.count))
      .to(a.device());
}

torch::Tensor coral_distance(const torch::Tensor& a, const torch::Tensor& b) {
  return (a.mean(0) - b.mean(0)).square().mean() + 4 * deep_coral_distance(a, b);
}

torch::Tensor deep_coral_distance(const torch::Tensor& a, const torch::Tensor& b) {
  return (covariance(a) - covariance(b)).square().sum() / (4 * width_of(a) * width_of(a));
}

torch::Tensor mmd_distance(const torch::Tensor& a, const torch::Tensor& b) {
  return kernel_mmd(a, b, {.least = 1e-3, .factor = 10, .count = 7});
}

Algorithm::Objective Matching::objective(const Minibatches& batches) {
  const Forward found = forward(batches.labelled.x);
  std::vector<torch::Tensor> features;
  torch::Tensor risk;
  std::int64_t begin = 0;
  for (const Batch& environment : batches.environments) {
    const std::int64_t end = begin + environment.y.size(0);
    const torch::Tensor one = mean_loss(found.logits.slice(0, begin, end), environment);
    risk = risk.defined() ? risk + one : one;
    features.push_back(found.features.slice(0, begin, end));
    begin = end;
  }
  risk = risk / static_cast<double>(batches.environments.size());
  const double weight = parameter("weight");
  if (weight == 0) return {risk, found.logits};
  const torch::Tensor distance = penalty(features, batches.step);
  return {risk + weight * distance,
          found.logits,
          {{"risk", risk.item<double>()}, {"penalty", distance.item<double>()}}};
}

torch::Tensor Matching::penalty(const std::vector<torch::Tensor>& features, std::size_t /*step*/) const {
  torch::Tensor sum = torch::zeros({}, features.front().options());
  const std::size_t count = features.size();
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = i + 1; j < count; ++j) sum = sum + between(features[i], features[j]);
  return count < 2 ? sum : sum / static_cast<double>(count * (count - 1) / 2);
}

Parameter matching_weight() {
  return {"weight", 1, 0, 1e6, "weight of the distance; 0: only the mean loss of the environments"};
}

Requirements matching_needs(const Parameters& /*parameters*/) {
  return {.environments = 2, .least_rows = 2, .features = true};
}

}  // namespace leeway::nn
