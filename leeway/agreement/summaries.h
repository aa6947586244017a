// Entropy and confidence of the posteriors p(.|x), clean and shifted.
//
// Entropies (Jiménez Rodríguez 2024, section 4.2, table 4.2). The posteriors at beta are sorted within each
// row and averaged over rows; H is the entropy of that average:
//   H = - sum_r q_r log2 q_r,   q_r = mean over samples of the r-th largest p(j|x)       bits, in [0, log2 k]
// The plain form averages unsorted rows and therefore measures class balance: log2 k for any balanced set.
// Both sets use the samples whose clean prediction is correct, or all samples without labels.
//
// Confidences (section 4.2.1, figure 4.10), mean and standard error s / sqrt(n):
//   clean_right   p(y'|x')   over samples with a correct clean prediction y'
//   moved         p(y''|x'') over samples with y'' != y', whatever their label: the successful attacks
//
// Responses (figures 4.7, 4.10, B.6 to B.11, B.17, B.18): the mean posterior by rank of three groups of
// samples, and the interval of the mean confidence, which is its first rank (bounded_mean.h):
//   right   p(.|x'),  y' = y'' = y      wrong   p(.|x'),  y' = y'' != y      moved   p(.|x''),  y'' != y'
//
// Interval of beta: the maximum solves mean g_i = 0 with g_i = d a_i / d log beta, hence the normal interval
// of an M-estimator in log beta, beta exp(+-z s(g) / (sqrt(n) |d^2 A / d (log beta)^2|)).
// Shapes: logits (n,k) as in posterior_agreement, labels empty or (n), betas in [0, inf]; at infinity a
// posterior is uniform over its tied top classes. Argmax ties: lowest class. Errors (Error): different
// shapes, a logit that is not finite, a negative beta. Cost: one pass per beta; entropies also sort each row.
// Deterministic for any number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "leeway/core/array.h"
#include "leeway/core/statistics.h"

namespace leeway::agreement {

struct EntropyAt {
  double beta = 0;
  double clean = 0, shifted = 0;              // sorted; NaN where no sample is counted
  double clean_plain = 0, shifted_plain = 0;  // NaN likewise
};

struct Entropies {
  std::size_t samples = 0;  // counted
  bool right_only = false;  // false: there were no labels, and all samples count
  std::vector<EntropyAt> at;
};

[[nodiscard]] Entropies entropies(const Array& clean, const Array& shifted,
                                  std::span<const std::int64_t> labels, std::span<const double> betas);

struct ConfidenceAt {
  double beta = 0;
  double mean = 0, standard_error = 0;  // mean: NaN for n = 0; standard_error: NaN for n < 2
};

struct ConfidenceSummary {
  std::size_t n = 0;
  std::vector<ConfidenceAt> at;
};

struct Confidences {
  std::optional<ConfidenceSummary> clean_right;  // with labels
  ConfidenceSummary moved;
};

[[nodiscard]] Confidences confidences(const Array& clean, const Array& shifted,
                                      std::span<const std::int64_t> labels, std::span<const double> betas);

struct Response {
  std::size_t n = 0;
  std::optional<double> confidence;  // none for n = 0, as its interval
  std::optional<Interval> confidence_interval;
  std::vector<double> by_rank;  // the largest posteriors, falling; empty for n = 0
};

struct Responses {
  double beta = 0;
  std::optional<Response> right, wrong;  // with labels
  Response moved;
};

// `ranks`: the most that are kept.
[[nodiscard]] Responses responses(const Array& clean, const Array& shifted,
                                  std::span<const std::int64_t> labels, double beta, double level = .95,
                                  std::size_t ranks = 10);

// Of the beta* of posterior_agreement. None at 0 and infinity, and for fewer than 20 samples with y'' != y',
// where the normal approximation fails. Cost: three evaluations of A.
[[nodiscard]] std::optional<Interval> beta_interval(const Array& clean, const Array& shifted, double beta,
                                                    double level = .95);

}  // namespace leeway::agreement
