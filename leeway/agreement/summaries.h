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

}  // namespace leeway::agreement
