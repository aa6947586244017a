#include "leeway/nn/train/style.h"

#include <vector>

#include "leeway/core/random.h"

namespace leeway::nn {
namespace {

// mu, sigma and (z - mu) / sigma of maps z (n,c,h,w).
struct Style {
  explicit Style(const torch::Tensor& z)
      : cells(z.flatten(2)),
        mean(cells.mean(2, true)),
        deviation(((cells - mean).square().sum(2, true) / static_cast<double>(cells.size(2)) + 1e-5).sqrt()),
        content((cells - mean) / deviation) {}
  torch::Tensor cells, mean, deviation, content;
};

}  // namespace

StyleMix draw_style_mix(std::int64_t n, std::uint64_t seed, std::size_t step, torch::Device device) {
  Random random(seed, stream("exchanged styles"), step);
  const auto order = permutation<std::int64_t>(static_cast<std::size_t>(n), random);
  std::vector<float> share;
  for (std::int64_t i = 0; i < n; ++i) share.push_back(static_cast<float>(random.uniform()));
  return {torch::tensor(order).to(device), torch::tensor(share).to(device)};
}

torch::Tensor with_other_style(const torch::Tensor& z, const StyleMix& mix) {
  const Style own(z);
  const torch::Tensor share = mix.share.view({-1, 1, 1});
  const auto mixed = [&](const torch::Tensor& numbers) {
    return share * numbers + (1 - share) * numbers.index_select(0, mix.order);
  };
  return (own.content * mixed(own.deviation) + mixed(own.mean)).view(z.sizes());
}

torch::Tensor with_other_content(const torch::Tensor& z, const StyleMix& mix) {
  const Style own(z);
  const torch::Tensor content = own.content.detach().index_select(0, mix.order);
  return (content * own.deviation + own.mean).view(z.sizes());
}

}  // namespace leeway::nn
