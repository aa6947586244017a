#include "leeway/average_case/sampling.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "leeway/average_case/lattice.h"
#include "leeway/average_case/normal.h"
#include "leeway/average_case/one_factor.h"
#include "leeway/average_case/tilting.h"
#include "leeway/core/error.h"
#include "leeway/core/parallel.h"
#include "leeway/core/random.h"

namespace leeway::average_case {
namespace {

using Sums = std::array<double, lattice_shifts>;

// Student's 99% quantile for 15 degrees of freedom is 2.95; more, because stopping is decided by the estimate
// itself and averages over small lattices are not quite normal.
constexpr double quantile = 3.8;
constexpr double least_gain = .4;        // of doubling the lattice, as far as the error estimate believes it
constexpr int first_level = 4;           // of the pilot too
constexpr double finest_f32 = 3e-6;      // relative error that float32 can serve
constexpr double bias_f32 = 3e-7;        // of a variable
constexpr double tilt_below = .02;       // of p: a tilt is tried
constexpr std::size_t tilt_from = 20;    // variables: a tilt is always tried
constexpr std::size_t factor_from = 15;  // variables: a common factor is tried; below that only
constexpr double worth_a_factor = .6;    // where it explains so much of the variance
constexpr double chunk_cycles = 4e6;

std::vector<std::uint32_t> random_shifts(const MvnOptions& options, std::uint32_t purpose,
                                         std::size_t variables) {
  Random random(options.seed, purpose, options.sample);
  std::vector<std::uint32_t> shifts(variables * lattice_shifts);
  for (std::uint32_t& shift : shifts) shift = random.bits();
  return shifts;
}

// The sums over the points of a lattice that its half does not have; over all for the first lattice.
void add_level(const Kernel& kernel, int level, bool first, Sums& sums) {
  const std::size_t count = (std::size_t{1} << level) >> !first;
  const std::size_t whole_steps = count / points_at_once;
  const double steps = static_cast<double>(whole_steps) * kernel.cycles_per_step();
  std::size_t chunks = 1;  // by the work alone
  while (static_cast<double>(chunks) * chunk_cycles < steps && chunks * points_at_once < count) chunks *= 2;
  const std::size_t size = count / chunks;
  std::vector<Sums> parts(chunks, Sums{});
  const auto add_chunk = [&](std::size_t c) {
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
  double blur = 0;                                     // as in Triangle
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

void run_pilot(Candidate& candidate, const MvnOptions& options) {
  candidate.precision = precision_for(candidate.integrand, options);
  const Kernel kernel(candidate.integrand, candidate.precision,
                      random_shifts(options, stream("mvn-cdf pilot"), candidate.integrand.variables));
  add_level(kernel, first_level, true, candidate.sums);
  const Average a = average(candidate.sums, first_level);
  candidate.log_value = candidate.integrand.log_norm + std::log(a.mean);
  const bool valid = std::isfinite(a.mean) && std::isfinite(a.error) && a.mean > 0;
  candidate.relative_error = valid ? a.error / a.mean : std::numeric_limits<double>::infinity();
  candidate.cost = kernel.cycles_per_step();
}

// Where what the factor leaves is a covariance matrix.
std::optional<Candidate> factor_candidate(const Problem& problem) {
  const auto factor = common_factor(problem);
  if (!factor) return std::nullopt;
  double explained = 0;
  for (const double l : factor->loadings) explained += l * l / static_cast<double>(problem.d());
  if (problem.d() < factor_from && explained < worth_a_factor) return std::nullopt;
  const Triangle triangle = triangle_of(problem, &*factor);
  if (triangle.defect > 1e-9) return std::nullopt;
  return Candidate{integrand_of(problem, triangle, &*factor), MvnMethod::factor};
}

Candidate choose(const Problem& problem, const MvnOptions& options) {
  const Triangle triangle = triangle_of(problem);
  check_semidefinite(triangle);
  std::vector<Candidate> candidates;
  candidates.push_back({integrand_of(problem, triangle), MvnMethod::plain});
  run_pilot(candidates.back(), options);
  candidates.back().blur = triangle.blur;
  const auto only = [&] {
    candidates.front().alone = true;
    return std::move(candidates.front());
  };
  if (triangle.rank < 2) return only();
  const bool small = !(candidates.front().log_value > std::log(tilt_below));
  if (small || triangle.rank >= tilt_from) {
    candidates.push_back({tilted(candidates.front().integrand, problem, triangle), MvnMethod::tilted});
    run_pilot(candidates.back(), options);
    candidates.back().blur = triangle.blur;
  }
  if (triangle.singular_rows.empty())
    if (auto factor = factor_candidate(problem)) {
      candidates.push_back(std::move(*factor));
      run_pilot(candidates.back(), options);
    }
  if (candidates.size() == 1) return only();
  const auto burden = [](const Candidate& c) { return c.relative_error * c.cost; };
  return std::move(*std::ranges::min_element(candidates, {}, burden));
}

}  // namespace

void check_semidefinite(const Triangle& triangle) {
  if (triangle.defect > largest_defect)
    throw Error(
        fmt::format("mvn_cdf: covariance: expected a positive semi-definite matrix, given one that misses it "
                    "by {:.3g} of a variance",
                    triangle.defect));
}

Sampled sample_probability(const Problem& problem, const MvnOptions& options) {
  const Candidate candidate = choose(problem, options);
  const Integrand& integrand = candidate.integrand;
  const Kernel kernel(
      integrand, candidate.precision,
      random_shifts(options, stream(candidate.alone ? "mvn-cdf pilot" : "mvn-cdf"), integrand.variables));
  const double rounding = candidate.blur + (candidate.precision == Precision::f32 ? bias_f32 : 1e-9) *
                                               static_cast<double>(integrand.variables);
  Sums sums = candidate.alone ? candidate.sums : Sums{};
  Sampled result;
  result.method = candidate.method;
  result.points = candidate.alone ? 0 : lattice_shifts << first_level;
  double coarser = 0;  // standard error on the lattice before
  for (int level = first_level; level <= finest_lattice; ++level) {
    if (level > first_level || !candidate.alone) add_level(kernel, level, level == first_level, sums);
    const auto [mean, error] = average(sums, level);
    const double standard = std::max(error, least_gain * coarser);
    coarser = error;
    if (level == first_level) continue;
    if (std::isfinite(mean) && mean > 0) {
      result.log_value = integrand.log_norm + std::log(mean);
      result.relative_error = quantile * standard / mean + rounding;
    } else {  // all that is known: at most the probability of the tightest bound
      result.log_value = log_cdf(*std::ranges::min_element(problem.upper));
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
