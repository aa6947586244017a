#include "leeway/nn/train/parts.h"

#include <algorithm>
#include <map>
#include <utility>

namespace leeway::nn {
namespace {

// The objective of every image, (b).
torch::Tensor ascent_objective(const Forward& found, const torch::Tensor& z, const torch::Tensor& y,
                               const Ascent& ascent) {
  const torch::Tensor log_p = found.logits.log_softmax(1);
  torch::Tensor gain = -log_p.gather(1, y.unsqueeze(1)).squeeze(1) -
                       ascent.gamma * (found.features - z).flatten(1).square().mean(1);
  if (ascent.entropy > 0) gain = gain - ascent.entropy * (log_p.exp() * log_p).sum(1);
  return gain;
}

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

bool belong(std::int64_t label, std::int32_t environment, std::int64_t other_label,
            std::int32_t other_environment, bool same_label) {
  return (label == other_label) == same_label && (environment == other_environment) != same_label;
}

}  // namespace

Ascended ascended(const ForwardFunction& forward, const torch::Tensor& x, const torch::Tensor& y,
                  const Ascent& ascent) {
  const torch::NoGradGuard no_grad;
  const Forward given = forward(x);
  torch::Tensor image = x;
  for (std::size_t step = 0; step < ascent.steps; ++step) {
    const torch::AutoGradMode with_gradients(true);
    image = image.detach().clone().requires_grad_();
    const torch::Tensor gain = ascent_objective(forward(image), given.features, y, ascent).sum();
    image = image.detach() + ascent.rate * torch::autograd::grad({gain}, {image})[0];
  }
  image = image.detach().clamp(0, 1);
  return {image, ascent_objective(forward(image), given.features, y, ascent) >
                     ascent_objective(given, given.features, y, ascent)};
}

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

Partners::Partners(std::span<const std::int64_t> rows, const std::vector<std::int64_t>& labels,
                   const std::vector<std::int32_t>& environments) {
  std::map<std::pair<std::int64_t, std::int32_t>, std::vector<std::int64_t>> pools;
  for (const std::int64_t row : rows) {
    const auto at = static_cast<std::size_t>(row);
    pools[{labels[at], environments[at]}].push_back(row);
  }
  for (auto& [key, members] : pools) pools_.push_back({key.first, key.second, std::move(members)});
}

bool Partners::any(bool same_label) const {
  return std::ranges::any_of(pools_, [&](const Pool& a) {
    return std::ranges::any_of(pools_, [&](const Pool& b) {
      return belong(a.label, a.environment, b.label, b.environment, same_label);
    });
  });
}

std::optional<std::int64_t> Partners::draw(std::int64_t label, std::int32_t environment, bool same_label,
                                           Random& random) const {
  std::vector<const Pool*> fit;
  for (const Pool& pool : pools_)
    if (belong(label, environment, pool.label, pool.environment, same_label)) fit.push_back(&pool);
  if (fit.empty()) return std::nullopt;
  const Pool& pool = *fit[random.below(fit.size())];
  return pool.rows[random.below(pool.rows.size())];
}

}  // namespace leeway::nn
