// Images of a batch mixed with each other, their labels likewise: mixup and cutmix. No LibTorch here.
//
//   mixup    x~_i = share x_i + (1 - share) x_j
//   cutmix   x~_i = x_j inside a box, x_i outside; share = 1 - area of the box / area of the image
//
// with j the partner of i, a permutation of the batch, and y~_i = share y_i + (1 - share) y_j. One share and one box a batch.
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

// Sides sqrt(1 - share) of the image's, without fractions, about a uniform pixel, cut at the image's border.
[[nodiscard]] Box draw_box(double share, std::size_t height, std::size_t width, Random& random);

struct Mix {
  std::vector<std::size_t> partner;  // of each row
  double share = 1;                  // of a row's own image and label, 0 to 1; the partner has the rest
  std::optional<Box> box = {};       // none: a weighted sum
};

// Mixes the images (rows,c,h,w), rows the number of partners, in place. Share 1 leaves them bit for bit; so does a row that is its
// own partner.
void apply(const Mix& mix, std::span<float> images, const std::array<std::size_t, 3>& shape);

}  // namespace leeway::nn::augment
