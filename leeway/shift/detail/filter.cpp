// All but zoom_middle are weighted sums of rows: sixteen neighbouring sums at a time stay in registers. The file is compiled
// with -O3, for loops over a number of pixels that is known at run time.
#include "leeway/shift/detail/filter.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <tuple>
#include <utility>
#include <vector>

namespace leeway::shift {
namespace {

constexpr std::size_t filter_lanes = 16;
constexpr float filter_half = .5f;
constexpr double filter_negligible = 1e-10;  // a weight below it, of a sum of 1, is left out

struct WeightedRows {
  std::vector<const float*> rows;
  std::vector<float> weights;

  void clear() { rows.clear(), weights.clear(); }
  void add(const float* row, double weight) {
    rows.push_back(row);
    weights.push_back(static_cast<float>(weight));
  }
  // store(x, sum_j weights_j rows_j[x]) for x below `width`. `lanes` - 1 more values of each row are read.
  template <class Store>
  void sum(std::size_t width, const Store& store) const {
    const std::size_t count = rows.size();
    for (std::size_t start = 0; start < width; start += filter_lanes) {
      float sums[filter_lanes] = {};
      for (std::size_t j = 0; j < count; ++j) {
        const float weight = weights[j];
        const float* const row = rows[j] + start;
        for (std::size_t i = 0; i < filter_lanes; ++i) sums[i] += weight * row[i];
      }
      const std::size_t used = std::min(filter_lanes, width - start);
      for (std::size_t i = 0; i < used; ++i) store(start + i, sums[i]);
    }
  }
};

// turned(x,y) = sum_j weights_j in(y + j - radius, x). Where the weights are more than the rows, those of one row are
// added up first.
void filter_and_turn(const float* in, std::size_t height, std::size_t width,
                     const std::vector<double>& weights, Border border, float* turned) {
  thread_local std::vector<std::size_t> places;
  thread_local std::vector<double> shares;
  thread_local WeightedRows terms;
  const std::size_t radius = weights.size() / 2;
  extend(height, radius, radius, border, places);
  for (std::size_t y = 0; y < height; ++y) {
    terms.clear();
    if (weights.size() <= height) {
      for (std::size_t j = 0; j < weights.size(); ++j) terms.add(in + places[y + j] * width, weights[j]);
    } else {
      shares.assign(height, 0);
      for (std::size_t j = 0; j < weights.size(); ++j) shares[places[y + j]] += weights[j];
      for (std::size_t row = 0; row < height; ++row) terms.add(in + row * width, shares[row]);
    }
    terms.sum(width, [&](std::size_t x, float sum) { turned[x * height + y] = sum; });
  }
}

struct Tap {
  std::ptrdiff_t down = 0, right = 0;
  double weight = 0;
};

// store(place, sum over taps of weight * plane(y + down, x + right))
template <class Store>
void add_taps(std::span<const float> plane, std::size_t height, std::size_t width,
              const std::vector<Tap>& taps, Border border, const Store& store) {
  thread_local std::vector<std::size_t> rows, columns;
  thread_local std::vector<float> wide;  // the plane with its surroundings
  thread_local WeightedRows terms;
  std::ptrdiff_t up = 0, down = 0, left = 0, right = 0;
  for (const Tap& tap : taps) {
    up = std::max(up, -tap.down), down = std::max(down, tap.down);
    left = std::max(left, -tap.right), right = std::max(right, tap.right);
  }
  extend(height, static_cast<std::size_t>(up), static_cast<std::size_t>(down), border, rows);
  extend(width, static_cast<std::size_t>(left), static_cast<std::size_t>(right), border, columns);
  const std::size_t stride = columns.size();
  wide.resize(rows.size() * stride + filter_lanes);
  for (std::size_t y = 0; y < rows.size(); ++y) {
    const float* const from = plane.data() + rows[y] * width;
    float* const to = wide.data() + y * stride;
    std::copy_n(from, width, to + left);
    for (std::size_t x = 0; x < static_cast<std::size_t>(left); ++x) to[x] = from[columns[x]];
    for (std::size_t x = static_cast<std::size_t>(left) + width; x < stride; ++x) to[x] = from[columns[x]];
  }
  terms.clear();
  for (const Tap& tap : taps)
    terms.add(wide.data() + static_cast<std::size_t>(up + tap.down) * stride +
                  static_cast<std::size_t>(left + tap.right),
              tap.weight);
  for (std::size_t y = 0; y < height; ++y) {
    terms.sum(width, [&](std::size_t x, float sum) { store(y * width + x, sum); });
    for (const float*& row : terms.rows) row += stride;
  }
}

// out_i = in[low_i] + share_i (in[low_i + 1] - in[low_i])
struct ZoomedSide {
  std::size_t begin = 0, end = 0;  // the pixels that are read
  std::vector<std::size_t> low;
  std::vector<float> share;

