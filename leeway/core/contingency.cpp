#include "leeway/core/contingency.h"

#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <numeric>

#include "leeway/core/parallel.h"
#include "leeway/core/rows.h"

namespace leeway {
namespace {

// Small numbers from a table, others by Stirling's series, whose next term is below 1e-21: the gamma function would be most
// of the work.
double log_factorial(std::uint64_t n) {
  static const std::vector<double> small = [] {
    std::vector<double> values(4096);
    for (std::size_t i = 2; i < values.size(); ++i)
      values[i] = boost::math::lgamma(static_cast<double>(i) + 1);
    return values;
  }();
  if (n < small.size()) return small[n];
  constexpr double half_log_two_pi = .91893853320467274178;
  const double x = static_cast<double>(n), inverse = 1 / x;
  return (x + .5) * std::log(x) - x + half_log_two_pi + inverse * (1. / 12 - inverse * inverse / 360);
}

double log_choose(std::uint64_t n, std::uint64_t k) {
  return log_factorial(n) - log_factorial(k) - log_factorial(n - k);
}

// A number with a unimodal distribution over [low, high]: the neighbours of the mode are tried in turn.
// up(x) is the probability of x + 1 over that of x, down(x) that of x - 1 over that of x.
template <class Up, class Down>
std::uint64_t invert(Random& random, std::uint64_t low, std::uint64_t high, std::uint64_t mode,
                     double at_mode, const Up& up, const Down& down) {
  double left = random.uniform() - at_mode;
  std::uint64_t above = mode, below = mode;
  double p_above = at_mode, p_below = at_mode;
  while (left >= 0) {
    const bool can_rise = above < high && p_above > 0, can_fall = below > low && p_below > 0;
    if (!can_rise && !can_fall) return mode;  // what rounding left over
    if (can_rise) {
      p_above *= up(above);
      ++above;
      left -= p_above;
      if (left < 0) return above;
    }
    if (can_fall) {
      p_below *= down(below);
      --below;
      left -= p_below;
      if (left < 0) return below;
    }
  }
  return mode;
}

// Distributes n over cells by integer weights; cells of weight 0 stay empty.
void scatter(Random& random, std::uint64_t n, std::span<const std::uint64_t> weights,
             std::span<std::uint64_t> counts) {
  std::uint64_t rest = std::accumulate(weights.begin(), weights.end(), std::uint64_t{0});
  for (std::size_t j = 0; j < weights.size() && n > 0; ++j) {
    if (weights[j] == 0) continue;
    counts[j] = draw_binomial(random, n, static_cast<double>(weights[j]) / static_cast<double>(rest));
    n -= counts[j];
    rest -= weights[j];
  }
}

std::size_t occupied(const std::vector<std::uint64_t>& sums) {
  return sums.size() - static_cast<std::size_t>(std::ranges::count(sums, 0u));
}

// Rows and columns with counts; both at least 2, or nothing can be said.
struct Shape {
  double rows, columns, n;
  bool degenerate;
};

Shape shape_of(const Contingency& table) {
  const std::size_t rows = occupied(table.row_sums()), columns = occupied(table.column_sums());
  return {static_cast<double>(rows), static_cast<double>(columns), static_cast<double>(table.n()),
          rows < 2 || columns < 2};
}

}  // namespace

std::uint64_t Contingency::n() const {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

std::vector<std::uint64_t> Contingency::row_sums() const {
  std::vector<std::uint64_t> sums(rows);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) sums[i] += at(i, j);
  return sums;
}

std::vector<std::uint64_t> Contingency::column_sums() const {
  std::vector<std::uint64_t> sums(columns);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) sums[j] += at(i, j);
  return sums;
}

Contingency count_pairs(std::span<const std::uint16_t> a, std::size_t rows, std::span<const std::uint16_t> b,
                        std::size_t columns) {
  Contingency table{rows, columns, std::vector<std::uint64_t>(rows * columns)};
  for (std::size_t i = 0; i < a.size(); ++i) ++table.counts[a[i] * columns + b[i]];
  return table;
}

double phi_squared(const Contingency& table) {
  const auto rows = table.row_sums(), columns = table.column_sums();
  if (occupied(rows) < 2 || occupied(columns) < 2) return 0;
  const auto n = static_cast<double>(table.n());
  double sum = 0;
  for (std::size_t i = 0; i < table.rows; ++i)
    for (std::size_t j = 0; j < table.columns; ++j) {
      if (rows[i] == 0 || columns[j] == 0) continue;
      const double expected = static_cast<double>(rows[i]) * static_cast<double>(columns[j]) / n;
      const double gap = static_cast<double>(table.at(i, j)) - expected;
      sum += gap * gap / expected;
    }
  return sum / n;
}

double mutual_information(const Contingency& table) {
  const auto rows = table.row_sums(), columns = table.column_sums();
  const auto n = static_cast<double>(table.n());
  double sum = 0;
  for (std::size_t i = 0; i < table.rows; ++i)
    for (std::size_t j = 0; j < table.columns; ++j) {
      if (table.at(i, j) == 0) continue;
      const auto count = static_cast<double>(table.at(i, j));
      sum +=
          count / n * std::log(count * n / (static_cast<double>(rows[i]) * static_cast<double>(columns[j])));
    }
  return std::max(0., sum);
}

