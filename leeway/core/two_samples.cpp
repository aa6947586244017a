#include "leeway/core/two_samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>

#include "leeway/core/bounded_mean.h"
#include "leeway/core/contingency.h"
#include "leeway/core/error.h"

namespace leeway {
namespace {

using Double = boost::math::policies::policy<boost::math::policies::promote_double<false>>;

constexpr std::size_t first_draws = 199, exact_product = 1'000'000;
constexpr double worth_more_draws = .1;

void require_same_categories(const char* where, std::span<const std::size_t> a,
                             std::span<const std::size_t> b) {
  if (a.size() != b.size())
    throw Error(fmt::format("{}: b: expected {} categories, found {}", where, a.size(), b.size()));
}

double total_of(std::span<const std::size_t> counts) {
  return static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::size_t{0}));
}

// The probability that a path of `rows` steps of one kind and `columns` of the other, all orders alike, is at some end of a
// block `least` or more away from the diagonal; distances in units of 1 / (rows columns).
double path_probability(std::size_t rows, std::size_t columns, std::uint64_t least,
                        const std::vector<char>& ends_block) {
  const auto far = [&](std::size_t i, std::size_t j) {
    const std::uint64_t x = i * columns, y = j * rows;
    return ends_block[i + j] != 0 && (x > y ? x - y : y - x) >= least;
  };
  std::vector<double> reached(columns + 1, 0);
  for (std::size_t j = 1; j <= columns; ++j) reached[j] = far(0, j) ? 1 : reached[j - 1];
  for (std::size_t i = 1; i <= rows; ++i) {
    if (far(i, 0)) reached[0] = 1;
    const auto above = static_cast<double>(i);
    for (std::size_t j = 1; j <= columns; ++j) {
      const auto left = static_cast<double>(j);
      reached[j] = far(i, j) ? 1 : (above * reached[j] + left * reached[j - 1]) / (above + left);
    }
  }
  return reached[columns];
}

// Of columns of c rows: log of sum_x C(c, x) e^(t x^2 / c + u x), and moments of x and y = x^2 / c under these weights.
struct Tilted {
  double log_sum = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0;  // the last three: covariances
};
struct TiltedColumns {
  double times = 0;                // how many columns
  std::vector<double> log_choose;  // of c and x, by x

  void prepare(std::uint64_t c) {
    log_choose.assign(c + 1, 0);
    for (std::uint64_t x = 0; x < c; ++x)
      log_choose[x + 1] = log_choose[x] + std::log(static_cast<double>(c - x) / static_cast<double>(x + 1));
  }

  [[nodiscard]] Tilted at(double t, double u) const {
    constexpr double negligible = 45;  // of the largest log weight: e^-45 of it, times 10^7 rows, is rounding
    const double per = t / static_cast<double>(log_choose.size() - 1);
    const auto log_weight = [&](std::size_t x) {
      const auto value = static_cast<double>(x);
      return log_choose[x] + value * (per * value + u);
    };
    double most = log_weight(0);
    for (std::size_t x = 1; x < log_choose.size(); ++x) most = std::max(most, log_weight(x));
    Tilted found;
    double sum = 0;
    for (std::size_t i = 0; i < log_choose.size(); ++i) {
      const double above = log_weight(i) - most;
      if (above < -negligible) continue;
      const double x = static_cast<double>(i), y = x * x / static_cast<double>(log_choose.size() - 1),
                   weight = std::exp(above);
      sum += weight, found.x += weight * x, found.y += weight * y;
      found.xx += weight * x * x, found.xy += weight * x * y, found.yy += weight * y * y;
    }
    found.log_sum = most + std::log(sum);
    found.x /= sum, found.y /= sum;
    found.xx = found.xx / sum - found.x * found.x, found.xy = found.xy / sum - found.x * found.y;
    found.yy = found.yy / sum - found.y * found.y;
    return found;
  }
};

// Chernoff's bound of the header on the log of the probability of `table`, by Newton's method. Any t >= 0 and u give a bound.
double log_chernoff(const Contingency& table) {
  const std::vector<std::uint64_t> columns = table.column_sums();
  std::map<std::uint64_t, TiltedColumns> sizes;
  double a = 0, b = 0, q = 0;
  for (std::size_t j = 0; j < table.columns; ++j) {
    const auto x = static_cast<double>(table.at(0, j)), c = static_cast<double>(columns[j]);
    a += x, b += c - x, q += x * x / c, ++sizes[columns[j]].times;
  }
  for (auto& [c, alike] : sizes) alike.prepare(c);
  const auto at = [&](double t, double u) {
    Tilted all;
    for (const auto& [c, alike] : sizes) {
      const double times = alike.times;
      const Tilted one = alike.at(t, u);
      all.log_sum += times * one.log_sum, all.x += times * one.x, all.y += times * one.y;
      all.xx += times * one.xx, all.xy += times * one.xy, all.yy += times * one.yy;
    }
    all.log_sum -= t * q + u * a;
    return all;
  };
  double t = 0, u = std::log(a / b), step = 1;
  Tilted here = at(t, u);
  for (int i = 0; i < 40 && step > 1e-9; ++i) {
    const double slope_t = here.y - q, slope_u = here.x - a;
    const double determinant = here.xx * here.yy - here.xy * here.xy;
    if (!(determinant > 1e-12 * here.xx * here.yy)) break;
    const double by_t = (here.xy * slope_u - here.xx * slope_t) / determinant,
                 by_u = (here.xy * slope_t - here.yy * slope_u) / determinant;
    for (step = 1; step > 1e-9; step /= 2) {
      const double next_t = std::max(0., t + step * by_t), next_u = u + step * by_u;
      const Tilted next = at(next_t, next_u);
      if (!(next.log_sum < here.log_sum)) continue;
      if (here.log_sum - next.log_sum < .01) step = 0;  // close enough
      t = next_t, u = next_u, here = next;
      break;
    }
  }
  return here.log_sum - (std::lgamma(a + b + 1) - std::lgamma(a + 1) - std::lgamma(b + 1));
}