  void set(std::size_t side, double factor) {
    const auto length = static_cast<double>(side);
    const auto part = static_cast<std::size_t>(std::ceil(length / factor));
    const auto whole = static_cast<std::size_t>(std::nearbyint(static_cast<double>(part) * factor));
    const std::size_t skipped = (whole - side) / 2;
    const double step = whole > 1 ? static_cast<double>(part - 1) / static_cast<double>(whole - 1) : 0;
    begin = (side - part) / 2;
    end = begin + part;
    low.resize(side);
    share.resize(side);
    for (std::size_t i = 0; i < side; ++i) {
      const double place = std::min(static_cast<double>(i + skipped) * step, static_cast<double>(part - 1));
      const auto below = static_cast<std::size_t>(place);
      low[i] = begin + below;
      share[i] = static_cast<float>(place - static_cast<double>(below));
    }
  }
};

// store(place, value) for every pixel of the middle enlarged.
template <class Store>
void zoom_by(std::span<const float> plane, const ZoomedSide& rows, const ZoomedSide& columns,
             const Store& store) {
  thread_local std::vector<float> line;
  const std::size_t height = rows.low.size(), width = columns.low.size();
  line.resize(width + 1);
  for (std::size_t y = 0; y < height; ++y) {
    const float* const upper = plane.data() + rows.low[y] * width;
    const float* const lower = rows.low[y] + 1 < height ? upper + width : upper;
    const float down = rows.share[y];
    for (std::size_t x = columns.begin; x < columns.end; ++x)
      line[x] = upper[x] + down * (lower[x] - upper[x]);
    line[columns.end] = line[columns.end - 1];
    const std::size_t* const low = columns.low.data();
    const float* const share = columns.share.data();
    const float* const from = line.data();
    for (std::size_t x = 0; x < width; ++x) {
      const float left = from[low[x]], right = from[low[x] + 1];
      store(y * width + x, left + share[x] * (right - left));
    }
  }
}

}  // namespace

std::size_t pixel_beyond(std::ptrdiff_t i, std::size_t size, Border border) {
  const auto n = static_cast<std::ptrdiff_t>(size);
  if (border == Border::nearest || n == 1)
    return static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(i, 0, n - 1));
  const std::ptrdiff_t period = border == Border::symmetric ? 2 * n : 2 * n - 2;
  i = (i % period + period) % period;
  const std::ptrdiff_t turned = border == Border::symmetric ? period - 1 - i : period - i;
  return static_cast<std::size_t>(i < n ? i : turned);
}

void extend(std::size_t size, std::size_t before, std::size_t after, Border border,
            std::vector<std::size_t>& places) {
  places.resize(size + before + after);
  for (std::size_t i = 0; i < places.size(); ++i)
    places[i] = pixel_at(static_cast<std::ptrdiff_t>(i) - static_cast<std::ptrdiff_t>(before), size, border);
}

