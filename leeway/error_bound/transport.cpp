#include "leeway/error_bound/transport.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "leeway/core/error.h"
#include "leeway/error_bound/transport_paths.h"
#include "leeway/error_bound/transport_rows.h"

namespace leeway::error_bound {
namespace {

constexpr std::size_t least_rows = 1024, growth = 16, most_newton_columns = 1024;

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

// Newton's method on the dual: as u_a rises by t over u_b, the rows that change from a to b are about t times
// the density of rows at the tie between the two.
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

struct Solution {
  double gain = 0, gap = 0;  // sums over rows
  std::size_t moves = 0;
};

// A step whose potentials are not known within the reach of `rows` is one that does not pay.
void climb(const TransportRows& rows, std::vector<double>& u, Assignment& assignment) {
  double length = u.size() <= most_newton_columns ? 1 : 0;
  for (int step = 0; step < 24 && assignment.to_move() > 64 && length > .01; ++step) {
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

// Improves u until it is optimal for p; nothing where a gain is not finite.
std::optional<Solution> solve(const GainMatrix& p, const std::vector<double>& fractions,
                              std::vector<double>& u) {
  const double n = static_cast<double>(p.n);
  std::vector<double> masses(p.k);
  for (std::size_t j = 0; j < p.k; ++j) masses[j] = fractions[j] * n;
  Solution solution;
  if (p.n > least_rows) {
    const std::size_t count = std::max(least_rows, p.n / growth);
    std::vector<double> sample(count * p.k);
    for (std::size_t i = 0; i < count; ++i) std::copy_n(p.row(i * p.n / count), p.k, sample.data() + i * p.k);
    const auto of_sample = solve({sample.data(), count, p.k}, fractions, u);
    if (!of_sample) return std::nullopt;
    solution.moves = of_sample->moves;
  }
  TransportRows rows(p, masses);
  for (double share = 32;; share *= 8) {
    if (!rows.read(u, share)) return std::nullopt;
    Assignment assignment = rows.assign(u);
    climb(rows, u, assignment);
    // Every row that may move costs time, so at first only those nearest to a tie.
    for (double wanted = 8 * assignment.to_move() + 256;; wanted *= 8) {
      const double reach = assignment.margin_of(wanted);
      TransportPaths paths(p, u, assignment, reach);
      const bool balanced = paths.balance();
      solution.moves += paths.moves();
      if (balanced || std::isinf(reach)) {  // at infinity only rounding is left
        if (rows.known(paths.potentials()) < 0) {
          u = paths.potentials();
          break;
        }
        const double dual = rows.assign(paths.potentials()).dual;
        solution.gain = paths.gain();
        solution.gap = std::max(0., dual - solution.gain);
        if (solution.gap <= 1e-13 * n || std::isinf(reach)) {
          u = paths.potentials();
          return solution;
        }
      }
      if (reach == assignment.known) break;
    }
  }
}

std::vector<double> normalised(std::span<const double> masses) {
  double sum = 0;
  for (std::size_t j = 0; j < masses.size(); ++j) {
    if (!(masses[j] >= 0) || std::isinf(masses[j]))
      throw Error(
          fmt::format("optimal_transport: masses: expected at least 0, found {} at column {}", masses[j], j));
    sum += masses[j];
  }
  if (!(sum > 0)) throw Error("optimal_transport: masses: expected one above 0, found none");
  std::vector<double> fractions(masses.begin(), masses.end());
  for (double& fraction : fractions) fraction /= sum;
  return fractions;
}

[[noreturn]] void refuse_gains(std::span<const double> gains, std::size_t k) {
  const auto at = std::find_if_not(gains.begin(), gains.end(), [](double x) { return std::isfinite(x); });
  const auto index = static_cast<std::size_t>(at - gains.begin());
  throw Error(fmt::format("optimal_transport: gains: expected finite numbers, found {} at row {}, column {}",
                          *at, index / k, index % k));
}

}  // namespace

Transport optimal_transport(std::span<const double> gains, std::size_t k, std::span<const double> masses) {
  if (k == 0 || gains.empty() || gains.size() % k != 0)
    throw Error(fmt::format("optimal_transport: gains: expected rows of {} values, found {} values", k,
                            gains.size()));
  if (masses.size() != k)
    throw Error(fmt::format("optimal_transport: masses: expected {} of them, found {}", k, masses.size()));
  const std::vector<double> fractions = normalised(masses);
  const GainMatrix p{gains.data(), gains.size() / k, k};
  Transport result;
  result.potentials.assign(k, 0);
  const auto solution = solve(p, fractions, result.potentials);
  if (!solution) refuse_gains(gains, k);
  const double n = static_cast<double>(p.n);
  result.cost = 1 - solution->gain / n;
  result.gap = solution->gap / n;
  result.moves = solution->moves;
  const double least = *std::min_element(result.potentials.begin(), result.potentials.end());
  for (double& u : result.potentials) u -= least;
  return result;
}

}  // namespace leeway::error_bound