// P(K >= lambda) of Kolmogorov's distribution.
double kolmogorov_tail(double lambda) {
  if (lambda < .2) return 1;  // below 1e-12 from it
  double sum = 0;
  for (int j = 1; j <= 100; ++j) {
    const double term = std::exp(-2. * j * j * lambda * lambda);
    sum += j % 2 == 1 ? term : -term;
    if (term < 1e-17 * sum) break;
  }
  return std::clamp(2 * sum, 0., 1.);
}

}  // namespace

TwoSampleTest homogeneity(std::span<const std::size_t> a, std::span<const std::size_t> b,
                          const HomogeneityOptions& options) {
  require_same_categories("homogeneity", a, b);
  Contingency table{2, 0, {}};
  for (std::size_t j = 0; j < a.size(); ++j)
    if (a[j] + b[j] > 0) table.counts.push_back(a[j]), ++table.columns;
  for (std::size_t j = 0; j < b.size(); ++j)
    if (a[j] + b[j] > 0) table.counts.push_back(b[j]);
  const auto rows = table.row_sums(), columns = table.column_sums();
  TwoSampleTest test;
  if (table.columns < 2 || rows[0] == 0 || rows[1] == 0) return test;
  const auto n = static_cast<double>(table.n());
  test.statistic = n * phi_squared(table);
  const double least = static_cast<double>(*std::ranges::min_element(rows)) *
                       static_cast<double>(*std::ranges::min_element(columns)) / n;
  test.exact = least < enough_expected;
  const auto drawn_p = [&](std::size_t draws) {
    return chance_p(
        table, phi_squared, [&](Random& random) { return permuted(random, table); }, draws, options.seed,
        options.stream);
  };
  if (test.exact) {
    test.p = drawn_p(std::min(first_draws, options.draws));
    if (test.p <= worth_more_draws) test.p = drawn_p(options.draws);
    if (test.p * static_cast<double>(options.draws + 1) < 1.5)
      test.p = std::min(test.p, std::exp(log_chernoff(table)));
  } else {
    test.p = boost::math::gamma_q(static_cast<double>(table.columns - 1) / 2, test.statistic / 2, Double{});
  }
  return test;
}

TwoSampleTest kolmogorov_smirnov(std::vector<double> a, std::vector<double> b) {
  if (a.empty() || b.empty()) throw Error("kolmogorov_smirnov: expected two samples, found an empty one");
  for (const std::vector<double>* values : {&a, &b})
    if (std::ranges::any_of(*values, [](double value) { return std::isnan(value); }))
      throw Error("kolmogorov_smirnov: expected numbers, found NaN");
  std::ranges::sort(a);
  std::ranges::sort(b);
  const std::size_t n = a.size(), m = b.size();
  std::vector<char> ends_block(n + m + 1, 0);
  std::uint64_t most = 0;
  for (std::size_t i = 0, j = 0; i < n || j < m;) {
    const double value = j == m || (i < n && a[i] <= b[j]) ? a[i] : b[j];
    while (i < n && a[i] == value) ++i;
    while (j < m && b[j] == value) ++j;
    ends_block[i + j] = 1;
    const std::uint64_t x = i * m, y = j * n;
    most = std::max(most, x > y ? x - y : y - x);
  }
  const double rows = static_cast<double>(n), columns = static_cast<double>(m);
  TwoSampleTest test{static_cast<double>(most) / rows / columns, 1, n * m <= exact_product};
  if (most == 0) return test;
  if (test.exact) {
    test.p = std::min(
        1., n < m ? path_probability(m, n, most, ends_block) : path_probability(n, m, most, ends_block));
  } else {
    const double root = std::sqrt(rows * columns / (rows + columns));
    test.p = kolmogorov_tail(test.statistic * (root + .12 + .11 / root));
  }
  return test;
}

Estimate total_variation(std::span<const std::size_t> a, std::span<const std::size_t> b, double level) {
  require_same_categories("total_variation", a, b);
  const double n = total_of(a), m = total_of(b);
  const double z = normal_quantile(.5 + level / 2);
  if (n == 0 || m == 0) return {0, {0, 1}};
  double distance = 0, noise = 0;
  for (std::size_t j = 0; j < a.size(); ++j) {
    const double x = static_cast<double>(a[j]), y = static_cast<double>(b[j]), pooled = (x + y) / (n + m);
    distance += std::abs(x / n - y / m) / 2;
    noise += std::sqrt(pooled * (1 - pooled) * (1 / n + 1 / m) / (2 * std::numbers::pi));
  }
  const double reach = z * std::sqrt(1 / n + 1 / m) / 2;
  return {distance, {std::max(0., distance - noise - reach), std::min(1., distance + reach)}};
}

Estimate mean_change(std::span<const double> a, std::span<const double> b, double least, double most,
                     double level) {
  const auto mean = [](std::span<const double> values) {
    return std::accumulate(values.begin(), values.end(), 0.) / static_cast<double>(values.size());
  };
  const Interval first = bounded_mean_interval(a, least, most, level),
                 second = bounded_mean_interval(b, least, most, level);
  const double from = mean(a), to = mean(b), change = to - from;
  return {change,
          {change - std::hypot(to - second.low, first.high - from),
           change + std::hypot(second.high - to, from - first.low)}};
}

}  // namespace leeway
