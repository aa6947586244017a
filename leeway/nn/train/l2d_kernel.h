// Passes over the maps of learning to diversify's augmenter (l2d_augmenter.h): one in place of one for every operation. No LibTorch here.
// Bits do not depend on threads. In parallel over images, or over pixels.
#pragma once

#include <cstddef>
#include <span>

namespace leeway::nn {

// s_i = 1 / (1 + exp(-sum_j w_j t_ji)), t = tanh(x), of `count` numbers of at most `most_branches` branches, which become t. The gradient of
// one of them is g_i s_i (1 - s_i) w_j (1 - t_ji^2), g that of s. To 2e-7 of sum_j |w_j|. Error for
// more branches, or another number of weights.
inline constexpr std::size_t most_branches = 8;
void mix_branches(std::span<float* const> branches, std::span<const float> weights, std::size_t count,
                  float* mixed);
void mix_slope(const float* tangents, float weight, const float* mixed, const float* gradient,
               std::size_t count, float* slope);

// Of every map (n,maps,pixels) its numbers less their mean, over their deviation, z, and S z + M with S and M (maps,pixels). The deviation is
// sqrt(variance + 1e-5). `mean` and `inverse`, of the deviation, (n,maps).
struct MapShape {
  std::size_t n, maps, pixels;
};
void scale_maps(const MapShape& shape, const float* x, const float* scale, const float* shift, float* mean,
                float* inverse, float* out);
// Its gradients by x, S and M where that by the output is g.
void scale_maps_slopes(const MapShape& shape, const float* x, const float* scale, const float* mean,
                       const float* inverse, const float* gradient, float* by_x, float* by_scale,
                       float* by_shift);

}  // namespace leeway::nn
