#include "leeway/error_bound/detail/transport.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "leeway/core/message.h"
#include "leeway/core/numbers.h"
#include "leeway/core/parallel.h"
#include "leeway/core/rows.h"
#include "leeway/error_bound/detail/transport_paths.h"
#include "leeway/error_bound/detail/transport_rows.h"

namespace leeway::error_bound {
namespace {

constexpr std::size_t transport_chunk_rows = 512, transport_least_rows = 1024, transport_growth = 16,
                      most_newton_columns = 1024;
// More columns than this: a sample has to have as many rows for each to tell their potentials.
constexpr std::size_t many_columns = 64;

// As many rows are solved without a start from fewer.
std::size_t rows_of_start(std::size_t k) {
  return k > many_columns ? many_columns * k : transport_least_rows;
}

// L x = b for a symmetric positive semi-definite L by conjugate gradients; a rough answer will do.
std::vector<double> solve_roughly(const std::vector<double>& l, const std::vector<double>& b) {
  const std::size_t k = b.size();
  std::vector<double> x(k, 0), residual = b, direction = b, product(k);
  const auto dot = [](const std::vector<double>& v, const std::vector<double>& w) {
    return std::inner_product(v.begin(), v.end(), w.begin(), 0.);
  };
  double rest = dot(residual, residual);
  const double start = rest;
  for (std::size_t step = 0; step < std::min<std::size_t>(2 * k, 64) && rest > 1e-12 * start; ++step) {
    for (std::size_t i = 0; i < k; ++i)
      product[i] = std::inner_product(direction.begin(), direction.end(),
                                      l.begin() + static_cast<std::ptrdiff_t>(i * k), 0.);
    const double curvature = dot(direction, product);
    if (!(curvature > 0)) break;
    const double length = rest / curvature;
    for (std::size_t i = 0; i < k; ++i) x[i] += length * direction[i], residual[i] -= length * product[i];
    const double before = rest;
    rest = dot(residual, residual);
    for (std::size_t i = 0; i < k; ++i) direction[i] = residual[i] + rest / before * direction[i];
  }
  return x;
}

// Newton's method on the dual: if u_a rises by t over u_b, the number of rows that change from a to b is
// about t times the density of rows at their tie.
std::vector<double> newton_step(const Assignment& assignment) {
  const std::size_t k = assignment.excess.size();
  const double reach = assignment.margin_of(4 * assignment.to_move() + 64);
  if (!(reach > 0) || std::isinf(reach)) return {};
  std::vector<double> laplacian(k * k, 0);
  double diagonal = 0;
  for (const NearRow& row : assignment.near) {
    if (row.margin > reach) continue;
    const std::size_t a = row.best, b = row.second;
    const double density = .5 / reach;
    laplacian[a * k + a] += density, laplacian[b * k + b] += density;
    laplacian[a * k + b] -= density, laplacian[b * k + a] -= density;
    diagonal += 2 * density;
  }
  for (std::size_t j = 0; j < k; ++j) laplacian[j * k + j] += 1e-6 * diagonal / static_cast<double>(k);
  return solve_roughly(laplacian, assignment.excess);
}

// What a pass over the rows at potentials u finds: rows by their best column, and by their softmax over columns.
struct Shares {
  std::vector<double> best, soft;
};

Shares shares_of(const GainRows& p, const std::vector<double>& u, double temperature) {
  return reduce_chunks<Shares>(
      p.n, transport_chunk_rows,
      [&](std::size_t begin, std::size_t end) {
        Shares part{std::vector<double>(p.k, 0), std::vector<double>(p.k, 0)};
        std::vector<double> value(p.k);
        std::vector<std::pair<std::size_t, double>> seen;
        for_gains(p, begin, end, [&](std::size_t, const double* row) {
          double top = -infinity;
          for (std::size_t j = 0; j < p.k; ++j) value[j] = row[j] - u[j], top = std::max(top, value[j]);
          const double least = top - 12 * temperature;  // less is nothing
          seen.clear();
          double sum = 0;
          for (std::size_t j = 0; j < p.k; ++j) {
            if (!(value[j] >= least)) continue;
            seen.emplace_back(j, std::exp((value[j] - top) / temperature));
            sum += seen.back().second;
          }
          bool found = false;
          for (const auto& [j, e] : seen) {
            part.soft[j] += e / sum;
            if (!found && value[j] == top) part.best[j] += 1, found = true;
          }
        });
        return part;
      },
      [](Shares a, const Shares& b) {
        for (std::size_t j = 0; j < a.best.size(); ++j) a.best[j] += b.best[j], a.soft[j] += b.soft[j];
        return a;
      });
}

// Mean of the largest gain of a row, over the first rows.
double typical_gain(const GainRows& p) {
  const std::size_t count = std::min(p.n, transport_chunk_rows);
  double sum = 0;
  for_gains(p, 0, count, [&](std::size_t, const double* row) { sum += *std::max_element(row, row + p.k); });
  return sum / static_cast<double>(count);
}

// Sinkhorn's iterations on the dual from u = 0, smoothed ever less: of the potentials on the way those that leave least to
// move.
void smooth(const GainRows& p, const std::vector<double>& masses, std::vector<double>& u) {
  constexpr double tiny = 1e-200;  // columns may be empty
  std::vector<double> now = u;
  double least = infinity;
  for (double temperature = std::clamp(.15 * typical_gain(p), 2e-4, .05); temperature > 1e-4;
       temperature /= 2) {
    for (int step = 0; step < 4; ++step) {
      const Shares shares = shares_of(p, now, temperature);
      double to_move = 0;
      for (std::size_t j = 0; j < p.k; ++j) to_move += std::max(0., shares.best[j] - masses[j]);
      if (to_move < least) least = to_move, u = now;
      for (std::size_t j = 0; j < p.k; ++j)
        now[j] += temperature * std::clamp(std::log((shares.soft[j] + tiny) / (masses[j] + tiny)), -4., 4.);
    }
  }
}

struct Solution {
  double gain = 0, gap = 0;  // sums over rows
  std::size_t moves = 0;
};

// A step whose potentials are not known within the reach of `rows` is one that does not pay.
void climb(const TransportRows& rows, std::vector<double>& u, Assignment& assignment) {
  double length = u.size() <= most_newton_columns ? 1 : 0;
  const double least = u.size() <= many_columns ? .01 : .3;  // a step costs more, and smoothing went before
  for (int step = 0; step < 24 && assignment.to_move() > 64 && length > least; ++step) {
    const std::vector<double> change = newton_step(assignment);
    if (change.empty()) return;
    std::vector<double> moved = u;
    for (std::size_t j = 0; j < u.size(); ++j) moved[j] += length * change[j];
    if (rows.known(moved) > 0) {
      Assignment next = rows.assign(moved);
      if (next.to_move() < (1 - .3 * length) * assignment.to_move()) {
        u = std::move(moved), assignment = std::move(next);
        length = std::min(1., 2 * length);
        continue;
      }
    }
    length /= 2;
  }
}

GainRows held(std::span<const double> gains, std::size_t k) {
  return {gains.size() / k, k, [gains, k](std::size_t begin, std::size_t, std::vector<double>&) {
            return gains.data() + begin * k;
          }};
}

// Improves u until it is optimal for p; nothing where a gain is not finite.
std::optional<Solution> solve(const GainRows& p, const std::vector<double>& fractions,
                              std::vector<double>& u) {
  const double n = static_cast<double>(p.n);
  std::vector<double> masses(p.k);
  for (std::size_t j = 0; j < p.k; ++j) masses[j] = fractions[j] * n;
  Solution solution;
  const std::size_t count = std::max(rows_of_start(p.k), p.n / transport_growth);
  if (p.n > count) {
    std::vector<std::size_t> sample(count);  // evenly spread
    for (std::size_t i = 0; i < count; ++i) sample[i] = i * p.n / count;
    const std::vector<double> gains = gathered(p, sample);
    const auto of_sample = solve(held(gains, p.k), fractions, u);
    if (!of_sample) return std::nullopt;
    solution.moves = of_sample->moves;
  }
  const bool smoothed = p.n <= count && p.k > many_columns;
  if (smoothed) smooth(p, masses, u);
  TransportRows rows(p, masses);
  for (double share = 32;; share *= 8) {
    if (!rows.read(u, share)) return std::nullopt;
    Assignment assignment = rows.assign(u);
    climb(rows, u, assignment);
    // Rows that may move cost time, so start with those nearest to a tie. If they do not suffice, their
    // potentials are the better start.
    const double at_first = smoothed
                                ? .5 * assignment.to_move() + 256
                                : std::max(8 * assignment.to_move() + 256, static_cast<double>(16 * p.k));
    for (double wanted = at_first;; wanted *= smoothed ? 2 : 4) {
      const double reach = assignment.margin_of(wanted), known = assignment.known;
      TransportPaths paths(p.k, u, assignment, reach);
      const bool balanced = paths.balance();
      solution.moves += paths.moves();
      if (rows.known(paths.potentials()) < 0) {
        u = paths.potentials();
        break;
      }
      Assignment after = rows.assign(paths.potentials());
      if (balanced || std::isinf(reach)) {  // at infinity only rounding is left
        solution.gain = paths.gain();
        solution.gap = std::max(0., after.dual - solution.gain);
        if (solution.gap <= 1e-13 * n || std::isinf(reach)) {
          u = paths.potentials();
          return solution;
        }
      }
      if (after.dual < assignment.dual) u = paths.potentials(), assignment = std::move(after);
      if (reach == known) break;
    }
  }
}

std::vector<double> normalised(std::span<const double> masses) {
  double sum = 0;
  for (std::size_t j = 0; j < masses.size(); ++j) {
    if (!(masses[j] >= 0) || std::isinf(masses[j]))
      refuse("optimal_transport: masses", "at least 0", fmt::format("{} at column {}", masses[j], j));
    sum += masses[j];
  }
  if (!(sum > 0)) throw Error("optimal_transport: masses: expected one above 0, found none");
  std::vector<double> fractions(masses.begin(), masses.end());
  for (double& fraction : fractions) fraction /= sum;
  return fractions;
}

[[noreturn]] void refuse_gains(const GainRows& p) {
  for_gains(p, 0, p.n, [&](std::size_t i, const double* row) {
    const double* const bad = std::find_if_not(row, row + p.k, [](double x) { return std::isfinite(x); });
    if (bad != row + p.k)
      refuse("optimal_transport: gains", "finite numbers",
             fmt::format("{} at row {}, column {}", *bad, i, bad - row));
  });
  throw Error("optimal_transport: gains: expected the same rows at each reading, found others");
}

}  // namespace

Transport optimal_transport(std::span<const double> gains, std::size_t k, std::span<const double> masses) {
  if (k == 0 || gains.empty() || gains.size() % k != 0)
    refuse("optimal_transport: gains", fmt::format("rows of {} values", k),
           fmt::format("{} values", gains.size()));
  return optimal_transport(held(gains, k), masses);
}

Transport optimal_transport(const GainRows& p, std::span<const double> masses) {
  if (p.n == 0 || p.k == 0)
    throw Error(fmt::format("optimal_transport: gains: expected rows and columns, found ({}, {})", p.n, p.k));
  if (masses.size() != p.k)
    throw Error(fmt::format("optimal_transport: masses: expected {} of them, found {}", p.k, masses.size()));
  const std::vector<double> fractions = normalised(masses);
  Transport result;
  result.potentials.assign(p.k, 0);
  // Of few rows every one is read some dozen times.
  std::vector<double> gains;
  GainRows few;
  if (p.n <= rows_of_start(p.k)) {
    gains = gathered(p, all_rows(p.n));
    few = held(gains, p.k);
  }
  const auto solution = solve(gains.empty() ? p : few, fractions, result.potentials);
  if (!solution) refuse_gains(p);
  const double n = static_cast<double>(p.n);
  result.cost = 1 - solution->gain / n;
  result.gap = solution->gap / n;
  result.moves = solution->moves;
  const double least = *std::min_element(result.potentials.begin(), result.potentials.end());
  for (double& u : result.potentials) u -= least;
  return result;
}

}  // namespace leeway::error_bound
