#include "leeway/agreement/feature_drift.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "leeway/agreement/detail/matrix.h"
#include "leeway/core/linear_algebra.h"
#include "leeway/core/parallel.h"
#include "leeway/core/random.h"
#include "leeway/core/rows.h"
#include "leeway/core/statistics.h"

namespace leeway::agreement {
namespace {

constexpr std::size_t least_frequencies = 64, most_frequencies = 256;
constexpr std::size_t most_phases = 51'200'000, most_products = 40'000'000'000;  // where at least 64 are left
constexpr std::size_t width_rows = 512, spread_most_rows = 4096, block_rows = 256;
constexpr std::size_t draw_groups = 8, draws_of_group = 32;

// Two matrices as one, source first.
struct Pooled {
  const Matrix &source, &target;

  [[nodiscard]] std::size_t rows() const { return source.rows() + target.rows(); }
  void copy_row(std::size_t row, std::span<double> out) const {
    row < source.rows() ? source.copy_row(row, out) : target.copy_row(row - source.rows(), out);
  }
  // `rows`, row after row.
  [[nodiscard]] std::vector<double> taken(std::span<const std::size_t> rows) const {
    const std::size_t d = source.columns();
    std::vector<double> values(rows.size() * d);
    for (std::size_t i = 0; i < rows.size(); ++i) copy_row(rows[i], std::span(values).subspan(i * d, d));
    return values;
  }
};

std::vector<double> normals(std::size_t count, std::uint64_t seed, std::uint32_t purpose,
                            std::size_t number) {
  Random random(seed, purpose, number);
  std::vector<double> values(count);
  for (double& value : values) value = random.normal();
  return values;
}

// Rows sorted by a random combination of their columns, which does not depend on where they stand.
std::vector<std::size_t> order_of_rows(const Pooled& all, std::uint64_t seed) {
  const std::size_t d = all.source.columns();
  const std::vector<double> direction = normals(d, seed, stream("feature order"), 0);
  std::vector<double> keys(all.rows());
  parallel_chunks(all.rows(), block_rows, [&](std::size_t begin, std::size_t end) {
    std::vector<double> row(d);
    for (std::size_t i = begin; i < end; ++i) {
      all.copy_row(i, row);
      for (std::size_t c = 0; c < d; ++c) keys[i] += direction[c] * row[c];
    }
  });
  std::vector<std::size_t> order = all_rows(all.rows());
  std::ranges::stable_sort(order, {}, [&](std::size_t row) { return keys[row]; });
  return order;
}

// `most` of them at most, evenly spread.
std::vector<std::size_t> spread_rows(std::span<const std::size_t> order, std::size_t most) {
  const std::size_t count = std::min(most, order.size());
  std::vector<std::size_t> rows(count);
  for (std::size_t i = 0; i < count; ++i) rows[i] = order[i * order.size() / count];
  return rows;
}

// 0 where all rows are equal.
double median_distance(const Pooled& all, std::span<const std::size_t> rows) {
  constexpr double rounding = 1e-12;
  const std::size_t d = all.source.columns(), n = rows.size();
  std::vector<double> values = all.taken(rows);
  const std::vector<double> middle = column_moments({values.data(), n, d}).mean;
  for (std::size_t i = 0; i < values.size(); ++i) values[i] -= middle[i % d];
  const std::vector<double> gram = gram_of_rows({values.data(), n, d});
  std::vector<double> squares;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const double both = gram[i * n + i] + gram[j * n + j], square = both - 2 * gram[i * n + j];
      if (square > rounding * both) squares.push_back(square);
    }
  if (squares.empty()) return 0;
  const auto median = squares.begin() + static_cast<std::ptrdiff_t>(squares.size() / 2);
  std::ranges::nth_element(squares, median);
  return std::sqrt(*median);
}

// Normal vectors, each d of them orthogonal: (count, d).
std::vector<double> orthogonal_normals(std::size_t count, std::size_t d, std::uint64_t seed) {
  std::vector<double> all;
  for (std::size_t j = 0; j < count; ++j) {
    std::vector<double> next = normals(d, seed, stream("feature frequencies"), j);
    const double length = norm(next);
    for (std::size_t i = j / d * d; i < j; ++i) {
      const std::span<const double> before = std::span(all).subspan(i * d, d);
      const double along = dot(before, next) / dot(before, before);
      for (std::size_t c = 0; c < d; ++c) next[c] -= along * before[c];
    }
    const double left = norm(next);
    for (const double value : next) all.push_back(value * length / left);
  }
  return all;
}

// Cosines and sines of all rows: (rows, 2 D).
std::vector<float> features_of(const Pooled& all, double width, std::size_t frequencies, std::uint64_t seed) {
  const std::size_t d = all.source.columns();
  std::vector<double> directions = orthogonal_normals(frequencies, d, seed);
  for (double& value : directions) value = width > 0 ? value / width : 0;
  std::vector<float> phi(all.rows() * 2 * frequencies);
  const std::vector<std::size_t> numbers = all_rows(all.rows());
  parallel_chunks(all.rows(), block_rows, [&](std::size_t begin, std::size_t end) {
    const std::vector<double> rows = all.taken(std::span(numbers).subspan(begin, end - begin));
    const std::vector<double> phases = times_transposed(RowMajor<double>{rows.data(), end - begin, d},
                                                        RowMajor<double>{directions.data(), frequencies, d});
    for (std::size_t i = 0; i < phases.size(); ++i) {
      float* const to = phi.data() + 2 * (begin * frequencies + i);
      to[0] = static_cast<float>(std::cos(phases[i])), to[1] = static_cast<float>(std::sin(phases[i]));
    }
  });
  return phi;
}

double squared_norm(std::span<const double> values) { return dot(values, values); }

std::vector<double> difference(std::vector<double> a, std::span<const double> b) {
  for (std::size_t c = 0; c < a.size(); ++c) a[c] -= b[c];
  return a;
}

// Which rows are in the source, or keep their sign: bit r for draw r of the group.
std::vector<std::uint32_t> drawn_rows(std::size_t n, std::size_t m, bool paired, std::uint64_t seed,
                                      std::size_t group) {
  std::vector<std::uint32_t> bits(paired ? n : n + m);
  std::vector<std::uint8_t> chosen(bits.size());
  for (std::size_t r = 0; r < draws_of_group; ++r) {
    Random random(seed, stream("feature drift"), group * draws_of_group + r);
    if (paired) {
      for (std::uint8_t& one : chosen) one = random.bits() & 1;
    } else {
      std::ranges::fill(chosen, std::uint8_t{0});
      std::fill_n(chosen.begin(), n, std::uint8_t{1});
      shuffle(chosen, random);
    }
    for (std::size_t i = 0; i < bits.size(); ++i) bits[i] |= std::uint32_t{chosen[i]} << r;
  }
  return bits;
}

}  // namespace

