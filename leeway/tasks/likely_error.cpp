#include "leeway/tasks/likely_error.h"

#include <fmt/format.h>

#include <algorithm>

namespace leeway::error_bound {

static void fields(Concentration& one, Fields& f) {
  std::string name(one.name);
  std::vector<Choice> names;
  for (const std::string_view known : concentration_names) names.push_back({std::string(known), ""});
  f.choice("name", name, std::move(names), "inequality of the concentration term");
  f("term", one.term, {}, "concentration term, added to source_error + discrepancy");
  f("bound", one.bound, a_share, "bound on the target error; the largest over all critics");
  for (const std::string_view known : concentration_names)
    if (known == name) one.name = known;
}

static void fields(Verdict& verdict, Fields& f) {
  f("target_error", verdict.target_error, a_share, "error on the target's held-out rows");
  f("threshold", verdict.threshold, {}, "threshold of Corollary E.2");
  f("holds", verdict.holds,
    "whether target_error is at most threshold; the assumption is then proved, except with probability "
    "delta");
}

void fields(Dis2& dis2, Fields& f) {
  std::string warning = critic_warning(dis2);
  f("source_error", dis2.source_error, a_share, "error on the source's held-out rows");
  f("discrepancy", dis2.discrepancy, from_to(-1, 1),
    "agreement_source - agreement_target of the worst critic (the largest difference of any critic)");
  f("agreement_source", dis2.agreement_source, a_share, "agreement of the worst critic on the source");
  f("agreement_target", dis2.agreement_target, a_share, "agreement of the worst critic on the target");
  f("concentration", dis2.concentration, at_least(0), "concentration term of the theorem");
  f("bound", dis2.bound, a_share, "source_error + discrepancy + concentration, at most 1");
  f("estimate", dis2.estimate, a_share, "the bound without the concentration term");
  f("n_source", dis2.n_source, "number of held-out source rows that measure the bound");
  f("n_target", dis2.n_target, "number of held-out target rows that measure the bound");
  f("training_source", dis2.training_source, "number of source rows used to train the critics");
  f("training_target", dis2.training_target, "number of target rows used to train the critics");
  f("validity_score", dis2.validity_score, at_least(0),
    "low if critics were hard to train or rarely agree with the classifier; null if training rows times "
    "parameters exceed 2^30");
  f.unless_empty("critic_warning", warning,
                 "warning if the critic agrees with the classifier on less than a quarter of the source");
  f("concentrations", dis2.concentrations, "bounds by inequality, Hoeffding's first");
  f("restarts", dis2.restarts, from_to(-1, 1), "discrepancy of every restart");
  f("corollary", dis2.corollary,
    "test of the assumption with the target's labels, on held-out rows; null without labels or holdout");
}

static void fields(ComponentBound& one, Fields& f) {
  f("components", one.components, at_least(1), "number of leading components");
  f("fraction", one.fraction, at_least(1), "number of features per component");
  f("bound", one.dis2.bound, a_share, "bound, with its share of delta");
  f("estimate", one.dis2.estimate, a_share, "the bound without the concentration term");
  f("discrepancy", one.dis2.discrepancy, from_to(-1, 1), "discrepancy of the worst critic");
  f("validity_score", one.validity_score, at_least(0), "validity score according to the papers' recipe");
  f("kept", one.kept, "whether the validity score reaches least_validity");
  f("corollary", one.dis2.corollary, "as in dis2, with this bound's share of delta");
}

void fields(ComponentRange& range, Fields& f) {
  f("bounds", range.bounds, "bounds, most components first");
  f("chosen", range.chosen, "index of the bound that is used");
}

void fields(Divergences& one, Fields& f) {
  f("h", one.h, a_share,
    "H-divergence: largest difference between the shares of the two sets on one side of a line");
  f("h_delta_h", one.h_delta_h, a_share,
    "H-delta-H-divergence: the same for the rows on which two half-planes differ");
  f("discrepancy", one.discrepancy, a_share, "largest discrepancy of a half-plane, on all rows");
}

}  // namespace leeway::error_bound

namespace leeway::tasks {

ErrorMethod method_of(const error_bound::Estimator& estimator) {
  return {std::string(estimator.name), std::string(estimator.summary), std::string(estimator.assumes),
          std::string(estimator.fails)};
}

std::vector<MethodError> errors_of(const error_bound::Estimates& estimates) {
  std::vector<MethodError> errors;
  for (const auto& [estimator, error, interval] : estimates.estimates)
    if (estimator->name == "combined")
      errors.push_back({method_of(*estimator), error, interval, false, estimates.combined->likely.low,
                        estimates.combined->likely.high, estimates.movement.margins_moved});
    else
      errors.push_back({method_of(*estimator), error, interval, false});
  return errors;
}

void fields(ErrorMethod& method, Fields& f) {
  f("method", method.method, "name of the method");
  f("summary", method.summary, "description of the method");
  f("assumes", method.assumes, "completes the sentence: the estimate is right if ...");
  f("fails", method.fails, "completes the sentence: the estimate is too low if ...");
}

void fields(MethodError& error, Fields& f) {
  fields(error.method, f);
  f.measured("error", error.error, error.interval, a_share,
             "estimate or bound of the target error; the interval covers the sampling error of an estimate");
  f("is_bound", error.is_bound, "whether this is an upper bound, not an estimate");
  f("likely_low", error.likely_low, a_share, "lower end of the likely range; only for combined");
  f("likely_high", error.likely_high, a_share, "upper end of the likely range; only for combined");
  f("margins_moved", error.margins_moved,
    "whether the margins of the outputs changed (Kolmogorov-Smirnov test at 10%); only for combined");
}

std::string percent_range(std::span<const double> errors, std::string_view between) {
  if (errors.empty()) return "";
  const auto [low, high] = std::ranges::minmax(errors);
  const std::string from = percent(low), to = percent(high);
  return from == to ? to : from.substr(0, from.size() - 1) + std::string(between) + to;
}

bool bound_in_doubt(double bound, double likely_high, bool margins_moved) {
  return margins_moved && likely_high > bound;
}

std::string bound_warning(double bound, const Interval& likely, bool margins_moved, bool kernel) {
  if (!bound_in_doubt(bound, likely.high, margins_moved)) return "";
  const double range[] = {likely.low, likely.high};
  return fmt::format(
      "The likely range of the error, {}, reaches beyond the bound, {}: the bound's assumption is in "
      "doubt.{}",
      percent_range(range), percent(bound),
      kernel ? ""
             : " Kernel critics may give a higher bound (`leeway bound --representation kernel:logits`).");
}

void fields(LikelyError& error, Fields& f) {
  measured(f, "error", error.error, a_share,
           "estimated error; the interval covers sampling error, not a failure of the assumption");
  f("low", error.low, a_share, "lower end of the likely range");
  f("high", error.high, a_share, "upper end of the likely range");
  f("margins_moved", error.margins_moved,
    "whether the margins of the outputs changed (Kolmogorov-Smirnov test at 10%)");
  f("moved", error.moved, "what the outputs show about the shift");
}

}  // namespace leeway::tasks
