#include "leeway/nn/attack/projection.h"

#include <cmath>

namespace leeway::nn {
namespace {

// The shrinkage c. The length is linear in c between the sorted points |v| and |v| - b.
torch::Tensor threshold(const torch::Tensor& size, const torch::Tensor& room, const torch::Tensor& radius) {
  const torch::Tensor one = torch::ones_like(size);
  const auto [points, order] = torch::cat({size, size - room}, 1).sort(1, true);
  const torch::Tensor counting = torch::cat({one, -one}, 1).gather(1, order).cumsum(1);
  const torch::Tensor steps = counting.slice(1, 0, -1) * (points.slice(1, 0, -1) - points.slice(1, 1));
  const torch::Tensor lengths =
      torch::nn::functional::pad(steps.cumsum(1), torch::nn::functional::PadFuncOptions({1, 0}));
  const torch::Tensor last = (lengths <= radius.unsqueeze(1)).sum(1, true) - 1;
  const auto there = [&](const torch::Tensor& values) { return values.gather(1, last).squeeze(1); };
  return there(points) - (radius - there(lengths)) / there(counting).clamp_min(1);
}

torch::Tensor shrunk(const torch::Tensor& moves, const torch::Tensor& room, const torch::Tensor& radius) {
  const torch::Tensor size = moves.abs();
  const torch::Tensor least =
      threshold(size.flatten(1).to(torch::kFloat64), room.flatten(1).to(torch::kFloat64), radius);
  return moves.sign() * torch::minimum((size - per_row(least).to(moves.dtype())).clamp_min(0), room);
}

torch::Tensor largest_gains(const torch::Tensor& moves, const torch::Tensor& boxed,
                            const torch::Tensor& radius) {
  const torch::Tensor gain = (boxed * (2 * moves - boxed)).flatten(1);
  const torch::Tensor order = std::get<1>(gain.sort(/*stable=*/true, 1, /*descending=*/true));
  const torch::Tensor places = torch::arange(gain.size(1), order.options()).expand_as(order);
  const torch::Tensor rank = torch::empty_like(order).scatter_(1, order, places);
  return boxed * (rank < radius.floor().unsqueeze(1)).view_as(boxed);
}

}  // namespace

torch::Tensor room_along(const torch::Tensor& x, const torch::Tensor& direction, const Box& box) {
  return torch::where(direction > 0, box.high - x, box.low == 0 ? x : x - box.low);
}

// Coordinates that reach their end leave the equation and t grows, so every pass but the last clips at least
// one more of them.
template <class Radius>
torch::Tensor reach(const torch::Tensor& direction, const torch::Tensor& room, const Radius& radius) {
  const auto sum = [](const torch::Tensor& images) { return images.flatten(1).sum(1); };
  const torch::Tensor slope = direction.abs(), slope2 = slope.square(), room2 = room.square();
  torch::Tensor t = radius / sum(slope2).sqrt();
  torch::Tensor clipped = slope * per_row(t) >= room;
  while (clipped.any().item<bool>()) {
    const torch::Tensor left = (radius * radius - sum(room2 * clipped)).clamp_min(0);
    const torch::Tensor next = (left / sum(slope2 * clipped.logical_not())).sqrt();
    t = torch::maximum(t, torch::where(next.isnan(), torch::full_like(next, INFINITY), next));
    const torch::Tensor now = slope * per_row(t) >= room;
    if (now.equal(clipped)) break;
    clipped = now;
  }
  return t;
}

template torch::Tensor reach(const torch::Tensor&, const torch::Tensor&, const double&);

torch::Tensor norms_of(const torch::Tensor& rows, Norm norm) {
  const torch::Tensor sizes = rows.to(torch::kFloat64).flatten(1).abs();
  switch (norm) {
    case Norm::linf:
      return sizes.amax(1);
    case Norm::l2:
      return sizes.square().sum(1).sqrt();
    case Norm::l1:
      return sizes.sum(1);
    case Norm::l0:
      break;
  }
  return (sizes > 0).sum(1).to(torch::kFloat64);
}

torch::Tensor project_moves(const torch::Tensor& moves, const torch::Tensor& clean,
                            const torch::Tensor& radius, Norm norm, const Box& box) {
  const torch::Tensor low = box.low == 0 ? -clean : box.low - clean, high = box.high - clean;
  if (norm == Norm::linf) {
    const torch::Tensor r = per_row(radius).to(moves.dtype());
    return torch::minimum(torch::maximum(moves, torch::maximum(low, -r)), torch::minimum(high, r));
  }
  const torch::Tensor boxed = torch::minimum(torch::maximum(moves, low), high);
  if (norm == Norm::l0) return largest_gains(moves, boxed, radius);
  const torch::Tensor outside = norms_of(boxed, norm) > radius;
  if (!outside.any().item<bool>()) return boxed;
  const torch::Tensor room = room_along(clean, moves, box);
  const torch::Tensor inside =
      norm == Norm::l1
          ? shrunk(moves, room, radius)
          : moves.sign() *
                torch::minimum(moves.abs() * per_row(reach(moves, room, radius.to(moves.dtype()))), room);
  return torch::where(per_row(outside), inside, boxed);
}

}  // namespace leeway::nn
