// The images an attack may reach: within eps of the clean one in l_inf or l_2, and inside [0,1].
//
// Both sets are convex; projections are exact onto their intersection, not onto one after the other. In l_2
// the projection of y is clip(x + t (y - x)), x the clean image, with the largest t <= 1 whose distance from
// x is at most eps (the conditions of optimality), and a step of length a along g goes from z to z + t g with
// the t for which clip(z + t g) is a away from z: what the box cuts off is made up for in the other pixels.
// On a linear model projected ascent with these steps reaches the worst case of ball and box together, from
// the centre in one step; plain clipping does not. Every image returned lies in the ball when its distance is
// measured in float64 on the stored float32 pixels; of rows of any range (Box) to float32's rounding of their values in l_2.
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
