#include "leeway/average_case/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <numbers>
#include <numeric>

#include "leeway/core/contingency.h"
#include "leeway/core/message.h"
#include "leeway/core/rows.h"

namespace leeway::average_case {
namespace {

// Ranks from 1, ties sharing their mean; `ties` gains sum over ties of t^3 - t.
std::vector<double> ranks_of(std::span<const double> values, double& ties) {
  std::vector<std::size_t> order = all_rows(values.size());
  std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
  std::vector<double> ranks(values.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin;
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    const auto count = static_cast<double>(end - begin);
    for (std::size_t i = begin; i < end; ++i) ranks[order[i]] = .5 * static_cast<double>(begin + end + 1);
    ties += count * count * count - count;
    begin = end;
  }
  return ranks;
}

void same_length(std::string_view name, std::size_t a, std::size_t b, std::string_view what) {
  if (a != b) refuse(name, fmt::format("{} {}", a, what), fmt::format("{}", b));
}

// Two-sided p-value of Mann-Whitney's U from the rank sum of one group of n1 among n.
std::optional<double> mann_whitney(double rank_sum, double n1, double n, double ties) {
  const double n2 = n - n1;
  if (n1 == 0 || n2 == 0) return std::nullopt;
  const double u = rank_sum - n1 * (n1 + 1) / 2, centre = n1 * n2 / 2;
  const double variance = n1 * n2 / 12 * (n + 1 - ties / (n * (n - 1)));
  if (!(variance > 0)) return 1;  // all tie
  const double z = std::max(0., std::abs(u - centre) - .5) / std::sqrt(variance);
  return std::min(1., std::erfc(z / std::numbers::sqrt2));
}

void adjust_as_holm(std::vector<ClassDistribution>& classes) {
  std::vector<double> p;
  for (const ClassDistribution& one : classes)
    if (one.p_value) p.push_back(*one.p_value);
  const std::vector<double> adjusted = holm(p);
  auto next = adjusted.begin();
  for (ClassDistribution& one : classes)
    if (one.p_value) one.p_value = *next++;
}

}  // namespace

Distribution distribution(std::span<const double> p, double level) {
  if (!(level > 0 && level < 1)) refuse("level", "a number within (0, 1)", fmt::format("{:g}", level));
  Distribution result;
  result.n = p.size();
  if (p.empty()) return result;
  const Mean mean = mean_and_error(p);
  result.mean = mean.mean;
  if (p.size() > 1) {
    const Interval whole = student_interval(p, level);
    result.interval = Interval{std::max(0., whole.low), std::min(1., whole.high)};
  }
  std::vector<double> sorted(p.begin(), p.end());
  std::ranges::sort(sorted);
  for (std::size_t q = 0; q < quantile_levels.size(); ++q)
    result.quantiles[q] = quantile(sorted, quantile_levels[q]);
  return result;
}

std::optional<double> rank_correlation(std::span<const double> a, std::span<const double> b) {
  same_length("rank_correlation", a.size(), b.size(), "values");
  double ties = 0;
  const std::vector<double> x = ranks_of(a, ties), y = ranks_of(b, ties);
  const double centre = .5 * static_cast<double>(a.size() + 1);
  double xx = 0, yy = 0, xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - centre) * (x[i] - centre), yy += (y[i] - centre) * (y[i] - centre);
    xy += (x[i] - centre) * (y[i] - centre);
  }
  if (!(xx > 0 && yy > 0)) return std::nullopt;
  return std::clamp(xy / std::sqrt(xx) / std::sqrt(yy), -1., 1.);
}

AgainstMonteCarlo against_monte_carlo(const Column& column, const Column& monte_carlo, double level,
                                      std::uint64_t seed) {
  const std::size_t n = column.p.size();
  same_length("against_monte_carlo", n, monte_carlo.p.size(), "values of Monte Carlo");
  if (n == 0) refuse("against_monte_carlo", "at least one sample", "none");
  if (monte_carlo.draws.size() != n)
    refuse("against_monte_carlo", "the number of draws for each sample, as from mc", "none");
  AgainstMonteCarlo result;
  std::vector<double> errors(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double difference = column.p[i] - monte_carlo.p[i], p = monte_carlo.p[i];
    errors[i] = std::abs(difference);
    result.bias += difference / static_cast<double>(n);
    result.root_mean_square += difference * difference / static_cast<double>(n);
    result.largest = std::max(result.largest, errors[i]);
    result.floor +=
        std::sqrt(2 * p * (1 - p) / (std::numbers::pi * static_cast<double>(monte_carlo.draws[i]))) /
        static_cast<double>(n);
  }
  result.root_mean_square = std::sqrt(result.root_mean_square);
  result.mean_absolute = std::accumulate(errors.begin(), errors.end(), 0.) / static_cast<double>(n);
  result.interval = bootstrap(n,
                              [&](std::span<const std::size_t> rows) {
                                double sum = 0;
                                for (const std::size_t row : rows) sum += errors[row];
                                return sum / static_cast<double>(rows.size());
                              },
                              {1000, level, seed});
  result.rank = rank_correlation(column.p, monte_carlo.p);
  return result;
}

ClassBias class_bias(std::span<const double> p, std::span<const std::int64_t> labels, std::size_t classes,
                     double level) {
  same_length("class_bias", p.size(), labels.size(), "labels");
  std::vector<std::vector<double>> by_class(classes);
  std::vector<double> rank_sums(classes, 0);
  double ties = 0, total = 0;
  const std::vector<double> ranks = ranks_of(p, ties);
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (labels[i] < 0 || labels[i] >= static_cast<std::int64_t>(classes))
      refuse("class_bias", fmt::format("labels 0 to {}", classes - 1),
             fmt::format("{} at row {}", labels[i], i));
    const auto label = static_cast<std::size_t>(labels[i]);
    by_class[label].push_back(p[i]);
    rank_sums[label] += ranks[i], total += p[i];
  }
  const double n = static_cast<double>(p.size());
  ClassBias result;
  double h = 0;
  int groups = 0;
  for (std::size_t c = 0; c < classes; ++c) {
    const auto n1 = static_cast<double>(by_class[c].size());
    ClassDistribution one;
    one.label = static_cast<std::int64_t>(c);
    one.distribution = distribution(by_class[c], level);
    if (n1 > 0) h += rank_sums[c] * rank_sums[c] / n1, ++groups;
    one.p_value = mann_whitney(rank_sums[c], n1, n, ties);
    if (one.p_value) one.difference = one.distribution.mean - (total - n1 * one.distribution.mean) / (n - n1);
    result.classes.push_back(one);
  }
  adjust_as_holm(result.classes);
  const double correction = 1 - ties / (n * n * n - n);
  const bool differ = std::ranges::adjacent_find(p, std::not_equal_to<>{}) != p.end();
  if (groups > 1 && differ) {
    const double statistic = std::max(0., (12 / (n * (n + 1)) * h - 3 * (n + 1)) / correction);
    result.p_value =
        boost::math::cdf(boost::math::complement(boost::math::chi_squared(groups - 1), statistic));
  }
  return result;
}

}  // namespace leeway::average_case
