// Styles and contents of maps, exchanged between the rows of a batch (Nam et al., CVPR 2021).
#pragma once

#include <torch/torch.h>

#include <cstdint>

namespace leeway::nn {

// Whose style or content each row gets, and how much of its own style it keeps.
struct StyleMix {
  torch::Tensor order;  // (n): z' = z[order]
  torch::Tensor share;  // (n), alpha in (0,1)
};
[[nodiscard]] StyleMix draw_style_mix(std::int64_t n, std::uint64_t seed, std::size_t step,
                                      torch::Device device);

// z (n,c,h,w), with mean mu and deviation sigma of each map, or (n,d), with those of the row; sigma^2 is the variance + 1e-5.
// Another style: (z - mu) / sigma times alpha sigma + (1 - alpha) sigma' plus alpha mu + (1 - alpha) mu'; `variance` mixes
// sigma^2, over n - 1 numbers, instead of sigma, as the method's programs do.
[[nodiscard]] torch::Tensor with_other_style(const torch::Tensor& z, const StyleMix& mix, bool variance);

// Another content: sigma (z' - mu') / sigma' + mu, without gradients by z' there.
[[nodiscard]] torch::Tensor with_other_content(const torch::Tensor& z, const StyleMix& mix, bool variance);

}  // namespace leeway::nn
