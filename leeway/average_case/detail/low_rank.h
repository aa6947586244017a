// Normal distribution function of correlation matrices of rank 1 to 3.
//
// R = L L', L (d, rank): Z = L y, y standard normal, so that p is the mass of the polytope {y: L y <= upper}.
// With c the polytope's point nearest to the origin and y = c + x,
//   p = exp(-|c|^2 / 2) (2 pi)^(-rank / 2) I,   I the integral of exp(-c'x - |x|^2 / 2), L x <= upper - L c.
// c'x >= 0 there, so that in tails of any depth at most P(chi > 9.5) = 2e-19 of p lies beyond |x| = 9.5.
// Sections along an axis are log-concave, and smooth between the vertices of the polytope: the last axis has
// a closed form, the other axes are integrated by Gauss-Kronrod quadrature.
//
// Cost: about 20 us for rank 2, d = 5; 5 to 40 ms for rank 3, d = 100. One thread.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "leeway/average_case/detail/one_factor.h"
#include "leeway/average_case/detail/ordering.h"
#include "leeway/average_case/mvn_cdf.h"

namespace leeway::average_case {

struct LowRank {
  std::size_t rank = 0;
  std::vector<std::array<double, 3>> rows;  // L, 0 beyond the rank
  std::vector<double> left;                 // (d): variances that L leaves out; 0 where they are rounding
  std::array<double, 3> scale = {1, 1, 1};  // deviation of each pivot
};

// Cholesky factor with complete pivoting. None where the factor leaves out more than `singular` of a
// variance, or where the remainder is not a covariance matrix. A remainder of a few units of rounding, and an
// indefinite one (float32 matrices), count as rounding: p is then that of the nearby matrix of low rank.
[[nodiscard]] std::optional<LowRank> low_rank_of(const Problem& problem);

// The relative error is the sum of bounds on three errors: of quadrature, of rounding, and of leaving out
// `left`. An empty polytope has log_value = -infinity and error 0. Where the bounds exceed p, log_value is an
// upper bound on log p and the error is 1.
[[nodiscard]] Quadrature low_rank_probability(const Problem& problem, const LowRank& matrix,
                                              const MvnOptions& options);

}  // namespace leeway::average_case
