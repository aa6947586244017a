// combined: the estimate of estimator.h.

#include <algorithm>
#include <array>
#include <cmath>

#include "leeway/error_bound/detail/combined_network.h"
#include "leeway/error_bound/estimator.h"

namespace leeway::error_bound {
namespace {

using Inputs = std::array<double, network::inputs>;

// `shift` keeps the logit finite, and nearly equal for shares smaller than one row in n.
double logit(double share, double shift) {
  return std::log((std::max(share, 0.) + shift) / (std::max(1 - share, 0.) + shift));
}

double share_of(double logit, double shift) {
  return std::clamp((1 + 2 * shift) / (1 + std::exp(-logit)) - shift, 0., 1.);
}

double error_of(const Estimator& member, const Evidence& evidence) {
  return std::clamp(member.error(evidence), 0., 1.);
}

Inputs inputs_of(const Evidence& e, double shift) {
  const auto n = static_cast<double>(e.source->confidence.size()),
             m = static_cast<double>(e.target.confidence.size());
  const double noise = std::sqrt(1 / n + 1 / m), base = logit(e.movement.mix_error, shift);
  const auto beyond = [&](double error) { return logit(error, shift) - base; };
  const double excess = e.transport_cost - 1 + e.target_confidence - e.self.excess,
               deviations = excess / std::max(e.self.deviation, 1e-4);
  const Movement& move = e.movement;
  return {beyond(1 - e.source_accuracy),
          beyond(error_of(estimator("doc"), e)),
          beyond(error_of(estimator("atc-conf"), e)),
          beyond(error_of(estimator("ac"), e)),
          beyond(error_of(estimator("cot"), e)),
          std::copysign(std::log1p(std::abs(deviations)), deviations),
          base,
          std::log(move.misfit / std::max(move.misfit_noise, .001) + .1),
          std::log(move.distance + .003),
          std::log(move.least_distance + .003),
          move.log_factor,
          std::log(static_cast<double>(e.label_shares.size())),
          std::log(noise)};
}

struct Output {
  double middle, below, above;  // logits: of the estimate; from it to the quantiles
};

Output run(const network::Weights& weights, const Inputs& x) {
  std::array<double, 3> out = weights.output_bias;
  for (std::size_t h = 0; h < network::units; ++h) {
    double sum = weights.hidden_bias[h];
    for (std::size_t i = 0; i < x.size(); ++i) sum += weights.hidden[h][i] * x[i];
    for (std::size_t o = 0; o < out.size(); ++o) out[o] += weights.output[o][h] * std::tanh(sum);
  }
  for (std::size_t i = 0; i < x.size(); ++i) out[0] += weights.direct[i] * x[i];
  const auto positive = [](double value) { return value > 30 ? value : std::log1p(std::exp(value)); };
  return {out[0], positive(out[1]), positive(out[2])};
}

}  // namespace

CombinedAnswer combined_answer(const Evidence& e) {
  const auto n = static_cast<double>(std::min(e.source->confidence.size(), e.target.confidence.size()));
  const double shift = .5 / n + 1e-4;
  Inputs x = inputs_of(e, shift);
  const double base = logit(e.movement.mix_error, shift);
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = std::clamp((x[i] - network::mean[i]) / network::deviation[i], -3., 3.);
  CombinedAnswer answer;
  constexpr double part = 1. / network::all.size();
  for (const network::Weights& weights : network::all) {
    const auto [middle, below, above] = run(weights, x);
    answer.error += part * share_of(base + middle, shift);
    answer.likely.low += part * share_of(base + middle - network::range * below, shift);
    answer.likely.high += part * share_of(base + middle + network::range * above, shift);
  }
  return answer;
}

std::string_view likely_words() {
  return "The likely range contained the error of 92% of 1,920 simulated shifts that were not used in its "
         "fit, and of 123 of 124 real shifts. It contained the error of 40% of 480 shifts that outputs "
         "cannot show: either only labels change, or the model makes confident mistakes.";
}

Estimator combined() {
  return {{"combined",
           "regression on the other estimates and the change of the outputs, fitted on simulated shifts", ""},
          "the shift is like the simulated ones, which change inputs, class mix or confidence",
          "labels change while outputs do not, or the model makes confident mistakes",
          /*transport=*/true,
          /*movement=*/true,
          [](const Evidence& evidence) { return combined_answer(evidence).error; }};
}

}  // namespace leeway::error_bound
