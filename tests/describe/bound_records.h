// Records of errors without labels for tests, with every key that a run fills.
#pragma once

#include <string>

#include "leeway/tasks/bound/bound.h"

namespace leeway::tasks::test {

inline MethodError estimate_of(const std::string& method, double error, double half) {
  return {{method, "an estimate", "what " + method + " assumes holds", "it does not"},
          error,
          Interval{error - half, error + half},
          false};
}

// Numbers made up; .1 + .32 + .0678614 = .4878614.
inline Bound full_bound() {
  Bound record;
  record.envelope.command = {"leeway", "bound"};
  record.envelope.inputs = {{"clean.npz", 240320, {5000, 10}, "0123456789abcdef0123456789abcdef"}};
  record.envelope.instruction_set = "baseline";
  record.options.methods = {"dis2", "ac", "atc-ne"};
  record.options.dis2.training_rows = 2500;
  record.source = {5000, 10, .104, {.0957, .1128}};
  record.target = {5000, .235};
  record.inverse_temperature = .84;
  Dis2Bound& bound = record.dis2.emplace();
  bound.representation = "logits";
  error_bound::Dis2& dis2 = bound.dis2;
  dis2.source_error = .1, dis2.discrepancy = .32, dis2.concentration = .0678614;
  dis2.agreement_source = .93, dis2.agreement_target = .61;
  dis2.bound = .4878614, dis2.estimate = .42;
  dis2.n_source = dis2.n_target = dis2.training_source = dis2.training_target = 2500;
  dis2.validity_score = .87;
  dis2.concentrations = {
      {"hoeffding", .0678614, .4878614}, {"empirical-bernstein", .05, .47}, {"betting", .035, .455}};
  dis2.restarts = {.2, .18, .3, .25, .29, .32, .17, .3, .19, .31, .2, .28};
  dis2.corollary = error_bound::Verdict{.24, .3, true};
  bound.divergences = error_bound::Divergences{.9, 1, .4};
  const ErrorMethod words{"dis2", "upper bound with probability 0.99", "critics come near", "they do not"};
  record.results = {
      {words, dis2.bound, {}, true},
      {{"dis2-estimate", "without chance", words.assumes, words.fails}, dis2.estimate, {}, false},
      estimate_of("ac", .2, .012),
      estimate_of("atc-ne", .28, .02)};
  record.envelope.headline = headline_of(record);
  record.envelope.findings = findings_of(record);
  return record;
}

// The same of pca:range, whose second bound counts.
inline Bound ranged_bound() {
  Bound record = full_bound();
  record.options.dis2.representation = "pca:range";
  Dis2Bound& bound = *record.dis2;
  bound.representation = "pca:5";
  bound.range =
      error_bound::ComponentRange{{{1, 20, bound.dis2, .9, true}, {4, 5, bound.dis2, .95, true}}, 1};
  return record;
}

}  // namespace leeway::tasks::test
