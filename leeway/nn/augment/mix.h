// Mixes the images and labels of a batch (mixup, cutmix). No LibTorch here.
//
//   mixup    x~_i = share x_i + (1 - share) x_j
//   cutmix   x~_i = x_j inside a box, x_i outside; share = 1 - area of the box / area of the image
//
// j is a permutation of the batch; y~_i = share y_i + (1 - share) y_j. One share and one box per batch.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "leeway/core/random.h"

namespace leeway::nn::augment {

// Rows [top, bottom) and columns [left, right).
struct Box {
  std::size_t top = 0, left = 0, bottom = 0, right = 0;

  [[nodiscard]] std::size_t area() const { return (bottom - top) * (right - left); }
};

// Sides floor(sqrt(1 - share) side), centered at a uniform pixel, cut at the border.
[[nodiscard]] Box draw_box(double share, std::size_t height, std::size_t width, Random& random);

struct Mix {
  std::vector<std::size_t> partner;  // of each row
  double share = 1;                  // of a row's own image and label, 0 to 1; the partner has the rest
  std::optional<Box> box = {};       // none: a weighted sum
};

// Mixes images (rows,c,h,w) in place, one row per partner. Share 1 or a row's own index changes no bit.
void apply(const Mix& mix, std::span<float> images, const std::array<std::size_t, 3>& shape);

// Beta and Dirichlet draws by inversion (Boost's inverse incomplete beta function). No LibTorch here.

[[nodiscard]] double draw_beta(double a, double b, Random& random);  // in [0,1]
// k shares with sum 1 from the symmetric Dirichlet distribution.
[[nodiscard]] std::vector<double> draw_dirichlet(double alpha, std::size_t k, Random& random);

}  // namespace leeway::nn::augment