double corrected_v(const Contingency& table, int times) {
  const Shape shape = shape_of(table);
  if (shape.degenerate) return 0;
  const double r = shape.rows - 1, c = shape.columns - 1, m = shape.n - 1;
  const double phi2 = phi_squared(table) - times * r * c / m;
  const double least = std::min(r - r * r / m, c - c * c / m);  // of the corrected sizes, less 1
  if (phi2 <= 0 || least <= 0) return 0;
  return std::min(1., std::sqrt(phi2 / least));
}

double corrected_information(const Contingency& table, int times) {
  const Shape shape = shape_of(table);
  if (shape.degenerate) return 0;
  return std::max(0.,
                  mutual_information(table) - times * (shape.rows - 1) * (shape.columns - 1) / (2 * shape.n));
}

std::uint64_t draw_binomial(Random& random, std::uint64_t n, double p) {
  if (n == 0 || p <= 0) return 0;
  if (p >= 1) return n;
  const double odds = p / (1 - p), trials = static_cast<double>(n);
  const auto mode = std::min(n, static_cast<std::uint64_t>((trials + 1) * p));
  const double at_mode = std::exp(log_choose(n, mode) + static_cast<double>(mode) * std::log(p) +
                                  static_cast<double>(n - mode) * std::log1p(-p));
  return invert(
      random, 0, n, mode, at_mode,
      [&](std::uint64_t x) {
        return (trials - static_cast<double>(x)) * odds / (static_cast<double>(x) + 1);
      },
      [&](std::uint64_t x) {
        return static_cast<double>(x) / ((trials - static_cast<double>(x) + 1) * odds);
      });
}

std::uint64_t draw_hypergeometric(Random& random, std::uint64_t good, std::uint64_t bad,
                                  std::uint64_t draws) {
  const std::uint64_t low = draws > bad ? draws - bad : 0, high = std::min(good, draws);
  if (low == high) return low;
  const auto g = static_cast<double>(good), b = static_cast<double>(bad), d = static_cast<double>(draws);
  const auto mode = std::clamp(static_cast<std::uint64_t>((d + 1) * (g + 1) / (g + b + 2)), low, high);
  const double at_mode =
      std::exp(log_choose(good, mode) + log_choose(bad, draws - mode) - log_choose(good + bad, draws));
  return invert(
      random, low, high, mode, at_mode,
      [&](std::uint64_t k) {
        const auto x = static_cast<double>(k);
        return (g - x) * (d - x) / ((x + 1) * (b - d + x + 1));
      },
      [&](std::uint64_t k) {
        const auto x = static_cast<double>(k);
        return x * (b - d + x) / ((g - x + 1) * (d - x + 1));
      });
}

Contingency permuted(Random& random, const Contingency& table) {
  Contingency drawn{table.rows, table.columns, std::vector<std::uint64_t>(table.counts.size())};
  const auto rows = table.row_sums();
  auto columns = table.column_sums();
  std::uint64_t all = table.n();
  for (std::size_t i = 0; i < table.rows; ++i) {
    std::uint64_t wanted = rows[i], rest = all;
    for (std::size_t j = 0; j < table.columns && wanted > 0; ++j) {
      rest -= columns[j];
      const std::uint64_t count = draw_hypergeometric(random, columns[j], rest, wanted);
      drawn.counts[i * table.columns + j] = count;
      columns[j] -= count;
      wanted -= count;
    }
    all -= rows[i];
  }
  return drawn;
}

Contingency resampled(Random& random, const Contingency& table) {
  Contingency drawn{table.rows, table.columns, std::vector<std::uint64_t>(table.counts.size())};
  scatter(random, table.n(), table.counts, drawn.counts);
  return drawn;
}

Contingency drawn_from(Random& random, const Contingency& table, std::span<const std::uint64_t> weights) {
  Contingency drawn{table.rows, table.columns, std::vector<std::uint64_t>(table.counts.size())};
  const auto rows = table.row_sums();
  for (std::size_t i = 0; i < table.rows; ++i)
    scatter(random, rows[i], weights, std::span(drawn.counts).subspan(i * table.columns, table.columns));
  return drawn;
}

double chance_p(const Contingency& table, const Statistic& statistic, const DrawTable& draw,
                std::size_t draws, std::uint64_t seed, std::uint32_t stream) {
  const double seen = statistic(table);
  const double threshold = seen - 1e-10 * std::abs(seen);  // ties stay ties whatever rounding does
  constexpr std::size_t chunk = 64;
  const auto is_hit = [&](std::size_t b) {
    Random random(seed, stream, b);
    return statistic(draw(random)) >= threshold;
  };
  const auto hits = sum_of_rows<std::size_t>(draws, is_hit, chunk);
  return static_cast<double>(1 + hits) / static_cast<double>(1 + draws);
}

std::vector<double> holm(std::span<const double> p) {
  std::vector<std::size_t> order = all_rows(p.size());
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
  std::vector<double> adjusted(p.size());
  double least = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    least = std::max(least, std::min(1., p[order[i]] * static_cast<double>(p.size() - i)));
    adjusted[order[i]] = least;
  }
  return adjusted;
}

}  // namespace leeway
