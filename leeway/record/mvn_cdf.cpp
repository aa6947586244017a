#include "leeway/record/mvn_cdf.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "leeway/core/numbers.h"
#include "leeway/record/json.h"

namespace leeway::average_case {

void fields(MvnOptions& options, record::Fields& f) {
  f("tolerance", options.tolerance, record::from_to(1e-9, 1),
    "stop when the error of the probability is at most this (with 99%)");
  f("log_tolerance", options.log_tolerance, record::at_least(1e-300),
    "... and that of its logarithm at most this; inf: whatever it is");
  f("max_points", options.max_points, record::from_to(1024, 1 << 24),
    "stop at so many evaluations of the integrand a point, converged or not (exit code 5)");
}

static void fields(MvnProbability& p, record::Fields& f) {
  constexpr std::array methods{MvnMethod::exact, MvnMethod::one_factor, MvnMethod::quadrature,
                               MvnMethod::plain, MvnMethod::tilted,     MvnMethod::factor};
  std::string method(name_of(p.method));
  std::vector<record::Choice> names;
  for (const MvnMethod each : methods) names.push_back({std::string(name_of(each)), ""});
  f("probability", p.probability, record::share, "P(Z <= z)");
  f("log_probability", p.log_probability, {}, "natural; also where the probability itself underflows to 0");
  f("error", p.error, record::at_least(0), "a bound on the error of the probability that holds with 99%");
  f("log_error", p.log_error, {}, "the same of the logarithm");
  f("points", p.points, "evaluations of the integrand; 0 where none was sampled");
  f("converged", p.converged, "both errors are within their tolerances; false: the exit status is 5");
  f.choice("method", method, std::move(names),
           "how the largest group of correlated variables was integrated; the last three sample");
  for (const MvnMethod each : methods)
    if (name_of(each) == method) p.method = each;
}

}  // namespace leeway::average_case

namespace leeway::record {

using average_case::MvnProbability;

void fields(MvnCdf& record, Fields& f) {
  common_fields(record, f);
  f("results", record.results, "one for each point, in the order given");
}

std::size_t MvnCdf::missed() const {
  return static_cast<std::size_t>(std::ranges::count(results, false, &MvnProbability::converged));
}

std::string headline_of(const MvnCdf& record) {
  const MvnProbability& first = record.results.front();
  if (record.results.size() == 1)
    return fmt::format("P(Z <= z) is {:.6g}, within {:.2g} with 99%.", first.probability, first.error);
  const auto [low, high] = std::ranges::minmax(record.results, {}, &MvnProbability::probability);
  return fmt::format("P(Z <= z) is {:.6g} to {:.6g} at {} points.", low.probability, high.probability,
                     count(record.results.size()));
}

std::vector<std::string> findings_of(const MvnCdf& record) {
  if (record.missed() == 0) return {};
  return {fmt::format("{} of {} not within the tolerance: raise --max-points or --tolerance", record.missed(),
                      record.results.size())};
}

}  // namespace leeway::record
