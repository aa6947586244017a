#include "leeway/average_case/certified.h"

#include <bit>
#include <cmath>
#include <utility>

#include "leeway/average_case/detail/evidence.h"

namespace leeway::average_case {
namespace {

constexpr std::size_t curve_steps = 20;

// Of each of the looks at a row.
double alpha_of_look(const AverageCaseOptions& options) {
  if (!(options.width > 0)) return options.alpha;
  return options.alpha / static_cast<double>(1 + std::bit_width((options.draws - 1) / first_draws));
}

}  // namespace

double certified_radius(std::size_t kept, std::size_t draws, double sigma, double alpha) {
  const double low = clopper_pearson(kept, draws, 1 - 2 * alpha).low;
  return low > .5 ? sigma * normal_quantile(low) : 0;
}

std::vector<double> certified_radii(const Column& column, const AverageCaseOptions& options) {
  std::vector<double> radii;
  for (std::size_t i = 0; i < column.draws.size(); ++i) {
    const auto kept = static_cast<std::size_t>(std::llround(column.p[i] * column.draws[i]));
    radii.push_back(certified_radius(kept, column.draws[i], column.sigma, alpha_of_look(options)));
  }
  return radii;
}

std::vector<CertifiedCurve> certified_curves(const AverageCase& cases,
                                             const std::optional<std::vector<std::int64_t>>& labels,
                                             const AverageCaseOptions& options) {
  std::vector<CertifiedCurve> curves;
  for (const Column& column : cases.columns) {
    const std::size_t n = column.radius.size();
    if (n == 0 || column.sigma == 0) continue;
    const auto share = [&](double least, bool right) {
      std::size_t count = 0;
      for (std::size_t i = 0; i < n; ++i)
        count +=
            column.radius[i] > 0 && column.radius[i] >= least && (!right || cases.targets[i] == (*labels)[i]);
      return Estimate{static_cast<double>(count) / static_cast<double>(n),
                      clopper_pearson(count, n, options.level)};
    };
    const double largest =
        certified_radius(options.draws, options.draws, column.sigma, alpha_of_look(options));
    CertifiedCurve curve{column.sigma, {}, {}};
    for (std::size_t i = 0; i <= (largest > 0 ? curve_steps : 0); ++i) {
      const double radius = largest * (static_cast<double>(i) / curve_steps);
      curve.points.push_back({radius, share(radius, false), {}});
      if (labels) curve.points.back().accuracy = share(radius, true);
    }
    const auto& [certified, interval] = curve.points.front().share;
    curve.abstained = {1 - certified, {1 - interval.high, 1 - interval.low}};
    curves.push_back(std::move(curve));
  }
  return curves;
}

}  // namespace leeway::average_case
