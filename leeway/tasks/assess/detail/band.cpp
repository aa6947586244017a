#include "leeway/tasks/assess/detail/band.h"

#include <algorithm>
#include <cmath>

#include "leeway/core/parallel.h"
#include "leeway/core/random.h"

namespace leeway::assess {
namespace {

double log_choose(double n, double k) {
  return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
}

// P(C <= count) of C right among n rows drawn from `right` right and `wrong` wrong; 1 from the mean on.
double lower_tail(std::size_t count, std::size_t n, std::size_t right, std::size_t wrong) {
  const auto c = static_cast<double>(count), size = static_cast<double>(n), r = static_cast<double>(right),
             w = static_cast<double>(wrong);
  if (c * (r + w) >= size * r) return 1;
  double term = std::exp(log_choose(r, c) + log_choose(w, size - c) - log_choose(r + w, size)), sum = 0;
  for (double x = c; x >= 0 && size - x <= w; --x) {
    sum += term;
    if (term < 1e-17 * sum) break;
    term *= x * (w - size + x) / ((r - x + 1) * (size - x + 1));
  }
  return std::min(1., sum);
}

// A quantile of a standardised variable with that skewness and excess, z being the normal one.
double cornish_fisher(double z, double skew, double excess) {
  return z + (z * z - 1) * skew / 6 + (z * z * z - 3 * z) * excess / 24 -
         (2 * z * z * z - 5 * z) * skew * skew / 36;
}

Interval around(double centre, double scale, double skew, double excess, double rest) {
  const double z = -normal_quantile(rest / 2);
  // The expansion turns back where the skewness is large: an end is never nearer than half the normal one's distance.
  return {centre + scale * std::min(-z / 2, cornish_fisher(-z, skew, excess)),
          centre + scale * std::max(z / 2, cornish_fisher(z, skew, excess))};
}

}  // namespace

Interval share_band(std::size_t right, std::size_t source_n, std::size_t n, double rest) {
  // The number of chunks' counts that are too low: tails grow with the count.
  const auto too_low = [&](std::size_t k, std::size_t total) {
    std::size_t low = 0, high = n;  // the first count that is not
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      if (lower_tail(middle, n, k + middle, total - k + n - middle) <= rest / 2)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  };
  const auto size = static_cast<double>(n);
  return {static_cast<double>(too_low(right, source_n)) / size,
          1 - static_cast<double>(too_low(source_n - right, source_n)) / size};
}

Moments moments_of(std::span<const double> values) {
  Moments moments;
  moments.n = values.size();
  const auto n = static_cast<double>(values.size());
  for (const double value : values) moments.mean += value / n;
  double second = 0, third = 0, fourth = 0;
  for (const double value : values) {
    const double d = value - moments.mean;
    second += d * d / n, third += d * d * d / n, fourth += d * d * d * d / n;
  }
  moments.variance = second, moments.third = third, moments.fourth = fourth - 3 * second * second;
  const auto [least, most] = std::ranges::minmax(values);
  moments.least = least, moments.most = most;
  return moments;
}

double Moments::skew() const { return variance > 0 ? third / std::pow(variance, 1.5) : 0; }
double Moments::excess() const { return variance > 0 ? fourth / (variance * variance) : 0; }

Interval mean_band(const Moments& source, std::size_t n, double rest) {
  if (source.variance <= 0) return {source.mean, source.mean};
  const double a = 1 / static_cast<double>(n), b = 1 / static_cast<double>(source.n), sum = a + b;
  const double skew = source.skew() * (a * a - b * b) / std::pow(sum, 1.5);
  const double excess = source.excess() * (a * a * a + b * b * b) / (sum * sum);
  const Interval band = around(source.mean, std::sqrt(source.variance * sum), skew, excess, rest);
  return {std::clamp(band.low, source.least, source.mean), std::clamp(band.high, source.mean, source.most)};
}

DrawnBands::DrawnBands(std::size_t source_n, std::span<const std::size_t> sizes, const Measure& measure,
                       std::size_t draws, std::uint64_t seed)
    : source_n_(source_n) {
  const auto [least, most] = std::ranges::minmax(sizes);
  for (std::size_t size = std::min(least, most_drawn);; size *= 2) {
    sizes_.push_back(std::min({size, most, most_drawn}));
    if (sizes_.back() >= std::min(most, most_drawn)) break;
  }
  for (const std::size_t size : sizes_) {
    std::vector<std::vector<double>> drawn(draws);
    parallel_for(draws, [&](std::size_t draw) {
      Random random(seed, stream("chunks of the source"), draw);
      std::vector<std::size_t> rows(size);
      for (std::size_t& row : rows) row = random.below(source_n);
      drawn[draw] = measure(rows);
    });
    std::vector<Shape>& shapes = shapes_.emplace_back();
    for (std::size_t m = 0; m < drawn.front().size(); ++m) {
      std::vector<double> values;
      for (const auto& one : drawn) values.push_back(one[m]);
      const Moments found = moments_of(values);
      const double root = std::sqrt(static_cast<double>(size)),
                   spread = std::sqrt(found.variance * static_cast<double>(draws) /
                                      (static_cast<double>(draws) - 1));
      shapes.push_back({found.mean, spread * root, found.skew() * root, found.excess() * root * root});
    }
  }
}

DrawnBands::Shape DrawnBands::at(std::size_t measure, std::size_t n) const {
  const auto place = [](std::size_t size) { return 1 / std::sqrt(static_cast<double>(size)); };
  std::size_t next = 0;
  while (next < sizes_.size() && sizes_[next] < n) ++next;
  if (next == 0) return shapes_.front()[measure];
  if (next == sizes_.size()) return shapes_.back()[measure];
  const Shape &a = shapes_[next - 1][measure], &b = shapes_[next][measure];
  const double share = (place(n) - place(sizes_[next - 1])) / (place(sizes_[next]) - place(sizes_[next - 1]));
  const auto between = [&](double x, double y) { return x + share * (y - x); };
  return {between(a.mean, b.mean), between(a.scale, b.scale), between(a.skew, b.skew),
          between(a.excess, b.excess)};
}

Interval DrawnBands::distance_band(std::size_t measure, std::size_t n, double rest) const {
  const Shape shape = at(measure, n);
  const double size = static_cast<double>(n), wider = std::sqrt(1 + size / static_cast<double>(source_n_));
  return {0, around(wider * shape.mean, wider * shape.scale / std::sqrt(size), shape.skew / std::sqrt(size),
                    shape.excess / size, 2 * rest)
                 .high};
}

Interval DrawnBands::band(std::size_t measure, std::size_t n, double rest) const {
  const Shape shape = at(measure, n);
  const double size = static_cast<double>(n), wider = std::sqrt(1 + size / static_cast<double>(source_n_));
  return around(shape.mean, wider * shape.scale / std::sqrt(size), shape.skew / std::sqrt(size),
                shape.excess / size, rest);
}

}  // namespace leeway::assess
