#include "leeway/shift/detail/disc_filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>

#include "leeway/core/message.h"
#include "leeway/shift/detail/filter.h"

namespace leeway::shift {
namespace {

constexpr std::size_t disc_filter_lanes = 16;
constexpr double largest_radius = 1600, largest_in_parts = 128;
constexpr double disc_filter_negligible = 1e-12;  // a weight of the smoothing
constexpr double levels = 255;
constexpr float disc_filter_half = .5f;

// How many of the cell's parts lie in the disc, of 8 x 8 or of 1.
std::int32_t parts_in_disc(std::ptrdiff_t down, std::ptrdiff_t right, double radius, int parts) {
  std::int32_t inside = 0;
  for (int a = 0; a < parts; ++a)
    for (int b = 0; b < parts; ++b) {
      const double y = static_cast<double>(down) + (a + .5) / parts - .5;
      const double x = static_cast<double>(right) + (b + .5) / parts - .5;
      if (y * y + x * x <= radius * radius) ++inside;
    }
  return inside;
}

// A plane in counts with `margin` pixels more on every side, and room for whole blocks behind each row.
void surround(std::span<const float> plane, std::size_t height, std::size_t margin, std::size_t stride,
              float white, std::vector<std::uint32_t>& counts) {
  thread_local std::vector<std::size_t> rows, columns;
  const std::size_t width = plane.size() / height;
  extend(height, margin, margin, Border::mirror, rows);
  extend(width, margin, margin, Border::mirror, columns);
  counts.resize(rows.size() * stride);
  for (std::size_t y = 0; y < rows.size(); ++y) {
    const float* const from = plane.data() + rows[y] * width;
    std::uint32_t* const to = counts.data() + y * stride + margin;
    for (std::size_t x = 0; x < width; ++x)
      to[x] = static_cast<std::uint32_t>(static_cast<std::int32_t>(from[x] * white + disc_filter_half));
    for (std::size_t i = 0; i < margin; ++i) {
      *(to - margin + i) = to[columns[i]];
      to[width + i] = to[columns[margin + width + i]];
    }
  }
}

}  // namespace

void DiscFilter::set(const Shape& shape) {
  if (shape == shape_) return;
  if (shape.radius > largest_radius)
    refuse("corruption defocus-blur", fmt::format("a radius of at most {} pixels", largest_radius),
           fmt::format("{}", shape.radius));
  shape_ = shape;
  set_smoothing();
  set_disc();
}

void DiscFilter::set_smoothing() {
  std::vector<double> weights = gaussian_weights(shape_.alias, shape_.reach);
  if (shape_.reach == 0 || weights[shape_.reach - 1] < disc_filter_negligible) weights = {1};
  smoothing_.assign(weights.begin(), weights.end());
  reach_ = smoothing_.size() / 2;
}

void DiscFilter::set_disc() {
  const int parts = shape_.in_parts && shape_.radius <= largest_in_parts ? 8 : 1;
  const auto edge =
      static_cast<std::ptrdiff_t>(std::floor(shape_.radius + .5));  // of cells that the disc may touch
  edge_ = static_cast<std::size_t>(edge);
  stride_ = shape_.width + 2 * (edge_ + reach_) + disc_filter_lanes;
  std::map<std::int32_t, Ring> disc, step;
  const auto put = [&](std::map<std::int32_t, Ring>& rings, std::int32_t weight, std::ptrdiff_t down,
                       std::ptrdiff_t right) {
    if (weight == 0) return;
    Ring& ring = rings[std::abs(weight)];
    ring.weight = static_cast<std::uint32_t>(std::abs(weight));
    (weight > 0 ? ring.added : ring.taken).push_back(down * static_cast<std::ptrdiff_t>(stride_) + right);
  };
  double sum = 0;
  for (std::ptrdiff_t right = -edge; right <= edge; ++right) {
    std::int32_t above = 0;
    for (std::ptrdiff_t down = -edge; down <= edge + 1; ++down) {
      std::int32_t here = down > edge ? 0 : parts_in_disc(down, right, shape_.radius, parts);
      if (edge == 0 && down == 0) here = std::max(here, 1);  // a disc smaller than a part
      put(disc, here, down, right);
      put(step, above - here, down - 1, right);
      sum += here;
      above = here;
    }
  }
  disc_.clear(), step_.clear();
  for (const auto& [weight, ring] : disc) disc_.push_back(ring);
  for (const auto& [weight, ring] : step) step_.push_back(ring);
  const double most = std::numeric_limits<std::int32_t>::max();
  const double white = levels * std::exp2(std::floor(std::log2(most / (levels * sum))));
  white_ = static_cast<float>(white);
  mean_ = static_cast<float>(1 / (white * sum));
}

// sums[x] += sum over rings of weight (sum of row[x] at what is added, less that at what is taken)
void DiscFilter::add_rings(const std::vector<Ring>& rings, const std::uint32_t* row,
                           std::span<std::uint32_t> sums) {
  for (std::size_t start = 0; start < sums.size(); start += disc_filter_lanes) {
    std::uint32_t* const sum = sums.data() + start;
    for (const Ring& ring : rings) {
      std::uint32_t difference[disc_filter_lanes] = {};
      for (const std::ptrdiff_t place : ring.added) {
        const std::uint32_t* const from = row + place + start;
        for (std::size_t i = 0; i < disc_filter_lanes; ++i) difference[i] += from[i];
      }
      for (const std::ptrdiff_t place : ring.taken) {
        const std::uint32_t* const from = row + place + start;
        for (std::size_t i = 0; i < disc_filter_lanes; ++i) difference[i] -= from[i];
      }
      for (std::size_t i = 0; i < disc_filter_lanes; ++i) sum[i] += ring.weight * difference[i];
    }
  }
}

void DiscFilter::apply(std::span<float> plane, std::size_t height) const {
  thread_local std::vector<std::uint32_t> wide, sums;
  thread_local std::vector<float> means, line;  // rows with what the smoothing needs around them
  const std::size_t width = shape_.width, rows = height + 2 * reach_;
  const std::size_t stride =
      (width + 2 * reach_ + disc_filter_lanes - 1) / disc_filter_lanes * disc_filter_lanes;
  surround(plane, height, edge_ + reach_, stride_, white_, wide);
  sums.assign(stride, 0);
  means.resize(rows * stride);
  for (std::size_t y = 0; y < rows; ++y) {
    add_rings(y == 0 ? disc_ : step_, wide.data() + (y + edge_) * stride_ + edge_, sums);
    float* const to = means.data() + y * stride;
    for (std::size_t x = 0; x < stride; ++x)
      to[x] = static_cast<float>(static_cast<std::int32_t>(sums[x])) * mean_;
  }
  line.resize(stride);
  for (std::size_t y = 0; y < height; ++y) {
    float* const out = plane.data() + y * width;
    std::fill(line.begin(), line.end(), 0.f);
    for (std::size_t k = 0; k < smoothing_.size(); ++k) {
      const float weight = smoothing_[k];
      const float* const from = means.data() + (y + k) * stride;
      for (std::size_t x = 0; x < stride; ++x) line[x] += weight * from[x];
    }
    std::fill_n(out, width, 0.f);
    for (std::size_t k = 0; k < smoothing_.size(); ++k) {
      const float weight = smoothing_[k];
      const float* const from = line.data() + k;
      for (std::size_t x = 0; x < width; ++x) out[x] += weight * from[x];
    }
  }
}

}  // namespace leeway::shift
