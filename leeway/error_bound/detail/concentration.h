// Upper bounds on err_S(h) + D(h,h') in the population, from counts on rows that did not choose h'.
//
// With A = 1(h wrong) - 1(h' and h differ) on a source row and B = 1(h' and h differ) on a target row, the
// sum is E A + E B, estimated by mean A + mean B. For one fixed critic each bound holds with probability at
// least 1 - delta:
//   hoeffding            mean + sqrt((n_S + 4 n_T) L / (2 n_S n_T)),  L = log(1/delta)
//       Rosenfeld and Garg (2023), Theorem 3.6.
//   empirical bernstein  mean + sqrt(2 v L3) + M L3 / 3,  L3 = log(3/delta),  M = max(2/n_S, 1/n_T),
//                        v = s_A^2/n_S + s_B^2/n_T,  s_A = min(1, sd A + 2 sqrt(2 L3 / (n_S - 1))),
//                        s_B = min(1/2, sd B + sqrt(2 L3 / (n_T - 1)))
//       delta/3 each for Bernstein's inequality on the independent A_i/n_S and B_j/n_T, which fall below
//       their means by at most M, and for the two deviations (Maurer and Pontil 2009, Theorem 10).
//   betting              sup of a + b over the pairs of means that three tests do not reject
//       W(a,b) = prod (1 + s (a - A_i)) prod (1 + t (b - B_j)), with 0 <= s < 1/2 and 0 <= t < 1 chosen
//       without these rows, is nonnegative with mean 1 at the true (a,b), so P(W >= 1/alpha) <= alpha
//       (Markov; Waudby-Smith and Ramdas 2024, section 4, at a fixed n). The factors reject a > a_1 and b >
//       b_1 at delta/20 each, the product rejects pairs at 9 delta/10. log W is concave and rises in a and b,
//       so its contour b(a) is convex and a + b is largest at a = a_1 or b = b_1. The bets suit the variances
//       of `guess`, counts of the training rows.
//
// Several critics: if the assumption D(h,y*) <= D(h,h') holds for one critic that only the populations and
// training rows determine, its bound holds, and so does the largest bound. This is not the bound of the
// largest D: the terms differ between critics. Errors: none; delta in (0,1), counts >= 1 rows. Results may
// exceed 1. Deterministic.
#pragma once

#include <cstddef>

namespace leeway::error_bound {

struct Counts {
  std::size_t n_source = 0, n_target = 0;
  std::size_t wrong_agreed = 0;     // source rows with A = 1
  std::size_t right_disagreed = 0;  // with A = -1
  std::size_t target_disagreed = 0;

  [[nodiscard]] double mean_source() const;  // of A
  [[nodiscard]] double mean_target() const;  // of B
};

[[nodiscard]] double hoeffding_bound(const Counts& counts, double delta);
[[nodiscard]] double empirical_bernstein_bound(const Counts& counts, double delta);
[[nodiscard]] double betting_bound(const Counts& counts, const Counts& guess, double delta);

}  // namespace leeway::error_bound
