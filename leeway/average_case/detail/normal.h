// The univariate normal distribution, in tails of any depth.
//
// For a >= 0: Phi(-a) = exp(-a^2/2) t g(t) with t = 1 / (1 + .3 a) and g a polynomial fitted over all a >= 0;
// relative error 4e-14 (tail_f64), 2e-7 for a <= 14 (tail_f32, rounding included).
#pragma once

#include <cmath>

namespace leeway::average_case {

inline constexpr double log_sqrt_two_pi = .9189385332046727;
inline constexpr double tail_slope = .3;
inline constexpr double tail_f64[] = {0.11968268412043107,   0.11968268411982315,   0.1089112426198765,
                                      0.087368356281808404,  0.057962393709821383,  0.026508887379416923,
                                      0.0004305016034537399, -0.013856777223577036, -0.014858555596399675,
                                      0.0020794301438806393, -0.028185813641006596, 0.1540504369660633,
                                      -0.41950587093776093,  0.9237340706926207,    -1.530068610373609,
                                      1.785727965719115,     -1.4469635227602962,   0.80295826266784698,
                                      -0.29316819240109121,  0.063811898869032976,  -0.0063014719594525872};
inline constexpr float tail_f32[] = {0.11962929811060177F,  0.12075396817244416F,   0.099913409318886162F,
                                     0.12856192204364258F,  -0.053684240778281475F, 0.20635418972231426F,
                                     -0.15720349531767452F, 0.035674875788898337F};

// exp(a^2/2) Phi(-a) for a >= 0.
[[nodiscard]] inline double scaled_tail(double a) {
  const double t = 1 / (1 + tail_slope * a);
  double g = 0;
  for (int i = 20; i >= 0; --i) g = g * t + tail_f64[i];
  return t * g;
}

[[nodiscard]] inline double log_cdf(double z) {
  if (z < 0) return -.5 * z * z + std::log(scaled_tail(-z));
  return std::log1p(-std::exp(-.5 * z * z) * scaled_tail(z));
}

// phi(z) / Phi(z), minus the mean of a standard normal variable that is at most z.
[[nodiscard]] inline double hazard(double z) {
  constexpr double inverse_sqrt_two_pi = .3989422804014327;
  if (z < 0) return inverse_sqrt_two_pi / scaled_tail(-z);
  const double density = std::exp(-.5 * z * z);
  return inverse_sqrt_two_pi * density / (1 - density * scaled_tail(z));
}

[[nodiscard]] inline double cdf(double z) { return .5 * std::erfc(-z * .7071067811865476); }

}  // namespace leeway::average_case
