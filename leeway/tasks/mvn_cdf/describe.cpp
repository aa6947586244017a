#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "leeway/tasks/mvn_cdf/mvn_cdf.h"

namespace leeway::average_case {

void fields(MvnOptions& options, Fields& f) {
  f("tolerance", options.tolerance, from_to(1e-9, 1),
    "stop when the error of the probability is at most this (99% confidence)");
  f("log_tolerance", options.log_tolerance, at_least(1e-300),
    "stop only when the error of the log probability is also at most this; inf: any error");
  f("max_points", options.max_points, from_to(1024, 1 << 24),
    "maximum number of integrand evaluations per point; exit code 5 if not converged");
}

void fields(MvnProbability& p, Fields& f) {
  using enum MvnMethod;
  f("probability", p.probability, a_share, "P(Z <= z)");
  f("log_probability", p.log_probability, {}, "natural logarithm, also if the probability underflows to 0");
  f("error", p.error, at_least(0), "bound on the error of the probability, with 99% confidence");
  f("log_error", p.log_error, {}, "bound on the error of the logarithm, with 99% confidence");
  f("points", p.points, "evaluations of the integrand; 0 without sampling");
  f("converged", p.converged, "whether both errors are within tolerance; false: exit code 5");
  f.one_of("method", p.method, std::array{exact, one_factor, quadrature, plain, tilted, factor},
           "integration method for the largest group of correlated variables; the last three methods sample");
}

}  // namespace leeway::average_case

namespace leeway::tasks {

using average_case::MvnProbability;

std::size_t missed(const MvnCdf& record) {
  return static_cast<std::size_t>(std::ranges::count(record.results, false, &MvnProbability::converged));
}

std::string headline_of(const MvnCdf& record) {
  const MvnProbability& first = record.results.front();
  if (record.results.size() == 1)
    return fmt::format("P(Z <= z) is {:.6g}, within {:.2g} with 99% confidence.", first.probability,
                       first.error);
  const auto [low, high] = std::ranges::minmax(record.results, {}, &MvnProbability::probability);
  return fmt::format("P(Z <= z) ranges from {:.6g} to {:.6g} at {} points.", low.probability,
                     high.probability, count(record.results.size()));
}

std::vector<std::string> findings_of(const MvnCdf& record) {
  if (missed(record) == 0) return {};
  return {fmt::format("{} of {} exceed the tolerance: increase --max-points or --tolerance", missed(record),
                      record.results.size())};
}

}  // namespace leeway::tasks
