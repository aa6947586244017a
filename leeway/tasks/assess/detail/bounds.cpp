#include "leeway/tasks/assess/detail/bounds.h"

#include <fmt/format.h>

#include "leeway/core/error.h"

namespace leeway::assess {
namespace {

using error_bound::Sample;

constexpr std::string_view representation = "logits";

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
  error_bound::Dis2Options critics;
  critics.restarts = task.options.restarts;
  critics.delta = task.options.delta;
  critics.seed = task.seed;
  critics.progress = progress;
  error_bound::EstimateOptions estimating;
  estimating.methods.push_back("combined");
  for (const error_bound::Estimator& member : error_bound::answer_estimators())
    estimating.methods.push_back(member.name);
  estimating.bootstrap = task.options.bootstrap;
  estimating.level = task.level;
  estimating.seed = task.seed;
  estimating.progress = progress;
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

}  // namespace leeway::assess
