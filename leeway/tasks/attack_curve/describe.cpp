#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "leeway/core/message.h"
#include "leeway/core/numbers.h"
#include "leeway/tasks/agreement_fields.h"
#include "leeway/tasks/attack_curve/attack_curve.h"

namespace leeway::tasks {
void fields(CurveResult& result, Fields& f) {
  f("model", result.model, "name of the model");
  f("attack", result.attack, "attack, see leeway list attacks");
  f("strength", result.strength,
    "radius as given (text); 0: no attack; nearest: minimum-norm attack without a limit");
  f("eps", result.eps, at_least(0), "radius as a number; null: nearest");
  f("share", result.share, a_share, "share of rows that are attacked, smallest norms first");
  f("attacked", result.attacked, "number of attacked rows (minimum-norm attacks: within the radius)");
  f("n", result.n, at_least(1), "number of rows");
  f("k", result.k, at_least(2), "number of classes");
  f.measured("clean_accuracy", result.clean_accuracy, result.clean_accuracy_interval, a_share,
             "accuracy on the clean rows; null without labels");
  f.measured("afr_true", result.afr_true, result.afr_true_interval, a_share,
             "AFR(T): accuracy with attacked rows among the clean ones; null without labels");
  f.measured("afr_pred", result.afr_pred, result.afr_pred_interval, a_share,
             "AFR(P): share of predictions unchanged by the attack");
  f.measured("pa", result.pa, result.pa_interval, {}, "posterior agreement, 0 to log k");
  f.measured("beta", result.beta, result.beta_interval, at_least(0),
             "inverse temperature at the maximum; its interval requires 20 changed predictions");
  f("gap", result.gap, at_least(0), "certified gap: no other beta raises the maximum by more than this");
  f("converged", result.converged, "false: the tolerance was not reached, and the exit code is 5");
  f("initial", result.initial, "confidence at beta = 1");
  f("optimal", result.optimal, "confidence at the beta of the maximum");
  f("decomposition", result.decomposition,
    "parts of n (pa - log k), and their approximations; null without labels");
}

void share_fields(AttackCurveOptions& options, Fields& f) {
  f("shares", options.shares, a_share,
    "shares of attacked rows, smallest norms first, failed attacks last: 0:1:0.1 or 0,0.5,1");
  f("level", options.level, from_to(.5, .9999), "confidence level of intervals");
}

void fields(AttackCurveOptions& options, Fields& f) {
  f("attacks", options.attacks, "attacks, see leeway list attacks");
  f("strengths", options.strengths,
    "radii as text, such as 2/255; also limits on the norms of minimum-norm attacks");
  f.one_of("norm", options.norm, attack::every_norm,
           "norm of the perturbation; l0: number of changed values");
  f.numbers("parameters", options.parameters, "parameters of every attack by name; see leeway list attacks");
  share_fields(options, f);
}

// The attacked result with the least `value`; of several the first.
template <class Value>
static const CurveResult& least_of(const AttackCurve& record, const Value& value) {
  const auto key = [&](const CurveResult& result) {
    return std::pair(result.strength == clean_strength, value(result));
  };
  return *std::ranges::min_element(record.results, {}, key);
}

// "pgd of strength 2/255".
static std::string attack_words(const CurveResult& result) {
  return result.strength == nearest_strength ? result.attack + " without a limit"
                                             : result.attack + " of strength " + result.strength;
}

std::string headline_of(const AttackCurve& record) {
  // The fewest right predictions; without labels, the fewest unchanged ones.
  const CurveResult& worst =
      least_of(record, [](const CurveResult& r) { return r.afr_true.value_or(r.afr_pred); });
  const std::string where = "Under " + attack_words(worst);
  if (!worst.afr_true)
    return fmt::format("{}, {} of the predictions of {} are unchanged.", where,
                       share_words(worst.afr_pred, worst.afr_pred_interval), display_name(worst.model));
  return fmt::format("{}, the accuracy of {} falls from {} to {}.", where, display_name(worst.model),
                     share_words(*worst.clean_accuracy, worst.clean_accuracy_interval),
                     share_words(*worst.afr_true, worst.afr_true_interval));
}

std::vector<std::string> findings_of(const AttackCurve& record) {
  const CurveResult& least = least_of(record, [](const CurveResult& r) { return r.pa; });
  return {fmt::format("Posterior agreement is lowest for {} under {}: {} (maximum {}).",
                      display_name(least.model), attack_words(least),
                      value_words(measured(least.pa, least.pa_interval), false),
                      fixed(std::log(static_cast<double>(least.k)), 2))};
}

}  // namespace leeway::tasks
