// The images within eps of the clean image x in l_inf or l_2, and inside the box.
//
// Projections are exact onto the intersection. In l_2 the projection of y is clip(x + t (y - x)), with the
// largest t <= 1 whose distance from x is at most eps. A step of length a goes from z to clip(z + t g) at
// distance a: the other pixels make up for clipped ones. On a linear model these steps reach the worst case,
// from the center in one step. Returned images lie in the ball, measured in float64 on the stored float32
// pixels; rows of any range up to float32 rounding in l_2.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <span>

#include "leeway/nn/attack.h"
#include "leeway/nn/attack/projection.h"

namespace leeway::nn {

class Ball {
 public:
  // clean: (rows,c,h,w) in the box; eps >= 0, finite
  Ball(torch::Tensor clean, Norm norm, double eps, const Box& box = {});

  // Uniform in the ball, then clipped: row i draws from Random(seed, stream, keys[i]).
  [[nodiscard]] torch::Tensor random(std::uint64_t seed, std::uint32_t stream,
                                     std::span<const std::uint64_t> keys) const;

  // Steepest ascent of length `length` from x along `gradient`, projected. Rows without gradient stay.
  [[nodiscard]] torch::Tensor step(const torch::Tensor& x, const torch::Tensor& gradient,
                                   double length) const;

  [[nodiscard]] torch::Tensor project(const torch::Tensor& y) const;

 private:
  torch::Tensor clean_, low_, high_;
  Norm norm_;
  Box box_;
  double eps_, radius_ = 0;  // radius_: of l_2 projections, eps_ less what rounding may add
};

// |a_i - b_i| of every row in float64.
[[nodiscard]] torch::Tensor distances(const torch::Tensor& a, const torch::Tensor& b, Norm norm);

}  // namespace leeway::nn