FeatureSets::FeatureSets(const Array& source, std::string_view source_name, const Array& target,
                         std::string_view target_name, std::uint64_t seed)
    : seed_(seed) {
  const Matrix before(source, source_name, "features"), after(target, target_name, "features");
  require_equal_columns(before, after);
  const Pooled all{before, after};
  n_ = before.rows(), m_ = after.rows();
  const std::size_t affordable = std::min(most_phases, most_products / before.columns()) / all.rows();
  const std::size_t frequencies = std::clamp(affordable, least_frequencies, most_frequencies);
  width_ = 2 * frequencies;
  order_ = order_of_rows(all, seed);
  phi_ = features_of(all, median_distance(all, spread_rows(order_, width_rows)), frequencies, seed);
  source_mean_ = mean(all_rows(n_));
}

// Of phi, by sqrt D.
std::vector<double> FeatureSets::mean(std::span<const std::size_t> rows) const {
  const auto part = [&](std::size_t begin, std::size_t end) {
    std::vector<double> total(width_);
    for (std::size_t i = begin; i < end; ++i) add_scaled(total, 1, phi(rows[i]));
    return total;
  };
  const auto join = [](std::vector<double> a, const std::vector<double>& b) {
    for (std::size_t c = 0; c < a.size(); ++c) a[c] += b[c];
    return a;
  };
  std::vector<double> total = reduce_chunks<std::vector<double>>(rows.size(), 1024, part, join);
  const double scale = static_cast<double>(rows.size()) * std::sqrt(.5 * static_cast<double>(width_));
  for (double& value : total) value /= scale;
  return total;
}

