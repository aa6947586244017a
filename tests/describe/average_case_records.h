// Records of predictions under noise for tests; numbers made up.
#pragma once

#include <string>

#include "leeway/tasks/average_case/average_case.h"

namespace leeway::tasks::test {

// Of twenty samples one has 40 points less than the mean.
inline average_case::Distribution distribution_of(double mean, std::size_t n = 40) {
  average_case::Distribution p;
  p.n = n;
  if (n == 0) return p;
  p.mean = mean;
  if (n > 1) p.interval = Interval{mean - .02, mean + .02};
  p.quantiles = {mean - .5 < 0 ? 0 : mean - .5, mean - .4, mean - .1, mean + .05, 1, 1, 1};
  return p;
}

inline Survival survival_of(const std::string& method, double sigma, double mean, bool probability = true,
                            std::size_t n = 40) {
  Survival result;
  result.method = method, result.sigma = sigma, result.probability = probability;
  result.p = distribution_of(mean, n);
  result.seconds = .2, result.model_seconds = .15;
  return result;
}

inline ClassSurvival class_of(std::int64_t label, double mean, double p_value) {
  return {label == 0 ? "coat <b>" : "bag", {label, distribution_of(mean, 20), mean - .8, p_value}};
}

// Two sigmas, mmse and softmax, two classes; Monte Carlo was not asked for.
inline AverageCase bare_average_case() {
  AverageCase record;
  record.envelope.command = {"leeway", "average-case"};
  record.envelope.instruction_set = "baseline";
  Robustness& found = record.found;
  found.options.sigma = {.1, .2};
  found.n = 40, found.k = 2, found.labels = true, found.leading = "mmse";
  found.methods = {{"mmse", "averaged gradients", "Han et al. 2024", true},
                   {"softmax", "confidence", "", false}};
  found.results = {survival_of("mmse", .1, .9), survival_of("mmse", .2, .8),
                   survival_of("softmax", .1, .7, false), survival_of("softmax", .2, .7, false)};
  for (const double sigma : {.1, .2}) {
    found.class_bias.push_back({"mmse", sigma, .00003, {class_of(0, .7, .01), class_of(1, .9, .4)}});
    found.ranking.push_back({"mmse",
                             sigma,
                             {{0, "coat <b>", {{7, .21, 1, .97}}, {{3, .999, 0, .97}}},
                              {1, "bag", {{9, .4, 1, .97}}, {{4, 1, 1, .97}}}}});
  }
  return record;
}

inline MonteCarloError against(const std::string& method, double sigma, double error, double low,
                               double floor) {
  return {method, sigma, {error, error, .1, -error, {low, error + .01}, floor, .875}};
}

// With Monte Carlo, convergence, and a class without samples.
inline AverageCase full_average_case() {
  AverageCase record = bare_average_case();
  record.model = "cnn.pt", record.out = "p.npz";
  Robustness& found = record.found;
  found.options.methods = {"mmse", "softmax", "mc"};
  found.options.convergence = true;
  found.stochastic = nn::Variation{16, .25, 3, true};
  for (const double sigma : {.1, .2}) {
    found.results.push_back(survival_of("mc", sigma, .81));
    found.results.back().draws = 400'000;
    found.against_monte_carlo.push_back(against("mmse", sigma, .009, .006, .004));
    found.against_monte_carlo.push_back(against("softmax", sigma, .2, .15, .004));
    found.against_monte_carlo.back().error.rank.reset();
    for (const std::size_t copies : {1, 2, 5})
      found.convergence.push_back(
          {{"mmse", sigma, copies, copies == 5 ? 0 : .1 / static_cast<double>(copies), .3}, 40});
  }
  found.methods.push_back({"mc", "noisy copies", "", true});
  const Estimate most{.75, {.6, .85}}, some{.5, {.35, .65}}, left{.25, {.15, .4}};
  found.certified = {.001, {{.2, left, {{0, most, some}, {.4, some, left}}}}};
  found.results[1].error = 2e-5, found.results[1].not_converged = 3;
  found.results[1].left_out = .002, found.results[1].zero_gradient = .25;
  found.class_bias[1].p_value.reset();
  found.class_bias[1].classes.push_back({"elm", {2, distribution_of(0, 0), 0, {}}});
  for (const double sigma : {.1, .2})
    found.group_bias.push_back({"light <b>",
                                {"mmse",
                                 sigma,
                                 .0004,
                                 {{"dim <b>", {0, distribution_of(.6, 20), -.3, .001}},
                                  {"lit", {1, distribution_of(.9, 20), .3, .001}}}}});
  record.envelope.headline = headline_of(found);
  record.envelope.findings = findings_of(found);
  record.envelope.warnings = gradient_warnings(found);
  return record;
}

}  // namespace leeway::tasks::test
