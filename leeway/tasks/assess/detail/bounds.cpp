#include "leeway/tasks/assess/detail/bounds.h"

#include <fmt/format.h>

#include <algorithm>

#include "leeway/core/error.h"
#include "leeway/core/numbers.h"

namespace leeway::assess {
namespace {

using error_bound::Sample;

constexpr std::string_view representation = "logits";
constexpr double moved_p = .01;

// Calls `compute`; what the library refuses becomes the reason.
template <class Compute>
auto attempt(const Compute& compute, std::string& reason) -> std::optional<decltype(compute())> {
  try {
    return compute();
  } catch (const Error& refused) {
    reason = refused.what();
    return std::nullopt;
  }
}

std::string what_moved(const error_bound::Movement& movement, const tasks::DriftTest& classes) {
  if (movement.beyond_mix()) return "no other mix of the source's classes explains the change of the outputs";
  const std::string chance = tasks::p_sentence(classes.p_alone);
  return classes.p_alone <= moved_p
             ? fmt::format(
                   "the mix of predicted classes changed ({}), which another mix of the source's classes "
                   "explains",
                   chance)
             : fmt::format("sampling error alone can explain the change of the outputs ({})", chance);
}

}  // namespace

Bounds error_bounds(const std::string& source, const LabelledRows& rows, const Outputs& target,
                    const Task& task, Progress* progress) {
  const std::vector<std::int64_t>& labels = rows.labels;
  Bounds bounds;
  if (task.options.no_bounds || labels.empty()) {
    bounds.no_bound = bounds.no_estimates =
        labels.empty() ? "the source has no labels" : "bounds and estimates were skipped on request";
    return bounds;
  }
  const Sample known{source, rows.logits, labels, {}};
  const Sample unknown{target.path, target.logits, {}, {}};
  const error_bound::Dis2Options critics{.restarts = task.options.restarts,
                                         .delta = task.options.delta,
                                         .seed = task.seed,
                                         .progress = progress};
  error_bound::EstimateOptions estimating{.methods = {"combined"},
                                          .bootstrap = task.options.bootstrap,
                                          .level = task.level,
                                          .seed = task.seed,
                                          .progress = progress};
  for (const error_bound::Estimator& member : error_bound::answer_estimators())
    estimating.methods.push_back(member.name);
  bounds.dis2 = attempt([&] { return error_bound::dis2_bound(known, unknown, critics); }, bounds.no_bound);
  bounds.estimates =
      attempt([&] { return error_bound::estimate_error(known, unknown, estimating); }, bounds.no_estimates);
  if (labels.size() < 2 || target.n() < 2)
    bounds.no_bound = fmt::format(
        "the bound is measured on rows held out from both sets, so each needs 2 or more; found {} and {}",
        labels.size(), target.n());
  return bounds;
}

std::optional<tasks::AssessBounds> bounds_of(const tasks::AssessOptions& options) {
  if (options.no_bounds) return std::nullopt;
  const error_bound::Assumption assumption = error_bound::dis2_assumption(representation);
  tasks::AssessBounds bounds{std::string(representation),
                             options.delta,
                             options.restarts,
                             options.bootstrap,
                             "",
                             std::string(error_bound::likely_words()),
                             {}};
  bounds.assumption = fmt::format(
      "The bound holds with probability {:g}% for independent samples if {}; it is too low if {}.",
      100 * (1 - options.delta), assumption.assumes, assumption.fails);
  bounds.methods.push_back(tasks::method_of(error_bound::estimator("combined")));
  for (const error_bound::Estimator& member : error_bound::answer_estimators())
    bounds.methods.push_back(tasks::method_of(member));
  return bounds;
}

tasks::LikelyError likely_error(const error_bound::Estimates& estimates, const tasks::AssessResult& summary,
                                std::size_t source_n, double level) {
  const auto of_all = std::ranges::find_if(estimates.estimates, [](const error_bound::Estimate& one) {
    return one.estimator->name == "combined";
  });
  const double s = estimates.source_error;
  const Interval& likely = estimates.combined->likely;
  tasks::LikelyError found{{},
                           likely.low,
                           likely.high,
                           estimates.movement.margins_moved,
                           what_moved(estimates.movement, summary.drift->classes)};
  double error = of_all->error;
  const auto& unchanged = summary.afr_pred.value;
  if (unchanged) {
    const double changed = 1 - *unchanged, low = std::max(0., changed - s), high = std::min(1., changed + s);
    for (double* value : {&error, &found.low, &found.high}) *value = std::clamp(*value, low, high);
    found.moved += fmt::format(
        "; {} of predictions changed, and the error differs from this share by at most the source error, {}",
        percent(changed, 1), percent(s, 1));
  }
  const Interval sampling = of_all->interval && !unchanged
                                ? *of_all->interval
                                : error_bound::sampling_interval(error, summary.n, s, source_n, level);
  found.error = {error, sampling.low, sampling.high};
  return found;
}

}  // namespace leeway::assess
