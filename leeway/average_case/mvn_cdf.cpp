#include "leeway/average_case/mvn_cdf.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <string>

#include "leeway/average_case/detail/integrand.h"
#include "leeway/average_case/detail/low_rank.h"
#include "leeway/average_case/detail/normal.h"
#include "leeway/average_case/detail/one_factor.h"
#include "leeway/average_case/detail/ordering.h"
#include "leeway/average_case/detail/sampling.h"
#include "leeway/core/error.h"
#include "leeway/core/numbers.h"
#include "leeway/core/parallel.h"
#include "leeway/core/progress.h"

namespace leeway::average_case {
namespace {

constexpr double asymmetry = 1e-6;         // of the variances: float32 matrices pass
constexpr double excess = 1e-6;            // of a correlation above 1
constexpr double duplicate = 1e-14;        // of a correlation below 1: the same variable
constexpr double independent = 1e-14;      // a correlation that counts as 0
constexpr double mvn_cdf_near_one = .99;   // a correlation beyond which rounding is looked at
constexpr double normalisation = 4.5e-16;  // what it rounds of a correlation
constexpr double negligible_share = .02;   // of the tolerances, for bounds that are left out

[[noreturn]] void refuse_argument(std::string_view argument, std::string_view expected,
                                  const std::string& given) {
  throw Error(fmt::format("mvn_cdf: {}: expected {}, given {}", argument, expected, given));
}

// What is left once the input is checked, normalised by its variances and freed of constraints without
// effect.
struct Constraints {
  bool impossible = false;
  std::vector<std::size_t> rows;  // of the covariance
  std::vector<double> upper;      // in standard deviations
};

void check_matrix(std::span<const double> covariance, std::size_t d) {
  std::vector<double> deviation(d);
  for (std::size_t i = 0; i < d; ++i) {
    const double variance = covariance[i * d + i];
    if (!(variance >= 0 && variance < infinity))
      refuse_argument("covariance", "finite variances of at least 0",
                      fmt::format("{} at ({}, {})", variance, i, i));
    deviation[i] = std::sqrt(variance);
  }
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const double a = covariance[i * d + j], b = covariance[j * d + i], scale = deviation[i] * deviation[j];
      if (std::abs(a) <= scale && std::abs(a - b) <= asymmetry * scale) continue;
      if (!std::isfinite(a) || !std::isfinite(b))
        refuse_argument("covariance", "finite numbers",
                        fmt::format("{} at ({}, {})", std::isfinite(a) ? b : a, i, j));
      if (!(std::abs(a - b) <= asymmetry * scale))
        refuse_argument("covariance", "a symmetric matrix",
                        fmt::format("{} at ({}, {}) and {} at ({}, {})", a, i, j, b, j, i));
      if (std::abs(a) > (1 + excess) * scale)
        refuse_argument("covariance", "a positive semi-definite matrix",
                        fmt::format("{} at ({}, {}) with variances {} and {}", a, i, j, covariance[i * d + i],
                                    covariance[j * d + j]));
    }
}

Constraints normalised(std::span<const double> upper, std::span<const double> covariance) {
  const std::size_t d = upper.size();
  check_matrix(covariance, d);
  Constraints constraints;
  for (std::size_t i = 0; i < d; ++i) {
    if (std::isnan(upper[i])) refuse_argument("upper", "numbers", fmt::format("nan at {}", i));
    const double variance = covariance[i * d + i];
    if (variance == 0) {
      constraints.impossible |= upper[i] < 0;
      continue;
    }
    constraints.rows.push_back(i), constraints.upper.push_back(upper[i] / std::sqrt(variance));
  }
  return constraints;
}

// Keeps the bounds where keep(bound).
template <class Keep>
Constraints filtered(const Constraints& all, const Keep& keep) {
  Constraints kept;
  for (std::size_t i = 0; i < all.rows.size(); ++i)
    if (keep(all.upper[i])) kept.rows.push_back(all.rows[i]), kept.upper.push_back(all.upper[i]);
  return kept;
}

// The largest bounds may go, as long as together they are violated with at most that probability.
double negligible_bound(const Constraints& constraints, double probability, double& given_away) {
  std::vector<double> sorted = constraints.upper;
  std::ranges::sort(sorted, std::greater<>());
  double bound = infinity;
  given_away = 0;
  for (const double b : sorted) {
    const double tail = cdf(-b);
    if (b <= 0 || given_away + tail > probability) break;
    given_away += tail, bound = b;
  }
  return bound;
}

Problem problem_of(const Constraints& constraints, std::span<const double> covariance, std::size_t d) {
  const std::size_t n = constraints.rows.size();
  Problem problem{constraints.upper, std::vector<double>(n * n)};
  std::vector<double> inverse(n);
  for (std::size_t i = 0; i < n; ++i)
    inverse[i] = 1 / std::sqrt(covariance[constraints.rows[i] * d + constraints.rows[i]]);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t a = constraints.rows[i];
    problem.correlation[i * n + i] = 1;
    for (std::size_t j = 0; j < i; ++j) {
      const std::size_t b = constraints.rows[j];
      double both = .5 * (covariance[a * d + b] * inverse[i] * inverse[j] +
                          covariance[b * d + a] * inverse[i] * inverse[j]);
      if (std::abs(both) >= 1 - normalisation && (inverse[i] != 1 || inverse[j] != 1))
        both = std::round(both);
      problem.correlation[i * n + j] = problem.correlation[j * n + i] = std::clamp(both, -1., 1.);
    }
  }
  return problem;
}

