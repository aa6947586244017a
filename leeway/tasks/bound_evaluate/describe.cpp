#include <fmt/format.h>

#include <algorithm>

#include "leeway/describe/json.h"
#include "leeway/tasks/bound_evaluate/bound_evaluate.h"

namespace leeway::error_bound {

static void fields(Shift& shift, Fields& f) {
  f("data_set", shift.data_set, "data set of the shift; adjustments are learned on the other data sets");
  f("truth", shift.truth, a_share, "accuracy on the target");
  f("predicted", shift.predicted, a_share, "predicted accuracy");
}

static void fields(LossTest& test, Fields& f) {
  f("loss", test.loss, "first disagreement loss");
  f("other", test.other, "second disagreement loss");
  f("discrepancy", test.discrepancy, from_to(-1, 1), "mean discrepancy found with the first loss");
  f("other_discrepancy", test.other_discrepancy, from_to(-1, 1),
    "mean discrepancy found with the second loss");
  f.measured("difference", test.difference, test.interval, {}, "discrepancy - other_discrepancy");
  f("n", test.n, at_least(1), "number of shifts");
  f("larger", test.larger, "number of shifts where the first loss finds the larger discrepancy");
  f("p", test.p, a_share, "two-sided p-value of Student's paired t-test; null if there are too few data");
  f("p_adjusted", test.p_adjusted, a_share, "p adjusted by Holm's method over all pairs");
}

}  // namespace leeway::error_bound

namespace leeway::tasks {

static void score_fields(error_bound::Score& score, Fields& f) {
  f("n", score.n, at_least(1), "number of shifts");
  f("mae", score.mae, a_share, "mean absolute difference between predicted and true accuracy");
  f.measured("coverage", score.coverage, score.coverage_interval, a_share,
             "share of shifts whose accuracy is not overstated");
  f("overestimation", score.overestimation, a_share,
    "mean overstatement of accuracy on the shifts where it is overstated; null without such shifts");
}

static void fields(ThresholdScore& one, Fields& f) {
  f("threshold", one.threshold, a_share, "minimum validity score");
  score_fields(one.score, f);
  f("worst", one.worst, a_share, "largest overstatement of accuracy");
}

static void fields(ValidityScores& validity, Fields& f) {
  f.measured("correlation", validity.correlation, from_to(-1, 1),
             "Pearson correlation between validity score and tightness (predicted minus true error); null if "
             "one of them is constant, or for fewer than 4 shifts");
  f("thresholds", validity.thresholds, "scores over the shifts whose validity score reaches a threshold");
}

static void fields(AdjustedScore& adjusted, Fields& f) {
  f.choice("adjustment", adjusted.adjustment,
           {{"shift", "subtracted from the accuracy"}, {"scale", "multiplies the accuracy"}},
           "adjustment of the predictions");
  f("level", adjusted.level, a_share, "required coverage");
  score_fields(adjusted.score, f);
}

static void fields(EvaluatedMethod& method, Fields& f) {
  double rate = method.violation_rate();
  Interval interval = method.violation_interval();
  std::optional<bool> exceeds = method.exceeds_delta();
  f("method", method.method, "name of the column");
  score_fields(method.score, f);
  f.measured("violation_rate", rate, interval, a_share, "1 - coverage");
  f("delta", method.delta, a_share,
    "allowed failure probability of the method: from its name, METHOD@DELTA, or --delta; null if not given");
  f("exceeds_delta", exceeds, "whether violation_rate_low is above delta; null without a delta");
  f("adjusted", method.adjusted, "scores after adjustment on the other data sets; [] with one data set");
  f("points", method.points, "shifts, in the order of the table");
  f.measured(
      "proved", method.proved, a_share,
      "share of shifts where Corollary E.2 proves the assumption; null without a column proved:METHOD");
  f("validity", method.validity, "validity score and tightness; null without a column validity:METHOD");
}

void fields(BoundEvaluateOptions& options, Fields& f) {
  f("methods", options.methods, "columns that are methods (default: all numeric columns)");
  f("delta", options.delta, from_to(1e-12, .5),
    "allowed failure probability of every bound; a column name METHOD@DELTA overrides it");
  f("coverage", options.coverage, from_to(.01, .9999), "required coverages of the adjusted methods");
  f("level", options.level, from_to(.5, .9999), "confidence level of intervals");
}

void fields(BoundEvaluation& record, Fields& f) {
  common_fields(record, f);
  f("data_sets", record.data_sets, at_least(1), "number of data sets");
  f("results", record.results, "one result for each method");
  f.unless_missing("losses", record.losses,
                   "disagreement losses compared over the shifts; [] without two columns discrepancy:LOSS");
}

std::optional<bool> EvaluatedMethod::exceeds_delta() const {
  if (!delta) return std::nullopt;
  return violation_interval().low > *delta;
}

static std::string violation_words(const EvaluatedMethod& method) {
  return share_words(method.violation_rate(), method.violation_interval());
}

std::string headline_of(const BoundEvaluation& record) {
  const EvaluatedMethod& closest = *std::ranges::min_element(
      record.results, {}, [](const EvaluatedMethod& method) { return method.score.mae; });
  const EvaluatedMethod& safest =
      *std::ranges::min_element(record.results, {}, &EvaluatedMethod::violation_rate);
  const std::string off = fixed(100 * closest.score.mae, 1) + " points off on average";
  const std::string text =
      fmt::format("Over {} shifts {} understates the error least often, on {}", count(closest.score.n),
                  display_name(safest.method), violation_words(safest));
  if (&closest == &safest) return text + ", and is most accurate, " + off + ".";
  return fmt::format("{}; {} is most accurate, {}.", text, display_name(closest.method), off);
}

// How often the error lay between the columns likely_low and likely_high; empty without both.
static std::string range_words(const BoundEvaluation& record) {
  const auto column = [&](std::string_view name) {
    return std::ranges::find(record.results, name, &EvaluatedMethod::method);
  };
  const auto low = column("likely_low"), high = column("likely_high");
  if (low == record.results.end() || high == record.results.end()) return "";
  const std::size_t n = low->points.size();  // of accuracies: an error below its range is an accuracy above
  std::size_t below = 0, above = 0;
  for (std::size_t i = 0; i < n; ++i) {
    below += low->points[i].truth > std::max(low->points[i].predicted, high->points[i].predicted) ? 1 : 0;
    above += low->points[i].truth < std::min(low->points[i].predicted, high->points[i].predicted) ? 1 : 0;
  }
  const Interval held = clopper_pearson(n - below - above, n, record.options.level);
  return fmt::format(
      "The likely range contains the error on {} of {} shifts ({:g}% interval {:.0f} to {:.0f}%); errors "
      "above the range: {}.",
      n - below - above, n, 100 * record.options.level, 100 * held.low, 100 * held.high, above);
}

std::vector<std::string> findings_of(const BoundEvaluation& record) {
  std::vector<std::string> findings;
  if (std::string range = range_words(record); !range.empty()) findings.push_back(std::move(range));
  for (const EvaluatedMethod& method : record.results)
    if (method.exceeds_delta().value_or(false))
      findings.push_back(
          fmt::format("{} understates the error on {} of shifts, significantly more than its delta of {:g}%.",
                      display_name(method.method), violation_words(method), 100 * *method.delta));
  return findings;
}

}  // namespace leeway::tasks
