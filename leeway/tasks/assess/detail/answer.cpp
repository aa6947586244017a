#include "leeway/tasks/assess/detail/answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "leeway/core/numbers.h"

namespace leeway::assess {
namespace {

std::string what_moved(const AnswerEvidence& e) {
  if (e.estimates.movement.beyond_mix())
    return "no other mix of the source's classes explains the change of the outputs";
  const double p = e.drift.classes.p_alone;
  const std::string words = tasks::p_words(p), chance = "p " + (words[0] == '<' ? words : "= " + words);
  return p <= moved_p ? fmt::format(
                            "the mix of predicted classes changed ({}), as another mix of the source's "
                            "classes explains",
                            chance)
                      : fmt::format("the outputs changed no more than sampling explains ({})", chance);
}

}  // namespace

tasks::LikelyError likely_error(const AnswerEvidence& e) {
  const auto of_all = std::ranges::find_if(e.estimates.estimates, [](const error_bound::Estimate& one) {
    return one.estimator->name == "combined";
  });
  const double s = e.estimates.source_error;
  tasks::LikelyError found{{},
                           e.estimates.combined->likely.low,
                           e.estimates.combined->likely.high,
                           e.estimates.movement.margins_moved,
                           what_moved(e)};
  double error = of_all->error;
  if (e.changed) {
    const double low = std::max(0., *e.changed - s), high = std::min(1., *e.changed + s);
    for (double* value : {&error, &found.low, &found.high}) *value = std::clamp(*value, low, high);
    found.moved += fmt::format(
        "; {} of predictions changed, and the error differs from this share by at most {}, the error on the "
        "source",
        percent(*e.changed, 1), percent(s, 1));
  }
  const Interval sampling = of_all->interval && !e.changed
                                ? *of_all->interval
                                : error_bound::sampling_interval(error, e.n, s, e.source_n, e.level);
  found.error = {error, sampling.low, sampling.high};
  return found;
}

}  // namespace leeway::assess