// Rows that do not duplicate an earlier row or one with a lower bound, and by how much dropping the others
// can change p (copies may differ in rounding). Two rows alone need no such bound: they are an integral.
struct Distinct {
  std::vector<std::size_t> rows;
  double lost = 0;
};
Distinct distinct_rows(const Problem& problem, double most_lost) {
  const std::size_t n = problem.d();
  Distinct distinct;
  for (std::size_t i = 0; i < n; ++i) {
    bool needed = true;
    for (std::size_t j = 0; j < n && needed; ++j) {
      const double a = problem.upper[j], b = problem.upper[i], rho = problem.correlation[i * n + j];
      if (j == i || rho < (n == 2 ? 1 : 1 - duplicate) || b < a || (b == a && i < j)) continue;
      const double lost = rho < 1 ? excess_probability(a, b, rho) : 0;
      if (distinct.lost + lost > most_lost) continue;
      needed = false;
      distinct.lost += lost;
    }
    if (needed) distinct.rows.push_back(i);
  }
  return distinct;
}

Problem part_of(const Problem& problem, const std::vector<std::size_t>& rows) {
  const std::size_t n = problem.d(), m = rows.size();
  Problem part{std::vector<double>(m), std::vector<double>(m * m)};
  for (std::size_t i = 0; i < m; ++i) {
    part.upper[i] = problem.upper[rows[i]];
    for (std::size_t j = 0; j < m; ++j)
      part.correlation[i * m + j] = problem.correlation[rows[i] * n + rows[j]];
  }
  return part;
}

// Groups of variables that are uncorrelated with all others.
std::vector<std::vector<std::size_t>> groups_of(const Problem& problem) {
  const std::size_t n = problem.d();
  std::vector<std::vector<std::size_t>> groups;
  std::vector<char> taken(n);
  for (std::size_t first = 0; first < n; ++first) {
    if (taken[first]) continue;
    auto& group = groups.emplace_back(1, first);
    taken[first] = true;
    for (std::size_t g = 0; g < group.size() && group.size() < n; ++g)
      for (std::size_t j = 0; j < n; ++j)
        if (!taken[j] && std::abs(problem.correlation[group[g] * n + j]) > independent)
          taken[j] = true, group.push_back(j);
    std::ranges::sort(group);
  }
  return groups;
}

// Whether the bounds of two opposite variables contradict: P(Z_i + Z_j <= b_i + b_j), where Z_i + Z_j has
// variance 2 (1 + r) and b_i + b_j < 0, is below the smallest positive number.
bool contradictory(const Problem& problem) {
  constexpr double opposite = 1e-14, underflow = -746;
  const std::size_t n = problem.d();
  for (std::size_t i = 1; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const double apart = 1 + problem.correlation[i * n + j], room = problem.upper[i] + problem.upper[j];
      if (apart < opposite && room < 0 && log_cdf(room / std::sqrt(2 * apart)) < underflow) return true;
    }
  return false;
}

