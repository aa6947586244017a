#include "leeway/average_case/detail/sampling.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "leeway/average_case/detail/integrand.h"
#include "leeway/average_case/detail/normal.h"
#include "leeway/average_case/detail/one_factor.h"
#include "leeway/average_case/detail/ordering.h"
#include "leeway/average_case/detail/tilting.h"
#include "leeway/core/error.h"
#include "leeway/core/parallel.h"
#include "leeway/core/progress.h"
#include "leeway/core/random.h"

namespace leeway::average_case {
namespace {

using Sums = std::array<double, lattice_shifts>;

// Above Student's 99% quantile of 2.95 (15 degrees of freedom), because the estimate itself decides when to
// stop and averages over small lattices are not quite normal.
constexpr double quantile = 3.8;
constexpr double least_gain = .4;        // of doubling the lattice, as far as the error estimate believes it
constexpr int first_level = 4;           // of the pilot too
constexpr double finest_f32 = 3e-6;      // relative error that float32 can serve
constexpr double bias_f32 = 3e-7;        // of a variable
constexpr double tilt_below = .02;       // of p: a tilt is tried
constexpr double narrow_below = .05;     // of p: strips are computed in float64
constexpr std::size_t tilt_from = 20;    // variables: a tilt is always tried
constexpr std::size_t factor_from = 15;  // variables: a common factor is tried; below that only
constexpr double worth_a_factor = .6;    // where it explains so much of the variance
constexpr double chunk_cycles = 4e6;
constexpr double sampling_steep =
    .02;                        // coefficient of an attached limit, below which it is a step of those before
constexpr double unseen = 4.6;  // over the number of points: mass that none of them met, with 99%
constexpr double first_order = -14;  // log p below which blur is known to first order alone

// Few variables: few points may carry the sum, and of low rank several limits share a variable. The error
// estimate is wider.
constexpr std::size_t few_variables = 10;
constexpr double few_least_gain = .5;         // takes the place of least_gain, from lattice to lattice
constexpr double few_points = 3;              // times the relative error: growth of the error estimate
constexpr double few_steep_scale = .1;        // conditional deviation that makes a limit a step
constexpr double full_rank_steep_scale = .5;  // below which unseen points count where the rank is full

std::vector<std::uint32_t> random_shifts(const MvnOptions& options, std::uint32_t purpose,
                                         std::size_t variables) {
  Random random(options.seed, purpose, options.sample);
  std::vector<std::uint32_t> shifts(variables * lattice_shifts);
  for (std::uint32_t& shift : shifts) shift = random.bits();
  return shifts;
}

// The sums over the points of a lattice that its half does not have; over all for the first lattice.
void add_level(const Kernel& kernel, int level, bool first, const Progress* stop, Sums& sums) {
  const std::size_t count = (std::size_t{1} << level) >> !first;
  const std::size_t whole_steps = count / points_at_once;
  const double steps = static_cast<double>(whole_steps) * kernel.cycles_per_step();
  std::size_t chunks = 1;  // by the work alone
  while (static_cast<double>(chunks) * chunk_cycles < steps && chunks * points_at_once < count) chunks *= 2;
  const std::size_t size = count / chunks;
  std::vector<Sums> parts(chunks, Sums{});
  const auto add_chunk = [&](std::size_t c) {
    stop_if_asked(stop);
    const auto start = static_cast<std::uint32_t>(c * size);
    kernel.add({level, first ? start : 2 * start + 1, first ? 1U : 2U, size}, parts[c].data());
  };
  if (chunks == 1)
    add_chunk(0);
  else
    parallel_for(chunks, add_chunk);
  for (const Sums& part : parts)
    for (std::size_t s = 0; s < lattice_shifts; ++s) sums[s] += part[s];
}

struct Average {
  double mean = 0, error = 0;  // standard error of the mean over shifts
};
Average average(const Sums& sums, int level) {
  const double points = std::ldexp(1., level), shifts = lattice_shifts;
  Average a;
  for (const double sum : sums) a.mean += sum / points / shifts;
  for (const double sum : sums) a.error += (sum / points - a.mean) * (sum / points - a.mean);
  a.error = std::sqrt(a.error / (shifts - 1) / shifts);
  return a;
}

struct Candidate {
  Integrand integrand;
  MvnMethod method = MvnMethod::plain;
  Precision precision = Precision::f32;
  double log_value = 0, relative_error = 0, cost = 0;  // by the pilot
  Sums sums{};                                         // of the pilot's lattice
  bool alone = false;  // nothing was chosen by the pilot, so that it can serve as the first lattice
};

// float32 where its range and accuracy serve what is asked for.
Precision precision_for(const Integrand& integrand, const MvnOptions& options) {
  const bool deep = std::ranges::any_of(integrand.log_factor, [](double factor) { return factor < -18; });
  const double p = std::exp(std::min(0., integrand.log_norm));
  const double wanted = std::min(options.log_tolerance, options.tolerance / std::max(p, 1e-300));
  const bool fine = wanted < std::max(finest_f32, 10 * bias_f32 * static_cast<double>(integrand.variables));
  return deep || fine || integrand.smallest_scale < 1e-3 ? Precision::f64 : Precision::f32;
}

void run_pilot(Candidate& candidate, const MvnOptions& options, Precision precision) {
  candidate.precision = precision;
  candidate.sums = {};
  const Kernel kernel(candidate.integrand, candidate.precision,
                      random_shifts(options, stream("mvn-cdf pilot"), candidate.integrand.variables));
  add_level(kernel, first_level, true, options.stop, candidate.sums);
  const Average a = average(candidate.sums, first_level);
  candidate.log_value = candidate.integrand.log_norm + std::log(a.mean);
  const bool valid = std::isfinite(a.mean) && std::isfinite(a.error) && a.mean > 0;
  candidate.relative_error = valid ? a.error / a.mean : std::numeric_limits<double>::infinity();
  candidate.cost = kernel.cycles_per_step();
}

// Between two limits float32 subtracts two values of Phi: the error is absolute, and p may be small.
void run_pilot(Candidate& candidate, const MvnOptions& options) {
  run_pilot(candidate, options, precision_for(candidate.integrand, options));
  const bool narrow = candidate.integrand.strips && !(candidate.log_value > std::log(narrow_below));
  if (narrow && candidate.precision == Precision::f32) run_pilot(candidate, options, Precision::f64);
}

// Where what the factor leaves is a covariance matrix.
std::optional<Candidate> factor_candidate(const Problem& problem) {
  const auto factor = common_factor(problem);
  if (!factor) return std::nullopt;
  double explained = 0;
  for (const double l : factor->loadings) explained += l * l / static_cast<double>(problem.d());
  if (problem.d() < factor_from && explained < worth_a_factor) return std::nullopt;
  const Triangle triangle = triangle_of(problem, &*factor);
  if (triangle.defect > 1e-9 || triangle.any_copy()) return std::nullopt;
  return Candidate{integrand_of(problem, triangle, &*factor), MvnMethod::factor};
}

Candidate choose(const Problem& problem, const Triangle& triangle, const MvnOptions& options) {
  std::vector<Candidate> candidates;
  candidates.push_back({integrand_of(problem, triangle), MvnMethod::plain});
  run_pilot(candidates.back(), options);
  const auto only = [&] {
    candidates.front().alone = true;
    return std::move(candidates.front());
  };
  if (triangle.rank < 2) return only();
  const bool small = !(candidates.front().log_value > std::log(tilt_below));
  if (small || triangle.rank >= tilt_from) {
    candidates.push_back(
        {tilted(candidates.front().integrand, problem, triangle, options.stop), MvnMethod::tilted});
    run_pilot(candidates.back(), options);
  }
  if (triangle.singular_rows.empty() && !triangle.any_copy())
    if (auto factor = factor_candidate(problem)) {
      candidates.push_back(std::move(*factor));
      run_pilot(candidates.back(), options);
    }
  if (candidates.size() == 1) return only();
  const auto burden = [](const Candidate& c) { return c.relative_error * c.cost; };
  return std::move(*std::ranges::min_element(candidates, {}, burden));
}

// Ordered by limits, a pivot may consist mostly of rounding errors. Larger variances then count as 0.
Triangle stable_triangle(const Problem& problem) {
  Triangle triangle = triangle_of(problem);
  double floor = singular;
  if (triangle.defect <= 2 * floor) return triangle;
  check_semidefinite(problem);
  const double own = gram_factor(problem.correlation, problem.d(), floor).defect;  // of the matrix
  while (triangle.defect > std::max(2 * floor, 10 * own) && floor < largest_defect)
    triangle = unparted_triangle_of(problem, floor *= 10);
  return triangle;
}

// The remainder of a near copy may be most of another variable (three gradients nearly in a plane, a fourth
// normal to it). Drawn first, it turns that variable's limit into a step instead of its own.
Triangle least_steep_triangle(const Problem& problem) {
  Triangle triangle = stable_triangle(problem);
  if (!triangle.any_copy()) return triangle;
  const double parted = integrand_of(problem, triangle).smallest_attached;
  if (parted >= sampling_steep) return triangle;
  Triangle other = unparted_triangle_of(problem);
  const bool better =
      other.defect <= largest_defect && integrand_of(problem, other).smallest_attached > parted;
  return better ? other : triangle;
}

// Relative change of p by taking the singular rows' variances as 0. Between two limits it is no share of p.
double blur(const Triangle& triangle, bool strips, double log_value) {
  if (triangle.singular_rows.empty()) return 0;
  const double whole = std::exp(std::log(triangle.blur) - log_value);
  return strips || log_value > first_order ? whole : std::min(whole, triangle.relative_blur);
}

// The largest weight that an unseen point can have, as a share of the mean: p is at most exp(`room`) times
// the estimate; tilted, no weight exceeds that of the saddle point, 1.
double unseen_weight(const Candidate& candidate, double mean, double room) {
  const double plain = std::exp(std::max(0., room));
  return candidate.method == MvnMethod::tilted ? std::min(plain, std::max(1., 1 / mean)) : plain;
}

// Share of the largest unseen weight that counts: 1 where limits are steps, less where limits are smooth.
double share_unseen(const Integrand& integrand, bool few, bool low_rank) {
  if (integrand.smallest_attached < sampling_steep) return 1;
  if (!few) return 0;
  const double smallest = std::min(integrand.smallest_attached, integrand.smallest_scale);
  return integrand.strips || smallest < few_steep_scale ? 1
         : low_rank || smallest < full_rank_steep_scale ? .1
                                                        : 0;
}

}  // namespace

// With complete pivoting, which no order of limits can make unstable.
void check_semidefinite(const Problem& problem) {
  const double defect = gram_factor(problem.correlation, problem.d(), .1 * largest_defect).defect;
  if (defect > largest_defect)
    throw Error(
        fmt::format("mvn_cdf: covariance: expected a positive semi-definite matrix, given one with a defect "
                    "of {:.3g} of a variance",
                    defect));
}

Sampled sample_probability(const Problem& problem, const MvnOptions& options) {
  const Triangle triangle = least_steep_triangle(problem);
  const Candidate candidate = choose(problem, triangle, options);
  const Integrand& integrand = candidate.integrand;
  const Kernel kernel(
      integrand, candidate.precision,
      random_shifts(options, stream(candidate.alone ? "mvn-cdf pilot" : "mvn-cdf"), integrand.variables));
  const bool narrow = integrand.strips && candidate.precision == Precision::f32;
  const double rounding =
      (candidate.precision == Precision::f32 ? bias_f32 : 1e-9) * static_cast<double>(integrand.variables);
  const bool few = triangle.rank <= few_variables, low_rank = few && triangle.rank < problem.d();
  const double missed = unseen * share_unseen(integrand, few, low_rank) / static_cast<double>(lattice_shifts);
  const double most = log_cdf(*std::ranges::min_element(problem.upper));  // p is no larger
  Sums sums = candidate.alone ? candidate.sums : Sums{};
  Sampled result;
  result.method = candidate.method;
  result.points = candidate.alone ? 0 : lattice_shifts << first_level;
  double coarser = 0;  // standard error on the lattice before
  for (int level = first_level; level <= finest_lattice; ++level) {
    if (level > first_level || !candidate.alone)
      add_level(kernel, level, level == first_level, options.stop, sums);
    const auto [mean, error] = average(sums, level);
    const double standard = std::max(error, (few ? few_least_gain : least_gain) * coarser);
    coarser = few ? standard : error;
    if (level == first_level) continue;
    if (std::isfinite(mean) && mean > 0) {
      const double relative = standard / mean;
      const double wider = few ? 1 + std::clamp(few_points * relative - .1, 0., 1.) : 1;
      result.log_value = integrand.log_norm + std::log(mean);
      result.relative_error = quantile * relative * wider +
                              blur(triangle, low_rank && integrand.strips, result.log_value) +
                              rounding * (narrow ? std::exp(-result.log_value) : 1);
      if (missed > 0)
        result.relative_error +=
            std::ldexp(missed, -level) * unseen_weight(candidate, mean, most - result.log_value);
    } else {  // all that is known: at most the probability of the tightest bound
      result.log_value = most;
      result.relative_error = 1;
    }
    const std::size_t points = lattice_shifts << level;
    if (within(result.log_value, result.relative_error, options) || 2 * points > options.max_points) {
      result.points += points;
      break;
    }
  }
  return result;
}

}  // namespace leeway::average_case