std::vector<double> FeatureSets::witnesses(std::span<const std::size_t> rows,
                                           std::span<const double> delta) const {
  std::vector<double> found(rows.size());
  parallel_chunks(rows.size(), block_rows, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::span<const float> values = phi(rows[i]);
      found[i] = std::inner_product(values.begin(), values.end(), delta.begin(), 0.);
    }
  });
  return found;
}

// Rows in order; of pairs, the rows of the source in the order of their partners.
std::vector<std::size_t> FeatureSets::places(bool paired) const {
  if (!paired) return order_;
  std::vector<std::size_t> pairs;
  for (const std::size_t row : order_)
    if (row >= n_) pairs.push_back(row - n_);
  return pairs;
}

// phi of a row; of a pair, target minus source.
void FeatureSets::copy_difference(std::size_t row, bool paired, std::span<double> out) const {
  std::ranges::copy(phi(paired ? n_ + row : row), out.begin());
  if (paired) add_scaled(out, -1, phi(row));
}

// Draws whose MMD^2 is at least `observed`.
std::size_t FeatureSets::hits(bool paired, double observed) const {
  const std::vector<std::size_t> rows = places(paired);
  const double n = static_cast<double>(n_), m = static_cast<double>(m_);
  const double drawn = paired ? 2 / n : 1 / n + 1 / m, fixed = paired ? 1 / n : 1 / m;
  std::vector<std::size_t> found(draw_groups);
  parallel_for(draw_groups, [&](std::size_t group) {
    const std::vector<std::uint32_t> bits = drawn_rows(n_, m_, paired, seed_, group);
    constexpr std::size_t columns = draws_of_group + 1;  // the last is the sum of all rows
    Dense<double> sums(columns, width_);
    for (std::size_t begin = 0; begin < rows.size(); begin += block_rows) {
      const std::size_t count = std::min(block_rows, rows.size() - begin);
      std::vector<double> chosen(count * columns, 1), values(count * width_);
      for (std::size_t i = 0; i < count; ++i) {
        copy_difference(rows[begin + i], paired, std::span(values).subspan(i * width_, width_));
        for (std::size_t r = 0; r < draws_of_group; ++r) chosen[i * columns + r] = bits[begin + i] >> r & 1;
      }
      const Dense<double> part = transposed_times(RowMajor<double>{chosen.data(), count, columns},
                                                  RowMajor<double>{values.data(), count, width_});
      for (std::size_t i = 0; i < part.values.size(); ++i) sums.values[i] += part.values[i];
    }
    for (std::size_t r = 0; r < draws_of_group; ++r) {
      double square = 0;
      for (std::size_t c = 0; c < width_; ++c) {
        const double one = drawn * sums(r, c) - fixed * sums(draws_of_group, c);
        square += one * one;
      }
      found[group] += square / (.5 * static_cast<double>(width_)) >= observed * (1 - 1e-9);
    }
  });
  return std::accumulate(found.begin(), found.end(), std::size_t{0});
}

