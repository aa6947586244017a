// Decision boundaries of a linear classifier near one input; the probability that noise crosses none.
//
// With target class t and, for every other class i,
//   g_i = f_t - f_i,   s_i = sqrt(grad g_i' C grad g_i),   z_i = g_i / s_i
//   R_ij = grad g_i' C grad g_j / (s_i s_j)
//   p_sigma = Phi_R(z / sigma), the normal cdf in k - 1 dimensions       (Han et al. 2024, lemma 1)
//   mv-sigmoid = 1 / (1 + sum_i exp(-z_i / sigma)): a score for ranking, not a probability   (section 3.2.3)
// p_sigma is exact for a linear classifier and Gaussian noise N(0, sigma^2 C). C normalizes both z and R (the
// paper's U C U' with Euclidean U is wrong). The Taylor estimator uses f and its gradients at the input, the
// MMSE estimator their means over noisy copies.
//
// Of many classes only those with the largest logits are considered, in that order. A class takes from p only
// where it beats the target and no considered class does. A considered class j takes at most the bivariate
// normal probability
//   b_j = min over rivals i before j of P(X_j < -z_j / sigma, X_i > -z_i / sigma),  corr(X_i, X_j) = R_ij
// What all left-out classes take is bounded by the smallest of
//   (k - m) mean of b over the last half of those considered  if they take no more on average than that half
//   sum of Phi(-g_i / (2 sigma steepest))                     if none exceeds twice the steepest s_i
//   min Phi(z_i / sigma)                                      the largest p that the considered classes allow
//
// A boundary with gradient 0, or any boundary at sigma = 0, is never crossed: z_i = +inf if the target leads,
// else -inf; on a tie the lower class wins. R is singular if k - 1 > d or classes coincide. Errors (Error):
// those of mvn_cdf.h. Deterministic.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "leeway/average_case/mvn_cdf.h"
#include "leeway/average_case/noise.h"

namespace leeway::average_case {

struct Boundaries {
  std::vector<double> z;            // (m)
  std::vector<double> correlation;  // R, (m,m) row-major; rows of infinite z are those of the identity

  // Classes whose gradients were not asked for (k large), by their g_i, and the largest s_i among those that were.
  std::vector<float> left_out;
  double steepest = 0;  // 0: no boundary has a gradient, and noise is taken to cross none

  // What the classes left out can take from p_sigma: the bound above. z in the order of the logits.
  [[nodiscard]] double left_out_mass(double sigma) const;
};

// logits (m) and gradients (m,d) of the classes considered, `target` a position among them; classes names them (empty:
// 0, 1, ...), for ties.
[[nodiscard]] Boundaries boundaries_of(std::span<const double> logits, std::span<const double> gradients,
                                       std::size_t target, const Noise& noise,
                                       std::span<const std::int32_t> classes = {});

// The same from a saved J C J' (m,m) of the class gradients. s_i^2 is a difference and counts as 0 below the
// rounding of its terms. The matrix may be indefinite and asymmetric by ten times that (ordering.h); a
// worse float64 matrix is treated as float32, and Error is thrown if it is worse still.
inline constexpr double rounding_f32 = 1e-6, rounding_f64 = 1e-12;  // shares of the diagonal
[[nodiscard]] Boundaries boundaries_of_gram(std::span<const double> logits, std::span<const double> gram,
                                            std::size_t target, double rounding = rounding_f64);

[[nodiscard]] MvnProbability probability(const Boundaries& boundaries, double sigma,
                                         const MvnOptions& options);
[[nodiscard]] double mv_sigmoid(const Boundaries& boundaries, double sigma);

}  // namespace leeway::average_case
