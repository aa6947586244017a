// Projection of perturbations: the geometry that attacks share.
//
// The point of {u: |u|_p <= r, 0 <= x + u <= 1} nearest in l_2 to v, exact up to float32 rounding. clip(v) is
// the nearest point of the box, b the room to the box on the side of v:
//   linf   clip(v, -r, r) inside the box
//   l2     clip(t v) with the largest t <= 1 of length at most r
//   l1     sign(v) min(max(|v| - c, 0), b) of length r, c >= 0 (Duchi et al., ICML 2008, has no box)
//   l0     clip(v) in the floor(r) coordinates with the largest v^2 - (v - clip(v))^2, 0 elsewhere
// Deterministic; rows are independent. Cost: a sort for l1 and l0, a few passes for the others.
#pragma once

#include <torch/torch.h>

#include "leeway/nn/attack.h"

namespace leeway::nn {

// Range of values: pixels [0,1]; otherwise bounds whose squares fit in float32.
struct Box {
  double low = 0, high = 1;

  [[nodiscard]] bool unbounded() const { return low < 0; }
};
inline constexpr double farthest_value = 1e12;
inline constexpr Box anywhere{-farthest_value, farthest_value};

// A number a row, shaped to multiply images.
[[nodiscard]] inline torch::Tensor per_row(const torch::Tensor& values) { return values.view({-1, 1, 1, 1}); }

// The norm a row of images, moves or gradients, (rows) float64.
[[nodiscard]] torch::Tensor norms_of(const torch::Tensor& rows, Norm norm);

// Dual norm, |g.u| <= |u| |g|. l0 has none.
[[nodiscard]] constexpr Norm dual_of(Norm norm) {
  return norm == Norm::linf ? Norm::l1 : norm == Norm::l1 ? Norm::linf : Norm::l2;
}

// moves and clean: (rows,c,h,w), clean in the box; radius: (rows), at least 0, may be infinite.
[[nodiscard]] torch::Tensor project_moves(const torch::Tensor& moves, const torch::Tensor& clean,
                                          const torch::Tensor& radius, Norm norm, const Box& box = {});

// Distance from x to the box along `direction`.
[[nodiscard]] torch::Tensor room_along(const torch::Tensor& x, const torch::Tensor& direction,
                                       const Box& box = {});

// Per row, the t >= 0 for which min(t |d|, room) has l_2 length `radius`; infinity if |room| is shorter.
// Radius: a number, or a tensor of one a row.
template <class Radius>
[[nodiscard]] torch::Tensor reach(const torch::Tensor& direction, const torch::Tensor& room,
                                  const Radius& radius);

}  // namespace leeway::nn
