// How peaked posteriors are, clean and shifted.
//
// Each row of posteriors p(.|x) at beta is sorted, the sorted rows are averaged, and the entropy of that average is
// taken:
//   H = - sum_r q_r log2 q_r,   q_r = mean over samples of the r-th largest p(j|x)       bits, in [0, log2 k]
// (Jiménez Rodríguez 2024, section 4.2, table 4.2: over the samples classified correctly, whom the sorting aligns.)
// The plain form averages the rows as they stand: classes then cancel and it measures class balance, log2 k for any
// balanced set however sure each row is. It stands beside the sorted one under its own name.
// The samples, of both sets: those whose clean prediction is their label; all of them where there are no labels.
//
// Shapes: logits (n,k) as posterior_agreement takes them, labels empty or (n); betas in [0, inf]; at infinity a
// posterior is uniform over its tied top classes. Errors (Error): shapes that differ, a logit that is not finite, a
// negative beta. Cost: two softmaxes and a sort a row, set and beta. Deterministic for any number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
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

}  // namespace leeway::agreement
