#include "leeway/nn/attack/ball.h"

#include <algorithm>
#include <cmath>

#include "leeway/core/random.h"

namespace leeway::nn {

torch::Tensor distances(const torch::Tensor& a, const torch::Tensor& b, Norm norm) {
  return norms_of(a.to(torch::kFloat64) - b.to(torch::kFloat64), norm);
}

Ball::Ball(torch::Tensor clean, Norm norm, double eps, const Box& box)
    : clean_(std::move(clean)), norm_(norm), box_(box), eps_(eps) {
  if (norm_ == Norm::l2) {
    // a little inside: what float32 rounds on the way, in the length and in every pixel, carries no image out
    const double pixels = static_cast<double>(clean_.numel()) / static_cast<double>(clean_.size(0));
    radius_ = std::max(0., eps_ * (1 - 2e-6) - std::sqrt(pixels) * 0x1p-25);
    return;
  }
  // float32 bounds rounded towards the centre: measured in float64 no image lies outside
  const torch::Tensor centre = clean_.to(torch::kFloat64);
  const torch::Tensor low = (centre - eps_).to(torch::kFloat32), high = (centre + eps_).to(torch::kFloat32);
  const torch::Tensor inner_low = torch::nextafter(low, torch::full_like(low, 2 * box_.high));
  const torch::Tensor inner_high = torch::nextafter(high, torch::full_like(high, box_.low - 1));
  low_ = torch::where(centre - low.to(torch::kFloat64) > eps_, inner_low, low).clamp_min_(box_.low);
  high_ = torch::where(high.to(torch::kFloat64) - centre > eps_, inner_high, high).clamp_max_(box_.high);
}

torch::Tensor Ball::project(const torch::Tensor& y) const {
  if (norm_ == Norm::linf) return torch::minimum(torch::maximum(y, low_), high_);
  if (radius_ == 0) return clean_.clone();
  const torch::Tensor x = y.clamp(box_.low, box_.high);
  const torch::Tensor outside = distances(x, clean_, norm_) > eps_;
  if (!outside.any().item<bool>()) return x;
  const torch::Tensor direction = y - clean_;
  const torch::Tensor t = reach(direction, room_along(clean_, direction, box_), radius_).clamp_max(1);
  return torch::where(per_row(outside), (clean_ + direction * per_row(t)).clamp(box_.low, box_.high), x);
}

torch::Tensor Ball::step(const torch::Tensor& x, const torch::Tensor& gradient, double length) const {
  if (norm_ == Norm::linf) return project(x + gradient.sign() * length);
  // scaled by its largest entry: squares of tiny gradients underflow
  const torch::Tensor largest = gradient.flatten(1).abs().amax(1);
  const torch::Tensor direction =
      gradient / per_row(torch::where(largest > 0, largest, torch::ones_like(largest)));
  // at most 10,000 lengths: float32 must still resolve the ball
  const torch::Tensor farthest = 1e4 * length / direction.square().flatten(1).sum(1).sqrt();
  const torch::Tensor t = torch::minimum(reach(direction, room_along(x, direction, box_), length), farthest);
  return project(x + direction * per_row(torch::where(largest > 0, t, torch::zeros_like(t))));
}

torch::Tensor Ball::random(std::uint64_t seed, std::uint32_t stream,
                           std::span<const std::uint64_t> keys) const {
  torch::Tensor start = torch::empty(clean_.sizes());
  float* const data = start.data_ptr<float>();
  const std::int64_t d = start.numel() / start.size(0);
  const auto eps = static_cast<float>(eps_);
  at::parallel_for(0, start.size(0), 16, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      Random random(seed, stream, keys[static_cast<std::size_t>(i)]);
      float* const row = data + i * d;
      if (norm_ == Norm::linf) {
        constexpr float unit = 1.f / 2147483648.f;  // of 31 bits: words become [-1, 1)
        for (std::int64_t j = 0; j < d; ++j)
          row[j] = eps * (static_cast<float>(static_cast<std::int32_t>(random.bits())) * unit);
        continue;
      }
      double length = 0;
      for (std::int64_t j = 0; j < d; ++j) {
        const double value = random.normal();
        row[j] = static_cast<float>(value);
        length += value * value;
      }
      const double radius = eps_ * std::pow(random.uniform(), 1 / static_cast<double>(d));
      for (std::int64_t j = 0; j < d; ++j) row[j] *= static_cast<float>(radius / std::sqrt(length));
    }
  });
  return project(clean_ + start.to(clean_.device()));
}

}  // namespace leeway::nn
