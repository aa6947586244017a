#include "leeway/nn/train/kmeans.h"

#include <algorithm>

#include "leeway/core/random.h"

namespace leeway::nn {
namespace {

torch::Tensor kmeans_directions(const torch::Tensor& rows) { return torch::nn::functional::normalize(rows); }

// Rows that k-means++ takes as centres.
torch::Tensor first_centres(const torch::Tensor& x, std::size_t clusters, Random random) {
  const auto n = static_cast<std::size_t>(x.size(0));
  std::vector<torch::Tensor> centres{x[static_cast<std::int64_t>(random.below(n))]};
  torch::Tensor distance = torch::full({x.size(0)}, 2., torch::kFloat64);
  while (centres.size() < clusters) {
    distance = torch::minimum(distance, (1 - x.mv(centres.back())).to(torch::kFloat64));
    distance.masked_fill_(distance < 1e-6, 0);  // the same direction but for rounding
    const torch::Tensor sums = distance.cumsum(0);
    const double total = sums[-1].item<double>();
    if (total == 0) break;
    const double place = random.uniform() * total;
    centres.push_back(x[std::min((sums <= place).sum().item<std::int64_t>(), x.size(0) - 1)]);
  }
  return torch::stack(centres);
}

}  // namespace

std::vector<std::int64_t> cosine_kmeans(const torch::Tensor& rows, std::size_t clusters, std::uint64_t seed,
                                        std::uint64_t number) {
  constexpr int most_steps = 100;
  const torch::NoGradGuard no_grad;
  const torch::Tensor x = kmeans_directions(rows.to(torch::kFloat32));
  torch::Tensor centres = first_centres(x, clusters, Random(seed, stream("k-means"), number));
  torch::Tensor nearest;
  for (int step = 0; step < most_steps; ++step) {
    const torch::Tensor now = x.mm(centres.t()).argmax(1);
    if (nearest.defined() && now.equal(nearest)) break;
    nearest = now;
    const torch::Tensor sums = torch::zeros_like(centres).index_add(0, nearest, x);
    const torch::Tensor lost = torch::bincount(nearest, {}, centres.size(0)).eq(0).unsqueeze(1);
    centres = torch::where(lost, centres, kmeans_directions(sums));
  }
  // clusters that have rows, numbered from 0
  const torch::Tensor used = std::get<1>(at::_unique(nearest, /*sorted=*/true, /*return_inverse=*/true));
  return {used.data_ptr<std::int64_t>(), used.data_ptr<std::int64_t>() + used.numel()};
}

}  // namespace leeway::nn