FeatureSets::Spread FeatureSets::spread(bool paired) const {
  const std::vector<std::size_t> some = spread_rows(places(paired), spread_most_rows);
  std::vector<double> values(some.size() * width_);
  for (std::size_t i = 0; i < some.size(); ++i)
    copy_difference(some[i], paired, std::span(values).subspan(i * width_, width_));
  const RowMajor<double> rows{values.data(), some.size(), width_};
  if (!paired) {
    const std::vector<double> middle = column_moments(rows).mean;
    for (std::size_t i = 0; i < values.size(); ++i) values[i] -= middle[i % width_];
  }
  Dense<double> c = transposed_times(rows, rows);
  const double scale = .5 * static_cast<double>(width_ * some.size());
  Spread found;
  for (double& value : c.values) value /= scale;
  for (std::size_t i = 0; i < width_; ++i) found.trace += c(i, i);
  found.squares = dot(c.values, c.values);
  for (int power = 2; power <= 8; power *= 2) c = times_transposed(c, c);  // c^8
  found.largest = std::pow(dot(c.values, c.values), 1. / 16);
  return found;
}

double FeatureSets::Spread::tail(double square, double inverse_rows) const {
  const double beyond = square / inverse_rows - trace;
  if (!(beyond > 0)) return 1;
  const double r = beyond * largest / squares, u = r / (1 + r);
  return std::exp(-.5 * (u * beyond / largest + squares / (largest * largest) * (u - std::log1p(r))));
}

TwoSampleTest FeatureSets::chunk(std::span<const std::size_t> rows, const Spread& spread) const {
  std::vector<std::size_t> of_target(rows.begin(), rows.end());
  for (std::size_t& row : of_target) row += n_;
  const double square = squared_norm(difference(mean(of_target), source_mean_));
  const double inverse = 1 / static_cast<double>(n_) + 1 / static_cast<double>(rows.size());
  return {std::sqrt(square), spread.tail(square, inverse), false};
}

TwoSampleTest FeatureSets::test(bool paired, double square) const {
  const std::size_t reached = hits(paired, square), draws = draw_groups * draws_of_group;
  const double drawn = static_cast<double>(1 + reached) / static_cast<double>(1 + draws);
  const double n = static_cast<double>(n_), inverse = paired ? 1 / n : 1 / n + 1 / static_cast<double>(m_);
  const double tail = reached == 0 ? spread(paired).tail(square, inverse) : 1;
  return {std::sqrt(square), std::min(drawn, tail), true};
}

FeatureDrift FeatureSets::drift(bool paired, std::size_t most_moved) const {
  FeatureDrift found;
  std::array<std::vector<std::size_t>, 2> source, target;  // halves, alternating in the order
  std::size_t before = 0, after = 0;
  for (const std::size_t row : places(paired)) {
    if (row < n_) source[before++ % 2].push_back(row);
    if (row >= n_ || paired) target[after++ % 2].push_back(paired ? n_ + row : row);
  }
  std::vector<std::size_t> all = all_rows(n_ + m_);
  const std::vector<double> delta = difference(mean(std::span(all).last(m_)), source_mean_);
  found.test = test(paired, squared_norm(delta));
  for (std::size_t h = 0; h < 2 && n_ > 1 && m_ > 1; ++h) {
    const std::vector<double> other = difference(mean(target[1 - h]), mean(source[1 - h]));
    found.scores[h] = {witnesses(source[h], other), witnesses(target[h], other)};
  }
  const std::vector<double> by_row = witnesses(all, delta);
  const Mean level = mean_and_error(std::span(by_row).first(n_));
  const double deviation = level.standard_error * std::sqrt(static_cast<double>(n_));
  if (!(deviation > 0)) return found;
  for (std::size_t i = 0; i < m_; ++i)
    found.moved.push_back({i, (by_row[n_ + i] - (paired ? by_row[i] : level.mean)) / deviation});
  std::ranges::stable_sort(found.moved, std::greater(), &MovedRow::score);
  found.moved.resize(std::min(most_moved, m_));
  return found;
}

}  // namespace leeway::agreement