Sampled probability_of_group(const Problem& problem, const MvnOptions& options) {
  const std::size_t d = problem.d();
  if (d == 1) return {log_cdf(problem.upper[0]), 1e-13, 0, MvnMethod::exact};
  const auto low_rank = d > 2 ? low_rank_of(problem) : std::nullopt;
  const auto factor = low_rank && low_rank->rank < d ? std::nullopt : one_factor_of(problem);
  if (factor) {
    const auto [log_value, error] = one_factor_probability(problem, *factor, options.stop);
    return {log_value, error, 0, MvnMethod::one_factor};
  }
  if (low_rank) {
    const auto [log_value, error] = low_rank_probability(problem, *low_rank, options);
    return {log_value, error, 0, MvnMethod::quadrature};
  }
  if (contradictory(problem)) return {-infinity, 0};
  return sample_probability(problem, options);
}

MvnProbability probability_of(const Problem& problem, MvnOptions options) {
  const auto groups = groups_of(problem);
  const auto share = static_cast<double>(
      std::max<std::ptrdiff_t>(1, std::ranges::count_if(groups, [](const auto& g) { return g.size() > 2; })));
  options.tolerance /= share, options.log_tolerance /= share;
  MvnProbability result;
  double relative_error = 0;
  std::size_t largest = 0;
  for (const auto& group : groups) {
    const bool whole = groups.size() == 1;
    const Sampled found = whole ? probability_of_group(problem, options)
                                : probability_of_group(part_of(problem, group), options);
    result.log_probability += found.log_value;
    relative_error += found.relative_error;
    result.points += found.points;
    if (group.size() > largest) largest = group.size(), result.method = found.method;
  }
  if (result.log_probability == -infinity) return {0, -infinity};
  result.log_probability = std::min(0., result.log_probability);
  result.probability = std::exp(result.log_probability);
  result.error = result.probability * relative_error;
  result.log_error = relative_error < 1 ? -std::log1p(-relative_error) : infinity;
  return result;
}

// Relative change of p by rounding in the division by deviations: of correlations next to 1, and of the two
// bounds of an opposite pair, which may leave a narrow strip.
double rounding_of(const Problem& problem, double log_probability) {
  const std::size_t n = problem.d();
  double total = 0;
  for (std::size_t i = 1; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (const double r = problem.correlation[i * n + j]; std::abs(r) > mvn_cdf_near_one)
        total += relative_change(r, r - std::copysign(normalisation, r), problem.upper[i], problem.upper[j],
                                 log_probability);
  if (n == 2 && problem.correlation[1] < -mvn_cdf_near_one)
    for (const double b : problem.upper)  // the density at b is at most .4 exp(-b^2 / 2)
      total += .4 * normalisation * std::abs(b) * std::exp(-.5 * b * b - log_probability);
  return total;
}

MvnProbability solve(const Constraints& constraints, std::span<const double> covariance, std::size_t d,
                     const MvnOptions& options) {
  if (constraints.rows.empty()) return {1};
  const Problem problem = problem_of(constraints, covariance, d);
  const auto [rows, lost] = distinct_rows(problem, negligible_share * options.tolerance);
  const bool whole = rows.size() == problem.d();
  if (!whole) check_semidefinite(problem);  // the variables left out may contradict the rest
  const Problem part = whole ? problem : part_of(problem, rows);
  MvnProbability result = probability_of(part, options);
  if (result.log_probability == -infinity) return result;  // constraints left out can only lower p
  double share = lost > 0 ? std::exp(std::log(lost) - result.log_probability) : 0;
  if (std::ranges::any_of(constraints.rows, [&](std::size_t i) { return covariance[i * d + i] != 1; }))
    share += rounding_of(part, result.log_probability);
  if (share > 0) {
    result.error += std::max(lost, result.probability * share);
    result.log_error += share < 1 ? -std::log1p(-share) : infinity;
  }
  return result;
}

void check_options(const MvnOptions& options) {
  const auto positive = [](std::string_view name, double value) {
    if (!(value > 0)) refuse_argument(name, "a positive number", fmt::format("{}", value));
  };
  positive("tolerance", options.tolerance), positive("log_tolerance", options.log_tolerance);
  constexpr std::size_t most = lattice_shifts << finest_lattice;
  if (options.max_points < 1024 || options.max_points > most)
    refuse_argument("max_points", fmt::format("1024 to {}", most), fmt::format("{}", options.max_points));
}

void check_size(std::size_t d) {
  if (d == 0 || d >= lattice_dimensions)
    refuse_argument("upper", fmt::format("1 to {} dimensions", lattice_dimensions - 1), fmt::format("{}", d));
}

}  // namespace