std::vector<double> gaussian_weights(double sigma, std::size_t radius) {
  std::vector<double> weights(2 * radius + 1);
  double sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double distance = (static_cast<double>(i) - static_cast<double>(radius)) / sigma;
    sum += weights[i] = std::exp(-distance * distance / 2);
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

void gaussian_filter(std::span<float> plane, std::size_t height, std::size_t width, double sigma,
                     Border border, double truncate) {
  const auto radius = static_cast<std::size_t>(std::floor(truncate * sigma + .5));
  if (radius == 0) return;
  thread_local std::vector<float> copied, turned;
  const std::vector<double> weights = gaussian_weights(sigma, radius);
  copied.resize(plane.size() + filter_lanes);
  turned.resize(plane.size() + filter_lanes);
  std::copy(plane.begin(), plane.end(), copied.begin());
  filter_and_turn(copied.data(), height, width, weights, border, turned.data());
  filter_and_turn(turned.data(), width, height, weights, border, plane.data());
}

void correlate(std::span<float> plane, std::size_t height, std::size_t width, std::span<const float> kernel,
               std::size_t k) {
  thread_local std::vector<Tap> taps;
  taps.clear();
  const auto middle = static_cast<std::ptrdiff_t>(k / 2);
  for (std::size_t i = 0; i < kernel.size(); ++i)
    if (kernel[i] != 0)
      taps.push_back({static_cast<std::ptrdiff_t>(i / k) - middle,
                      static_cast<std::ptrdiff_t>(i % k) - middle, kernel[i]});
  add_taps(plane, height, width, taps, Border::mirror,
           [&](std::size_t place, float sum) { plane[place] = sum; });
}

void motion_filter(std::span<float> plane, std::size_t height, std::size_t width, double radius, double sigma,
                   double angle) {
  thread_local std::vector<Tap> taps;
  const double turn = angle * std::numbers::pi / 180, down = std::sin(turn), right = std::cos(turn);
  const auto count = 2 * static_cast<std::size_t>(std::ceil(radius)) + 1;
  taps.clear();
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto distance = static_cast<double>(i);
    const double weight = std::exp(-distance * distance / (2 * sigma * sigma));
    sum += weight;
    if (weight < filter_negligible) break;
    taps.push_back({static_cast<std::ptrdiff_t>(std::ceil(distance * down - .5)),
                    static_cast<std::ptrdiff_t>(std::ceil(distance * right - .5)), weight});
  }
  for (Tap& tap : taps) tap.weight /= sum;
  add_taps(plane, height, width, taps, Border::nearest, [&](std::size_t place, float value) {
    plane[place] = static_cast<float>(static_cast<int>(value * 255 + filter_half)) / 255;
  });
}

void zoom_middle(std::span<const float> plane, std::size_t height, std::size_t width, double factor,
                 std::span<float> out) {
  thread_local ZoomedSide rows, columns;
  rows.set(height, factor);
  columns.set(width, factor);
  zoom_by(plane, rows, columns, [&](std::size_t place, float value) { out[place] = value; });
}

void mean_of_zooms(std::span<float> plane, std::size_t height, std::size_t width, double step,
                   std::size_t count) {
  thread_local std::vector<std::pair<ZoomedSide, ZoomedSide>> sides;  // the same for many planes
  thread_local std::tuple<std::size_t, std::size_t, double, std::size_t> made_for;
  thread_local std::vector<float> sum;
  if (const std::tuple wanted(height, width, step, count); made_for != wanted) {
    made_for = wanted;
    sides.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      const double factor = 1 + static_cast<double>(i) * step;
      sides[i].first.set(height, factor);
      sides[i].second.set(width, factor);
    }
  }
  sum.assign(plane.begin(), plane.end());
  float* const sums = sum.data();
  for (const auto& [rows, columns] : sides)
    zoom_by(plane, rows, columns, [&](std::size_t place, float value) { sums[place] += value; });
  const auto pictures = static_cast<float>(count + 1);
  for (std::size_t i = 0; i < plane.size(); ++i) plane[i] = sums[i] / pictures;
}

}  // namespace leeway::shift
