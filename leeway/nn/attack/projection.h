// Moves of images kept within a radius and inside the box: the geometry that attacks share.
//
// Of a move v from a clean image x, the nearest point (in l_2) of {u: |u|_p <= r, 0 <= x + u <= 1}, exactly. Coordinate by
// coordinate, with clip(v) the nearest point of the box and b the room to the box on the side of v:
//   linf   clip(v, -r, r) inside the box
//   l2     clip(t v) with the largest t <= 1 that gives it length r
//   l1     sign(v) min(max(|v| - c, 0), b) with the c >= 0 that gives it length r (Duchi et al., ICML 2008, without a box); c from
//          the sorted 2 d points at which a coordinate begins to count and reaches its end
//   l0     clip(v) in the floor(r) coordinates with the largest v^2 - (v - clip(v))^2, 0 elsewhere
// To rounding of float32. Deterministic; no row depends on another. Cost: a sort in l1 and l0, a few passes in the others.
#pragma once

#include <torch/torch.h>

#include "leeway/nn/attack.h"

namespace leeway::nn {

// Where values stay: pixels in [0,1]; numbers of rows anywhere, within bounds that float32's squares bear.
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

// The norm of gradients that goes with a norm of moves, |g.u| <= |u| |g|: l1 with linf, l2 with l2, linf with l1. l0 has none.
[[nodiscard]] constexpr Norm dual_of(Norm norm) {
  return norm == Norm::linf ? Norm::l1 : norm == Norm::l1 ? Norm::linf : Norm::l2;
}

// moves and clean: (rows,c,h,w), clean in the box; radius: (rows), at least 0, may be infinite.
[[nodiscard]] torch::Tensor project_moves(const torch::Tensor& moves, const torch::Tensor& clean,
                                          const torch::Tensor& radius, Norm norm, const Box& box = {});

// How far the box reaches from x on the side of `direction`.
[[nodiscard]] torch::Tensor room_along(const torch::Tensor& x, const torch::Tensor& direction,
                                       const Box& box = {});

// The t >= 0 a row for which min(t |d|, room) has length `radius` in l_2, infinity where the whole room is shorter. One radius,
// or one a row.
[[nodiscard]] torch::Tensor reach(const torch::Tensor& direction, const torch::Tensor& room, double radius);
[[nodiscard]] torch::Tensor reach(const torch::Tensor& direction, const torch::Tensor& room,
                                  const torch::Tensor& radius);

}  // namespace leeway::nn
