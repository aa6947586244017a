#include "leeway/nn/train/style.h"

#include <algorithm>
#include <vector>

#include "leeway/core/random.h"

namespace leeway::nn {
namespace {

// z as (n,maps,cells), its mean, its variance, its deviation, and (z - mean) / deviation.
struct Style {
  Style(const torch::Tensor& z, bool unbiased)
      : cells(z.dim() == 4 ? z.flatten(2) : z.unsqueeze(1)),
        mean(cells.mean(2, true)),
        variance((cells - mean).square().sum(2, true) /
                     static_cast<double>(std::max<std::int64_t>(cells.size(2) - (unbiased ? 1 : 0), 1)) +
                 1e-5),
        deviation(variance.sqrt()),
        content((cells - mean) / deviation) {}
  torch::Tensor cells, mean, variance, deviation, content;
};

}  // namespace

StyleMix draw_style_mix(std::int64_t n, std::uint64_t seed, std::size_t step, torch::Device device) {
  Random random(seed, stream("exchanged styles"), step);
  const auto order = permutation<std::int64_t>(static_cast<std::size_t>(n), random);
  std::vector<float> share;
  for (std::int64_t i = 0; i < n; ++i) share.push_back(static_cast<float>(random.uniform()));
  return {torch::tensor(order).to(device), torch::tensor(share).to(device)};
}

torch::Tensor with_other_style(const torch::Tensor& z, const StyleMix& mix, bool variance) {
  const Style own(z, variance);
  const torch::Tensor share = mix.share.view({-1, 1, 1});
  const auto mixed = [&](const torch::Tensor& numbers) {
    return share * numbers + (1 - share) * numbers.index_select(0, mix.order);
  };
  const torch::Tensor deviation = variance ? mixed(own.variance).sqrt() : mixed(own.deviation);
  return (own.content * deviation + mixed(own.mean)).view(z.sizes());
}

torch::Tensor with_other_content(const torch::Tensor& z, const StyleMix& mix, bool variance) {
  const Style own(z, variance);
  const torch::Tensor content = own.content.detach().index_select(0, mix.order);
  return (content * own.deviation + own.mean).view(z.sizes());
}

}  // namespace leeway::nn
