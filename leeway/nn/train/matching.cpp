#include "leeway/nn/train/matching.h"

#include "leeway/nn/train/kernel_mmd.h"

namespace leeway::nn {
namespace {

torch::Tensor covariance(const torch::Tensor& x) {
  const torch::Tensor centred = x - x.mean(0, /*keepdim=*/true);
  return centred.t().mm(centred) / static_cast<double>(x.size(0) - 1);
}

double width_of(const torch::Tensor& x) { return static_cast<double>(x.size(1)); }

}  // namespace

torch::Tensor coral_distance(const torch::Tensor& a, const torch::Tensor& b) {
  return (a.mean(0) - b.mean(0)).square().mean() + 4 * deep_coral_distance(a, b);
}

torch::Tensor deep_coral_distance(const torch::Tensor& a, const torch::Tensor& b) {
  return (covariance(a) - covariance(b)).square().sum() / (4 * width_of(a) * width_of(a));
}

torch::Tensor mmd_distance(const torch::Tensor& a, const torch::Tensor& b) {
  return kernel_mmd(a, b, {.least = 1e-3, .factor = 10, .count = 7});
}

LossAlgorithm::Objective Matching::objective(const Minibatches& batches) {
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
