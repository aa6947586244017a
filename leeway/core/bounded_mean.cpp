#include "leeway/core/bounded_mean.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/math/tools/roots.hpp>
#include <cmath>
#include <cstddef>
#include <vector>

#include "leeway/core/error.h"
#include "leeway/core/parallel.h"

namespace leeway {
namespace {

constexpr std::size_t few = 256, cells = 64, chunk = 4096;

// Of a distance from the end of the range, in units of the largest distance: in [0,1].
struct Atom {
  double distance = 0, weight = 1;
};

struct Cell {
  double weight = 0, sum = 0, squares = 0;  // of what lies beyond the cell's beginning
};
using Cells = std::array<Cell, cells>;

// A cell as two atoms, one at its beginning: number, mean and variance are those of its values, and the other atom lies
// in the cell too.
void add_atoms(const Cell& cell, double begin, std::vector<Atom>& atoms) {
  if (cell.weight == 0) return;
  const double mean = cell.sum / cell.weight;
  if (!(mean > 0)) {
    atoms.push_back({begin, cell.weight});
    return;
  }
  const double other = std::clamp(cell.squares / cell.sum, mean, 1. / cells);
  const double share = mean / other;
  atoms.push_back({begin + other, share * cell.weight});
  if (share < 1) atoms.push_back({begin, (1 - share) * cell.weight});
}

std::vector<Atom> atoms_of(std::span<const double> values, double end, double farthest) {
  std::vector<Atom> atoms = {{0, 1}};  // the row that was not drawn
  if (values.size() <= few) {
    for (const double value : values) atoms.push_back({std::abs(value - end) / farthest, 1});
    return atoms;
  }
  const Cells sums = reduce_chunks<Cells>(
      values.size(), chunk,
      [&](std::size_t begin, std::size_t stop) {
        Cells part;
        for (std::size_t i = begin; i < stop; ++i) {
          const double distance = std::abs(values[i] - end) / farthest;
          const std::size_t at = std::min(static_cast<std::size_t>(distance * cells), cells - 1);
          const double beyond = std::max(0., distance - static_cast<double>(at) / cells);
          part[at].weight += 1, part[at].sum += beyond, part[at].squares += beyond * beyond;
        }
        return part;
      },
      [](Cells a, const Cells& b) {
        for (std::size_t i = 0; i < cells; ++i)
          a[i].weight += b[i].weight, a[i].sum += b[i].sum, a[i].squares += b[i].squares;
        return a;
      });
  for (std::size_t i = 0; i < cells; ++i) add_atoms(sums[i], static_cast<double>(i) / cells, atoms);
  return atoms;
}

// The tilted distribution of sum_i G_i (t - y_i), G_i exponential, whose weights are as 1 / (e + y_i): every e > 0 is the
// saddlepoint of one t, so that t need not be solved for. `t` is the distance of the quantile from the end.
struct Tilted {
  double t = 0, deviate = 0;
};

Tilted tilted(std::span<const Atom> atoms, double n, double e) {
  double inverse = 0, logs = 0;
  for (const Atom& atom : atoms) {
    inverse += atom.weight / (e + atom.distance);
    logs += atom.weight * std::log(e + atom.distance);
  }
  const double s = inverse / n;
  double squares = 0;
  for (const Atom& atom : atoms) {
    const double excess = 1 / (s * (e + atom.distance)) - 1;
    squares += atom.weight * excess * excess;
  }
  const double w = std::sqrt(std::max(0., 2 * (n * std::log(s) + logs))), u = std::sqrt(squares);
  // Next to 0 the two are equal but for rounding.
  const double deviate = w > 1e-3 ? w + std::log(u / w) / w : u;
  return {std::max(0., 1 / s - e), deviate};
}

// Distance of the quantile of normal deviate z from the end of the range.
double distance_of_end(std::span<const double> values, double end, double farthest, double z) {
  if (!(farthest > 0)) return 0;
  const std::vector<Atom> atoms = atoms_of(values, end, farthest);
  const double n = static_cast<double>(values.size() + 1);
  double mean = 0, square = 0;
  for (const Atom& atom : atoms)
    mean += atom.weight * atom.distance / n, square += atom.weight * atom.distance * atom.distance / n;
  const double spread = std::sqrt(std::max(0., square - mean * mean) * n);
  // Where the normal approximation has it.
  const double guess = std::max(.1, spread / z - mean);
  std::uintmax_t iterations = 100;
  const auto [below, above] = boost::math::tools::bracket_and_solve_root(
      [&](double e) { return tilted(atoms, n, e).deviate - z; }, guess, 2., false,
      [](double a, double b) { return std::abs(a - b) <= 1e-9 * (std::abs(a) + std::abs(b)); }, iterations);
  return tilted(atoms, n, .5 * (below + above)).t * farthest;
}

}  // namespace

Interval bounded_mean_interval(std::span<const double> values, double least, double most, double level) {
  if (!(level > 0 && level < 1))
    throw Error(fmt::format(
        "bounded_mean_interval: level: expected a number between 0 and 1 (exclusive), found {}", level));
  if (values.empty()) throw Error("bounded_mean_interval: expected at least one value, found 0");
  double low = values[0], high = values[0];
  for (const double value : values) {
    if (!(value >= least && value <= most) || !std::isfinite(most - least))
      throw Error(fmt::format("bounded_mean_interval: expected finite values in [{}, {}], found {}", least,
                              most, value));
    low = std::min(low, value), high = std::max(high, value);
  }
  const double z = normal_quantile(.5 * (1 + level));
  return {least + distance_of_end(values, least, high - least, z),
          most - distance_of_end(values, most, most - low, z)};
}

Interval stratified_mean_interval(std::span<const double> values, std::span<const std::int64_t> strata,
                                  std::span<const Interval> ranges, double level) {
  std::vector<std::vector<double>> rows(ranges.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t s = strata.empty() ? 0 : static_cast<std::size_t>(strata[i]);
    rows[s].push_back(std::clamp(values[i], ranges[s].low, ranges[s].high));
  }
  double value = 0, below = 0, above = 0;
  const double z = normal_quantile(.5 * (1 + level));
  for (std::size_t s = 0; s < rows.size(); ++s) {
    if (rows[s].empty()) continue;
    const Mean mean = mean_and_error(rows[s]);
    const Interval ends = bounded_mean_interval(rows[s], ranges[s].low, ranges[s].high, level);
    const double normal = rows.size() > 1 && mean.n > 1 ? z * mean.standard_error : 0;
    const double down = std::max(mean.mean - ends.low, normal), up = std::max(ends.high - mean.mean, normal);
    value += mean.mean, below += down * down, above += up * up;
  }
  return {value - std::sqrt(below), value + std::sqrt(above)};
}

}  // namespace leeway
