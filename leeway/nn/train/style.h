// Style and content randomization of feature maps (Nam et al., CVPR 2021, section 3.1).
#pragma once

#include <torch/torch.h>

#include <cstdint>

namespace leeway::nn {

// For each row: the row that gives style or content, and the share of its own style that it keeps.
struct StyleMix {
  torch::Tensor order;  // (n), a permutation: z' = z[order]
  torch::Tensor share;  // (n), alpha in (0,1)
};
[[nodiscard]] StyleMix draw_style_mix(std::int64_t n, std::uint64_t seed, std::size_t step,
                                      torch::Device device);

// Maps z (n,c,h,w) with mean mu and standard deviation sigma of each map, sigma^2 = variance + 1e-5.
// SR(z) = (alpha sigma + (1 - alpha) sigma') (z - mu) / sigma + alpha mu + (1 - alpha) mu'.
[[nodiscard]] torch::Tensor with_other_style(const torch::Tensor& z, const StyleMix& mix);

// CR(z) = sigma (z' - mu') / sigma' + mu, where (z' - mu') / sigma' has no gradient.
[[nodiscard]] torch::Tensor with_other_content(const torch::Tensor& z, const StyleMix& mix);

}  // namespace leeway::nn
