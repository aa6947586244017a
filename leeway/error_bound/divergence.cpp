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

struct PlanePoint {
  double x = 0, y = 0;
};

// Of the line from a to b: the rows on its left, and those on it with their place along it.
struct LineSides {
  RowSet left, right;
  std::vector<std::pair<double, std::size_t>> on;
};

LineSides sides_of(const CriticRows& rows, const std::vector<PlanePoint>& points, const PlanePoint& a,
                   const PlanePoint& b) {
  constexpr double rounding = 1e-13;
  LineSides sides;
  const double dx = b.x - a.x, dy = b.y - a.y;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double ex = points[i].x - a.x, ey = points[i].y - a.y;
    const double first = dx * ey, second = dy * ex, turn = first - second;
    if (std::abs(turn) <= rounding * (std::abs(first) + std::abs(second)))
      sides.on.emplace_back(dx * ex + dy * ey, i);
    else
      (turn > 0 ? sides.left : sides.right).add(rows, i);
  }
  std::ranges::sort(sides.on);
  return sides;
}

// Every half-plane of the rows once, up to complements.
std::vector<RowSet> half_planes(const CriticRows& rows) {
  std::vector<PlanePoint> points(rows.n());
  for (std::size_t i = 0; i < rows.n(); ++i)
    points[i] = {rows.at_row(i, 0), rows.d == 2 ? rows.at_row(i, 1) : 0};
  std::vector<RowSet> sets{{}};
  for (std::size_t i = 0; i < rows.n(); ++i)
    for (std::size_t j = i + 1; j < rows.n(); ++j) {
      if (points[i].x == points[j].x && points[i].y == points[j].y) continue;
      auto [left, right, on] = sides_of(rows, points, points[i], points[j]);
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
  const auto [first, last] = std::ranges::unique(sets);
  sets.erase(first, last);
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
  std::vector<std::int64_t> most(sets.size());
  parallel_for(sets.size(), [&](std::size_t a) {
    for (std::size_t b = a; b < sets.size(); ++b)
      most[a] = std::max(most[a], shift_of(sets[a] ^ sets[b], rows));
  });
  const auto largest = [&](const RowSet& with) {
    std::int64_t value = 0;
    for (const RowSet& set : sets) value = std::max(value, shift_of(set ^ with, rows));
    return static_cast<double>(value) / static_cast<double>(rows.n_source * rows.n_target);
  };
  return Divergences{rows.n_source, rows.n_target, largest({}),
                     static_cast<double>(*std::ranges::max_element(most)) /
                         static_cast<double>(rows.n_source * rows.n_target),
                     largest(classifier)};
}

}  // namespace leeway::error_bound
