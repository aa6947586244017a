// The multivariate normal distribution function.
//
//   p = P(Z_1 <= b_1, ..., Z_d <= b_d),   Z ~ N(0, R)
//
// Han et al. 2024 needs it for its Taylor and MMSE estimators with R = U U^T, the normalised Gram matrix of gradients
// of logit differences, which is singular where there are more classes than inputs.
//
// R may be any covariance matrix: it is normalised by its diagonal. Singular R, duplicated and opposite
// constraints and rows of variance 0 are ordinary input and answered without a ridge; b may be infinite.
//
// How, in this order: bounds that cannot matter are left out; groups of uncorrelated variables are multiplied;
// d = 1 is closed, d = 2 and matrices of one factor, R_ij = l_i l_j for i != j (of equicorrelated ones those of
// a positive correlation), are one-dimensional integrals; all else is separation of variables (Genz 1992) with
// the variables in the order of Gibson, Glasbey and Elston (1994), one-sided limits from singular rows (Genz and
// Kwong 2000) and from near copies, whose remainders are drawn first, on an embedded lattice sequence (Cools, Kuo
// and Nuyens 2006) with the tent transform and 16 random shifts. A pilot chooses
// the variant of the integrand: plain; exponentially tilted at the saddle point (Botev 2017), which gives tails
// of any depth a small relative error; or with a common factor as the first coordinate.
//
// Shapes: upper (d), covariance (d,d) row-major, 1 <= d. Probabilities in [0,1], logarithms natural; points
// counts evaluations of the integrand over all shifts (0 where no sampling was needed).
// The bounds on errors hold of the matrix as it is given, correlations next to 1 and -1 included. Where rounding
// made it indefinite by more than double precision does, they hold of a positive semi-definite one next to it.
// Errors (Error): sizes that do not fit, an upper bound that is NaN, a covariance that is not finite, not
// symmetric (beyond 1e-6 of the variances), or not positive semi-definite (beyond what float32 rounding does).
//
// Cost on one AVX-512 core, error of p 1e-4: 20 to 100 us for d = 9, a few ms for d = 99. A single large
// problem uses all threads. Deterministic: shifts are keyed by seed and sample; same bits for any number of
// threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace leeway {
class Progress;
}

namespace leeway::average_case {

struct MvnOptions {
  double tolerance = 1e-4;             // of p
  double log_tolerance = .01;          // of log p
  std::size_t max_points = 1 << 20;    // at which to stop unconverged; from 1024 to 2^24
  std::uint64_t seed = 0, sample = 0;  // choose the random shifts
  const Progress* stop = nullptr;      // asked every few ms; Interrupted
};

enum class MvnMethod { exact, one_factor, plain, tilted, factor };  // the last three sample
[[nodiscard]] std::string_view name_of(MvnMethod method);

struct MvnProbability {
  double probability = 0, log_probability = 0;
  double error = 0;      // bound on |error of probability| that holds with 99%
  double log_error = 0;  // the same of log_probability
  std::size_t points = 0;
  bool converged = true;                // both errors are within tolerance
  MvnMethod method = MvnMethod::exact;  // of the largest group of variables
};

// Cheap to call for small d: no thread is started, what is allocated is a few small vectors.
[[nodiscard]] MvnProbability mvn_cdf(std::span<const double> upper, std::span<const double> covariance,
                                     const MvnOptions& options = {});

// Many at once, in parallel: upper (m,d), covariance (d,d) for all or (m,d,d); point i is
// mvn_cdf with sample = options.sample + i and stop = progress. Messages name the point.
[[nodiscard]] std::vector<MvnProbability> mvn_cdf_batch(std::span<const double> upper, std::size_t d,
                                                        std::span<const double> covariance,
                                                        const MvnOptions& options = {},
                                                        Progress* progress = nullptr);

}  // namespace leeway::average_case
