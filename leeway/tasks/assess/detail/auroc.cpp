#include "leeway/tasks/assess/detail/auroc.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace leeway::assess {
namespace {

// Of scores: equal ones may differ so much by the order in which a softmax was summed.
constexpr double rounding = 1e-12;

// Hanley's and McNeil's variance.
double exponential_variance(double a, double positives, double negatives) {
  const double above = a / (2 - a), below = 2 * a * a / (1 + a);
  return (a * (1 - a) + (positives - 1) * (above - a * a) + (negatives - 1) * (below - a * a)) /
         (positives * negatives);
}

// `of_rows`: the variance of the rows' influences.
double few_rows_of(double a, double positives, double negatives, double of_rows) {
  constexpr double few = 4;
  const double least = std::min(positives, negatives), between = (a * least + .5) / (least + 1);
  return std::max(0., exponential_variance(between, positives, negatives) - of_rows) * few / (few + least);
}

}  // namespace

Interval logit_interval(double x, double variance, std::size_t n, double level) {
  if (variance <= 0 || x <= 0 || x >= 1) {
    const auto successes = static_cast<std::size_t>(std::llround(x * static_cast<double>(n)));
    return clopper_pearson(std::min(successes, n), n, level);
  }
  const double centre = std::log(x / (1 - x)),
               half = normal_quantile(.5 + level / 2) * std::sqrt(variance) / (x * (1 - x));
  return {1 / (1 + std::exp(half - centre)), 1 / (1 + std::exp(-half - centre))};
}

std::optional<Auroc> auroc(std::span<const double> scores, std::span<const std::uint8_t> positive,
                           double level, std::span<double> influence, double weight) {
  const std::size_t n = scores.size();
  Auroc found;
  std::vector<std::pair<double, std::uint32_t>> order(n);
  for (std::size_t i = 0; i < n; ++i) {
    order[i] = {scores[i], static_cast<std::uint32_t>(i)};
    found.positives += positive[i];
  }
  found.negatives = n - found.positives;
  if (found.positives == 0 || found.negatives == 0) return std::nullopt;
  std::ranges::sort(order);
  const auto p = static_cast<double>(found.positives), m = static_cast<double>(found.negatives);
  // Of a block of ties: the share of the other class below it, and half of that in it.
  std::vector<double> placement(n);
  double positives_below = 0, negatives_below = 0, sum = 0;
  for (std::size_t begin = 0, end = 0; begin < n; begin = end) {
    double positives_here = 0;
    const double last = order[begin].first + rounding * std::max(1., std::abs(order[begin].first));
    for (end = begin; end < n && order[end].first <= last; ++end)
      positives_here += positive[order[end].second];
    const double negatives_here = static_cast<double>(end - begin) - positives_here;
    const double of_positive = (negatives_below + negatives_here / 2) / m,
                 of_negative = 1 - (positives_below + positives_here / 2) / p;
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t row = order[i].second;
      placement[row] = positive[row] ? of_positive : of_negative;
    }
    sum += positives_here * of_positive;
    positives_below += positives_here, negatives_below += negatives_here;
  }
  found.value = sum / p;
  double of_positives = 0, of_negatives = 0;
  for (std::size_t row = 0; row < n; ++row) {
    const double off = placement[row] - found.value;
    (positive[row] ? of_positives : of_negatives) += off * off;
    if (!influence.empty()) influence[row] += weight * off * static_cast<double>(n) / (positive[row] ? p : m);
  }
  if (found.positives > 1 && found.negatives > 1)
    found.variance = of_positives / (p - 1) / p + of_negatives / (m - 1) / m;
  found.few_rows = few_rows_of(found.value, p, m, of_positives / p / p + of_negatives / m / m);
  found.interval = logit_interval(found.value, found.variance > 0 ? found.variance + found.few_rows : 0,
                                  std::min(found.positives, found.negatives), level);
  return found;
}

}  // namespace leeway::assess
