#include "leeway/tasks/assess/detail/answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "leeway/core/numbers.h"

namespace leeway::assess {
namespace {

std::string what_moved(const error_bound::Movement& movement, const tasks::DriftTest& classes) {
  if (movement.beyond_mix()) return "no other mix of the source's classes explains the change of the outputs";
  const std::string chance = tasks::p_sentence(classes.p_alone);
  return classes.p_alone <= moved_p
             ? fmt::format(
                   "the mix of predicted classes changed ({}), as another mix of the source's "
                   "classes explains",
                   chance)
             : fmt::format("the outputs changed no more than sampling explains ({})", chance);
}

}  // namespace

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
        "; {} of predictions changed, and the error differs from this share by at most {}, the error on the "
        "source",
        percent(changed, 1), percent(s, 1));
  }
  const Interval sampling = of_all->interval && !unchanged
                                ? *of_all->interval
                                : error_bound::sampling_interval(error, summary.n, s, source_n, level);
  found.error = {error, sampling.low, sampling.high};
  return found;
}

}  // namespace leeway::assess
