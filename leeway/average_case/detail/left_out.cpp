// What classes whose gradients were not taken can take from p: boundaries.h states the bounds.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "leeway/average_case/detail/boundaries.h"
#include "leeway/average_case/detail/normal.h"
#include "leeway/core/rows.h"

namespace leeway::average_case {
namespace {

constexpr std::size_t most_rivals = 8;  // with the least z: they have mostly taken what there was

// Upper bound of P(X < -a, Y > -b) for correlated standard normal X, Y: Simpson's rule for X from -a down to
// -a - reach, plus all of X beyond, at most 1e-6 of the whole.
double taken_before(double a, double b, double correlation) {
  constexpr int intervals = 24;
  const double all = cdf(-a);
  if (!(a > 0) || !std::isfinite(a) || !std::isfinite(b)) return b < 0 && std::isinf(b) ? 0 : all;
  const double reach = std::min(8., 14 / a), step = reach / intervals;
  const double rest = std::sqrt(std::max(1 - correlation * correlation, 1e-12));
  const auto density = [&](double x) {
    return std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi) * cdf((b - correlation * x) / rest);
  };
  double sum = density(a) + density(a + reach);
  for (int i = 1; i < intervals; ++i) sum += (i % 2 == 1 ? 4 : 2) * density(a + i * step);
  return std::min(all, sum * step / 3 + cdf(-a - reach));
}

// The mean of b over the last half of the classes considered; 1 where there are too few.
double mean_taken(const Boundaries& boundaries, double sigma) {
  const std::size_t m = boundaries.z.size(), half = m / 2;
  if (half == 0) return 1;
  std::vector<std::size_t> rivals = all_rows(half);
  const std::size_t count = std::min(most_rivals, half);
  std::partial_sort(rivals.begin(), rivals.begin() + static_cast<std::ptrdiff_t>(count), rivals.end(),
                    [&](std::size_t i, std::size_t j) {
                      return boundaries.z[i] < boundaries.z[j] ||
                             (boundaries.z[i] == boundaries.z[j] && i < j);
                    });
  double sum = 0;
  for (std::size_t j = half; j < m; ++j) {
    const double a = boundaries.z[j] / sigma;
    double least = cdf(-a);
    for (std::size_t r = 0; r < count && least > 0; ++r)
      least = std::min(
          least, taken_before(a, boundaries.z[rivals[r]] / sigma, boundaries.correlation[j * m + rivals[r]]));
    sum += least;
  }
  return sum / static_cast<double>(m - half);
}

}  // namespace

double Boundaries::left_out_mass(double sigma) const {
  if (left_out.empty()) return 0;
  double mass = 0;
  const double scale = 2 * sigma * steepest * std::numbers::sqrt2;
  for (const float g : left_out)
    mass += scale > 0 ? .5 * std::erfc(static_cast<double>(g) / scale) : static_cast<double>(g < 0);
  if (!(scale > 0) || mass == 0) return mass;
  mass = std::min(mass, static_cast<double>(left_out.size()) * mean_taken(*this, sigma));
  for (const double boundary : z) mass = std::min(mass, cdf(boundary / sigma));
  return mass;
}

}  // namespace leeway::average_case
