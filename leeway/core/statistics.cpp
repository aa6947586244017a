#include "leeway/core/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "leeway/core/error.h"
#include "leeway/core/numbers.h"
#include "leeway/core/parallel.h"
#include "leeway/core/random.h"

namespace leeway {
namespace {

// double throughout: 80-bit intermediates differ between machines
using Double = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double least_variation = 1e-13;  // of a standard error, as a share of the mean: less is rounding

void check_inside(const char* where, const char* what, double value) {
  if (!(value > 0 && value < 1))
    throw Error(
        fmt::format("{}: {}: expected a number between 0 and 1 (exclusive), found {}", where, what, value));
}

void check_proportion(const char* where, std::size_t successes, std::size_t n, double level) {
  check_inside(where, "level", level);
  if (successes > n)
    throw Error(fmt::format("{}: successes: expected at most n = {}, found {}", where, n, successes));
}

}  // namespace

double quantile(std::span<const double> sorted, double p) {
  const double place = p * static_cast<double>(sorted.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(place), sorted.size() - 1);
  const auto above = std::min(below + 1, sorted.size() - 1);
  const double weight = place - static_cast<double>(below);
  if (weight == 0 || sorted[below] == sorted[above]) return sorted[below];  // infinities: no inf - inf
  return sorted[below] + weight * (sorted[above] - sorted[below]);
}

Interval quantile_interval(std::span<const double> sorted, double p, double level) {
  check_inside("quantile_interval", "p", p);
  check_inside("quantile_interval", "level", level);
  const double tail = (1 - level) / 2;
  const auto n = static_cast<double>(sorted.size());
  // P(X < r), X binomial(n, p), as the beta distribution has it; 0 for r = 0, 1 for r > n
  const auto below = [&](std::size_t r) {
    if (r == 0 || r > sorted.size()) return r == 0 ? 0. : 1.;
    return boost::math::ibetac(static_cast<double>(r), n - static_cast<double>(r) + 1, p, Double());
  };
  // The first rank of 0 to n + 1 whose chance no longer holds what is asked.
  const auto first_past = [&](const auto& holds) {
    std::size_t low = 0, high = sorted.size() + 2;
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (holds(below(middle)))
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  };
  // the last rank that the quantile falls short of with at most `tail`, and the first that it is past
  const std::size_t low = first_past([&](double chance) { return chance <= tail; }) - 1;
  const std::size_t high = first_past([&](double chance) { return chance < 1 - tail; });
  return {low == 0 ? -infinity : sorted[low - 1], high > sorted.size() ? infinity : sorted[high - 1]};
}

Interval clopper_pearson(std::size_t successes, std::size_t n, double level) {
  check_proportion("clopper_pearson", successes, n, level);
  const double tail = (1 - level) / 2, k = static_cast<double>(successes),
               m = static_cast<double>(n - successes);
  Interval interval{0, 1};
  if (successes > 0) interval.low = boost::math::ibeta_inv(k, m + 1, tail, Double());
  if (successes < n) interval.high = boost::math::ibetac_inv(k + 1, m, tail, Double());
  return interval;
}

Interval wilson(std::size_t successes, std::size_t n, double level) {
  check_proportion("wilson", successes, n, level);
  if (n == 0) return {0, 1};
  const double z = normal_quantile(.5 + level / 2), trials = static_cast<double>(n);
  const double p = static_cast<double>(successes) / trials, z2 = z * z / trials;
  const double centre = (p + z2 / 2) / (1 + z2);
  const double half = std::sqrt(z2 * (p * (1 - p) + z2 / 4)) / (1 + z2);
  // the ends that are exactly 0 and 1 on paper
  return {successes == 0 ? 0 : std::max(0., centre - half), successes == n ? 1 : std::min(1., centre + half)};
}

Mean mean_and_error(std::span<const double> values) {
  const std::size_t n = values.size();
  if (n == 0) return {nan, nan, 0};
  const double count = static_cast<double>(n);
  const double mean = sum_of_rows(n, [&](std::size_t i) { return values[i]; }) / count;
  if (n == 1) return {mean, nan, 1};
  const double squares =
      sum_of_rows(n, [&](std::size_t i) { return (values[i] - mean) * (values[i] - mean); });
  return {mean, std::sqrt(squares / (count - 1) / count), n};
}

Interval student_interval(std::span<const double> values, double level) {
  check_inside("student_interval", "level", level);
  const Mean mean = mean_and_error(values);
  if (mean.n < 2) return {-infinity, infinity};
  const boost::math::students_t_distribution<double, Double> student(static_cast<double>(mean.n - 1));
  const double half = boost::math::quantile(student, .5 + .5 * level) * mean.standard_error;
  return {mean.mean - half, mean.mean + half};
}

double student_p(std::span<const double> values) {
  const Mean mean = mean_and_error(values);
  if (!(mean.standard_error > least_variation * std::abs(mean.mean))) return nan;
  const boost::math::students_t_distribution<double, Double> student(static_cast<double>(mean.n - 1));
  return 2 * boost::math::cdf(student, -std::abs(mean.mean) / mean.standard_error);
}

std::optional<Estimate> correlation(std::span<const double> x, std::span<const double> y, double level) {
  const Mean of_x = mean_and_error(x), of_y = mean_and_error(y);
  const auto varies = [](const Mean& mean) {
    return mean.standard_error > least_variation * std::abs(mean.mean);
  };
  if (x.size() < 4 || !varies(of_x) || !varies(of_y)) return std::nullopt;
  const double products =
      sum_of_rows(x.size(), [&](std::size_t i) { return (x[i] - of_x.mean) * (y[i] - of_y.mean); });
  const double n = static_cast<double>(x.size());
  const double r = std::clamp(products / (n * (n - 1) * of_x.standard_error * of_y.standard_error), -1., 1.);
  const double half = normal_quantile(.5 + level / 2) / std::sqrt(n - 3);
  return Estimate{r, {std::tanh(std::atanh(r) - half), std::tanh(std::atanh(r) + half)}};
}

double normal_quantile(double p) {
  check_inside("normal_quantile", "p", p);
  return boost::math::quantile(boost::math::normal_distribution<double, Double>(), p);
}

Interval replicate_interval(std::span<const double> sorted, double level) {
  const auto b = static_cast<double>(sorted.size());
  // Rank (B + 1) tail, counted from 1, as the p of `quantile`, whose rank is 1 + (B - 1) p.
  const double p = b > 1 ? std::clamp(((b + 1) * .5 * (1 - level) - 1) / (b - 1), 0., .5) : 0;
  return {quantile(sorted, p), quantile(sorted, 1 - p)};
}

Interval bootstrap(std::size_t n, const std::function<double(std::span<const std::size_t>)>& statistic,
                   const BootstrapOptions& options) {
  check_inside("bootstrap", "level", options.level);
  if (n == 0) throw Error("bootstrap: n: expected at least one row, found 0");
  if (options.replicates == 0) throw Error("bootstrap: replicates: expected at least 1, found 0");
  std::vector<double> values(options.replicates);
  parallel_for(options.replicates, [&](std::size_t b) {
    Random random(options.seed, stream("bootstrap"), b);
    std::vector<std::size_t> rows(n);
    for (auto& row : rows) row = random.below(n);
    values[b] = statistic(rows);
  });
  std::erase_if(values, [](double value) { return std::isnan(value); });
  if (values.empty()) return {nan, nan};
  std::sort(values.begin(), values.end());
  return replicate_interval(values, options.level);
}

double mcnemar_p(std::size_t b, std::size_t c) {
  if (b == c) return 1;
  // 2 P(X <= fewer), X binomial(b + c, 1/2)
  const double fewer = static_cast<double>(std::min(b, c)), more = static_cast<double>(std::max(b, c));
  return std::min(1., 2 * boost::math::ibeta(more, fewer + 1, .5, Double()));
}

}  // namespace leeway
