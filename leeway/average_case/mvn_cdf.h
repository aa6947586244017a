// The multivariate normal distribution function.
//
//   p = P(Z_1 <= b_1, ..., Z_d <= b_d),   Z ~ N(0, R)
//
// For the Taylor and MMSE estimators of Han et al. 2024 R = U U^T is the normalized Gram matrix of the
// gradients of logit differences, which is singular if there are more classes than inputs.
//
// R may be any covariance matrix (it is normalized by its diagonal). Singular R, duplicated or opposite
// constraints, rows of variance 0 and infinite b are handled without a ridge.
//
// Method: drop bounds that cannot matter; multiply groups of uncorrelated variables; d = 1 has a closed form;
// matrices of rank 1 to 3 with d >= 3 are integrals of that dimension; d = 2 and one-factor matrices,
// R_ij = l_i l_j for i != j (equicorrelated: positive correlation only), are one-dimensional integrals. The
// rest is separation of variables (Genz 1992) with the variable order of Gibson, Glasbey and Elston (1994),
// one-sided limits from singular rows (Genz and Kwong 2000) and from near copies, whose remainders are drawn
// first, on an embedded lattice sequence (Cools, Kuo and Nuyens 2006) with the tent transform and 16 random
// shifts. A pilot run chooses the integrand: plain; exponentially tilted at the saddle point (Botev 2017),
// for a small relative error in any tail; or with a common factor first.
// Contradictory bounds give p = 0 and log p = -infinity: all of them in ranks 1 to 3, in higher ranks those
// of two opposite variables. A sample without a point inside the bounds has not converged; p is then an
// upper bound.
// Shapes: upper (d), covariance (d,d) row-major, d >= 1. Logarithms are natural; points counts integrand
// evaluations over all shifts (0: no sampling). Error bounds hold for the given matrix, even with
// correlations next to 1 and -1; if rounding alone lifts its rank above 3 or makes it indefinite, they
// hold for a nearby matrix of low rank or a nearby positive semi-definite one. They hold with 99%, measured
// for ranks 1 to 10 (docs/studies/mvn-cdf.md).
// Errors (Error): sizes that do not fit, a NaN bound, a covariance that is not finite, not symmetric (beyond
// 1e-6 of the variances) or not positive semi-definite (beyond float32 rounding).
// Cost on one AVX-512 core, error of p 1e-4: 20 to 100 us for d = 9, a few ms for d = 99. A single large
// problem uses all threads. Deterministic: shifts depend on seed and sample only, not on threads.
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

enum class MvnMethod { exact, one_factor, quadrature, plain, tilted, factor };  // the last three sample
[[nodiscard]] std::string_view name_of(MvnMethod method);

struct MvnProbability {
  double probability = 0, log_probability = 0;
  double error = 0;      // bound on |error of probability| that holds with 99%
  double log_error = 0;  // the same of log_probability
  std::size_t points = 0;
  bool converged = true;                // both errors are within tolerance
  MvnMethod method = MvnMethod::exact;  // of the largest group of variables
};

// Cheap for small d: starts no thread and allocates only a few small vectors.
[[nodiscard]] MvnProbability mvn_cdf(std::span<const double> upper, std::span<const double> covariance,
                                     const MvnOptions& options = {});

// m points in parallel: upper (m,d), covariance (d,d) for all or (m,d,d); point i is mvn_cdf with
// sample = options.sample + i and stop = progress. Messages name the point.
[[nodiscard]] std::vector<MvnProbability> mvn_cdf_batch(std::span<const double> upper, std::size_t d,
                                                        std::span<const double> covariance,
                                                        const MvnOptions& options = {},
                                                        Progress* progress = nullptr);

}  // namespace leeway::average_case
