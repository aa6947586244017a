#include "leeway/record/error_bound.h"

#include <fmt/format.h>

#include <algorithm>

#include "leeway/core/numbers.h"

namespace leeway::error_bound {

using record::at_least;
using record::Fields;
using record::from_to;
using record::share;

static void fields(Concentration& one, Fields& f) {
  std::string name(one.name);
  std::vector<record::Choice> names;
  for (const std::string_view known : concentration_names) names.push_back({std::string(known), ""});
  f.choice("name", name, std::move(names), "the inequality that bounds what chance may hide");
  f("term", one.term, {}, "what is added to source_error + discrepancy");
  f("bound", one.bound, share, "of the error on the target; the largest over all critics measured");
  for (const std::string_view known : concentration_names)
    if (known == name) one.name = known;
}

static void fields(Verdict& verdict, Fields& f) {
  f("target_error", verdict.target_error, share, "on the target's held-out rows");
  f("threshold", verdict.threshold, {}, "of Corollary E.2");
  f("holds", verdict.holds,
    "target_error is not above threshold: the assumption is proved, but for an event of probability delta");
}

void fields(Dis2& dis2, Fields& f) {
  std::string warning = critic_warning(dis2);
  f("source_error", dis2.source_error, share, "on the source's held-out rows");
  f("discrepancy", dis2.discrepancy, from_to(-1, 1),
    "of the worst critic: agreement_source - agreement_target, the largest over restarts");
  f("agreement_source", dis2.agreement_source, share, "of that critic with the classifier");
  f("agreement_target", dis2.agreement_target, share, "of that critic with the classifier");
  f("concentration", dis2.concentration, at_least(0), "the root term of the theorem");
  f("bound", dis2.bound, share, "source_error + discrepancy + concentration, at most 1");
  f("estimate", dis2.estimate, share, "the same without the root term");
  f("n_source", dis2.n_source, "held-out rows, which the bound is measured on");
  f("n_target", dis2.n_target, "held-out rows, which the bound is measured on");
  f("training_source", dis2.training_source, "rows that critics were trained on");
  f("training_target", dis2.training_target, "rows that critics were trained on");
  f("validity_score", dis2.validity_score, at_least(0),
    "low where critics were hard to train or hardly agree with the classifier");
  f.unless_empty(
      "critic_warning", warning,
      "a sentence where the critic agrees with the classifier on less than a quarter of the source");
  f("concentrations", dis2.concentrations, "the bound by each inequality, Hoeffding's first");
  f("restarts", dis2.restarts, from_to(-1, 1), "the discrepancy of every restart");
  f("corollary", dis2.corollary,
    "what a labelled target says of the assumption, by rows that chose no critic; null without labels or "
    "holdout");
}

static void fields(ComponentBound& one, Fields& f) {
  f("components", one.components, at_least(1), "of the features, the leading ones");
  f("fraction", one.fraction, at_least(1), "features for each component");
  f("bound", one.dis2.bound, share, "at its share of delta");
  f("estimate", one.dis2.estimate, share, "without the root term");
  f("discrepancy", one.dis2.discrepancy, from_to(-1, 1), "of the worst critic");
  f("validity_score", one.validity_score, at_least(0), "of the papers' recipe");
  f("kept", one.kept, "the validity score reaches least_validity");
}

void fields(ComponentRange& range, Fields& f) {
  f("bounds", range.bounds, "most components first");
  f("chosen", range.chosen, "which of them counts, from 0");
}

}  // namespace leeway::error_bound

namespace leeway::record {

ErrorMethod method_of(const error_bound::Estimator& estimator) {
  return {std::string(estimator.name), std::string(estimator.summary), std::string(estimator.assumes),
          std::string(estimator.fails)};
}

std::vector<MethodError> errors_of(const error_bound::Estimates& estimates) {
  std::vector<MethodError> errors;
  for (const auto& [estimator, error, interval] : estimates.estimates)
    if (estimator->name == "combined")
      errors.push_back({method_of(*estimator), error, interval, false, estimates.combined->likely.low,
                        estimates.combined->likely.high});
    else
      errors.push_back({method_of(*estimator), error, interval, false});
  return errors;
}

void fields(ErrorMethod& method, Fields& f) {
  f("method", method.method, "its name");
  f("summary", method.summary, "what it is");
  f("assumes", method.assumes, "completes: it is right if ...");
  f("fails", method.fails, "completes: it is too low if ...");
}

void fields(MethodError& error, Fields& f) {
  fields(error.method, f);
  f.measured("error", error.error, error.interval, share,
             "on the target; of a bound, the bound. The interval says how far the rows settle an estimate");
  f("is_bound", error.is_bound, "an upper bound, not an estimate");
  f("likely_low", error.likely_low, share, "of the likely range; null of all but combined");
  f("likely_high", error.likely_high, share, "of the likely range; null of all but combined");
}

std::string percent_range(std::span<const double> errors, std::string_view between) {
  if (errors.empty()) return "";
  const auto [low, high] = std::ranges::minmax(errors);
  const std::string from = percent(low), to = percent(high);
  return from == to ? to : from.substr(0, from.size() - 1) + std::string(between) + to;
}

std::string bound_warning(double bound, double likely_low, double likely_high) {
  if (likely_high <= bound) return "";
  const double range[] = {likely_low, likely_high};
  return fmt::format(
      "The likely range of the error, {}, reaches beyond the bound, {}: the bound's assumption is in doubt.",
      percent_range(range), percent(bound));
}

void fields(LikelyError& error, Fields& f) {
  measured(
      f, "error", error.error, share,
      "the estimate; its interval holds what sampling may do, not what the shift does to its assumption");
  f("low", error.low, share, "of the likely range");
  f("high", error.high, share, "of the likely range");
  f("moved", error.moved, "what the outputs show of the shift");
}

}  // namespace leeway::record
