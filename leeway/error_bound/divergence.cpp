#include "leeway/error_bound/divergence.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "leeway/core/parallel.h"
#include "leeway/error_bound/detail/critic_rows.h"

namespace leeway::error_bound {
namespace {

// A set of rows, one bit each.
struct RowSet {
  std::uint64_t source = 0, target = 0;

  void add(const CriticRows& rows, std::size_t i) {
    (i < rows.n_source ? source : target) |= std::uint64_t{1} << (i < rows.n_source ? i : i - rows.n_source);
  }
  friend RowSet operator^(RowSet a, RowSet b) { return {a.source ^ b.source, a.target ^ b.target}; }
  friend auto operator<=>(const RowSet&, const RowSet&) = default;
};

// |share of target rows - share of source rows| times n_S n_T; a set and its complement have the same.
std::int64_t shift_of(const RowSet& set, const CriticRows& rows) {
  return std::abs(std::popcount(set.target) * static_cast<std::int64_t>(rows.n_source) -
                  std::popcount(set.source) * static_cast<std::int64_t>(rows.n_target));
}

// Every half-plane of the rows once, up to complements.
std::vector<RowSet> half_planes(const CriticRows& rows) {
  constexpr double rounding = 1e-13;
  const auto along = [&](std::size_t i, std::size_t j, std::size_t column) {
    return column < rows.d ? double(rows.at_row(j, column)) - double(rows.at_row(i, column)) : 0.;
  };
  std::vector<RowSet> sets{{}};
  for (std::size_t i = 0; i < rows.n(); ++i)
    for (std::size_t j = i + 1; j < rows.n(); ++j) {
      const double dx = along(i, j, 0), dy = along(i, j, 1);
      if (dx == 0 && dy == 0) continue;
      RowSet left, right;
      std::vector<std::pair<double, std::size_t>> on;  // the line, by the place along it
      for (std::size_t e = 0; e < rows.n(); ++e) {
        const double ex = along(i, e, 0), ey = along(i, e, 1), turn = dx * ey - dy * ex;
        if (std::abs(turn) <= rounding * (std::abs(dx * ey) + std::abs(dy * ex)))
          on.emplace_back(dx * ex + dy * ey, e);
        else
          (turn > 0 ? left : right).add(rows, e);
      }
      std::ranges::sort(on);
      for (std::size_t e = 0; e < on.size(); ++e) {
        if (e == 0 || on[e].first > on[e - 1].first) sets.insert(sets.end(), {left, right});
        left.add(rows, on[e].second), right.add(rows, on[e].second);
      }
    }
  RowSet all;
  for (std::size_t i = 0; i < rows.n(); ++i) all.add(rows, i);
  for (RowSet& set : sets)
    if (set.source & 1) set = set ^ all;
  std::ranges::sort(sets);
  sets.erase(std::unique(sets.begin(), sets.end()), sets.end());
  return sets;
}

}  // namespace

std::optional<Divergences> divergences(const Sample& source, const Sample& target,
                                       const Representation& representation) {
  if (source.k() != 2 || representation.kernel || std::max(source.n(), target.n()) > most_divergence_rows)
    return std::nullopt;
  Dis2Options all_rows;
  all_rows.representation = representation, all_rows.holdout = 0;
  const CriticRows rows = critic_data(source, target, all_rows, Scaling::none).training;
  if (rows.d > 2) return std::nullopt;
  RowSet classifier;
  for (std::size_t i = 0; i < rows.n(); ++i)
    if (rows.y[i] == 1) classifier.add(rows, i);
  const std::vector<RowSet> sets = half_planes(rows);
  const auto largest = [&](const RowSet& with, std::size_t begin) {
    std::int64_t value = 0;
    for (std::size_t i = begin; i < sets.size(); ++i) value = std::max(value, shift_of(sets[i] ^ with, rows));
    return static_cast<double>(value) / static_cast<double>(rows.n_source * rows.n_target);
  };
  std::vector<double> most(sets.size());
  parallel_for(sets.size(), [&](std::size_t a) { most[a] = largest(sets[a], a); });
  return Divergences{largest({}, 0), *std::ranges::max_element(most), largest(classifier, 0)};
}

}  // namespace leeway::error_bound