std::string_view name_of(MvnMethod method) {
  constexpr std::string_view names[] = {"exact", "one-factor", "quadrature", "plain", "tilted", "factor"};
  return names[static_cast<std::size_t>(method)];
}

MvnProbability mvn_cdf(std::span<const double> upper, std::span<const double> covariance,
                       const MvnOptions& options) {
  const std::size_t d = upper.size();
  check_options(options);
  check_size(d);
  if (covariance.size() != d * d)
    refuse_argument("covariance", fmt::format("{} numbers for {} bounds", d * d, d),
                    fmt::format("{}", covariance.size()));
  const Constraints all = normalised(upper, covariance);
  const Constraints finite = filtered(all, [](double b) { return b < infinity; });
  double given_away = 0;
  const double bound = negligible_bound(finite, negligible_share * options.tolerance, given_away);
  const Constraints kept = filtered(finite, [&](double b) { return b < bound; });
  const bool impossible =
      all.impossible || std::ranges::any_of(kept.upper, [](double b) { return b == -infinity; });
  if (impossible || kept.rows.size() < all.rows.size()) {
    Constraints zero = all;  // what is left out is a part of the matrix all the same
    zero.upper.assign(zero.rows.size(), 0);
    check_semidefinite(problem_of(zero, covariance, d));
  }
  if (impossible) return {.probability = 0, .log_probability = -infinity};
  MvnOptions rest = options;
  rest.tolerance -= given_away, rest.log_tolerance *= 1 - negligible_share;
  MvnProbability result = solve(kept, covariance, d, rest);
  // In a tail even a bound far out may decide: the least of those left out is compared on the logarithmic
  // scale.
  const double left_out = static_cast<double>(finite.rows.size() - kept.rows.size());
  if (result.log_probability == -infinity) return result;
  if (left_out > 0) {
    const double share = left_out * std::exp(log_cdf(-bound) - result.log_probability);
    if (share > negligible_share * options.log_tolerance) {
      given_away = 0;
      result = solve(finite, covariance, d, rest);
    } else {
      result.log_error += share < 1 ? -std::log1p(-share) : infinity;
    }
  }
  result.error += given_away;
  result.converged = result.error <= options.tolerance && result.log_error <= options.log_tolerance;
  return result;
}

std::vector<MvnProbability> mvn_cdf_batch(std::span<const double> upper, std::size_t d,
                                          std::span<const double> covariance, const MvnOptions& options,
                                          Progress* progress) {
  check_size(d);
  const std::size_t m = upper.size() / d;
  if (upper.empty() || upper.size() % d != 0)
    refuse_argument("upper", fmt::format("a multiple of {} numbers", d), fmt::format("{}", upper.size()));
  const bool shared = covariance.size() == d * d;
  if (!shared && covariance.size() != m * d * d)
    refuse_argument("covariance", fmt::format("{} or {} numbers", d * d, m * d * d),
                    fmt::format("{}", covariance.size()));
  std::vector<MvnProbability> results(m);
  std::mutex mutex;
  std::size_t done = 0;
  parallel_for(m, [&](std::size_t i) {
    MvnOptions own = options;
    own.sample += i;
    own.stop = progress;
    stop_if_asked(progress);
    try {
      results[i] =
          mvn_cdf(upper.subspan(i * d, d), shared ? covariance : covariance.subspan(i * d * d, d * d), own);
    } catch (const Error& error) {
      throw Error(m == 1 ? std::string(error.what()) : fmt::format("{} (point {})", error.what(), i));
    }
    if (progress == nullptr) return;
    const std::lock_guard lock(mutex);
    progress->update("mvn-cdf", ++done, m, "");
  });
  return results;
}

}  // namespace leeway::average_case
